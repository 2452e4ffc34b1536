import type { ClientResults } from "../../clients/contract/client-results.ts";
import { judgeClient, scopeOf } from "../../clients/judge.ts";
import type { Lab } from "../../clients/lab/lab.ts";
import type { ClientFinding, ClientRun } from "../../clients/observations/observation.ts";
import { progressOf } from "../../clients/observations/progress.ts";
import { suspicionsOf } from "../../clients/observations/stops.ts";
import { timelineOf } from "../../clients/shown-requests.ts";
import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import { schemaVersion } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import { countByVerdict } from "../runs/assemble.ts";
import type { RunEnvironment } from "../runs/environment.ts";
import { said, saidRequirement } from "../runs/said.ts";
import { version } from "../version.ts";
import { causeOf, clientCauses, failedEnds } from "./client-causes.ts";
import type { ClientEnding } from "./watch.ts";

/** What is known about the run of a client apart from its requests. */
export interface ClientRunInfo {
  readonly ending: ClientEnding;
  /** The program as typed, without secrets; undefined if none was started. */
  readonly commandLine: string | undefined;
  /** Number of processes that share nothing. */
  readonly workers: number;
  readonly seed: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly environment: RunEnvironment;
  readonly redaction: Redaction;
}

/** Judges what a lab has seen, and builds the results. */
export function assembleClientResults(lab: Lab, info: ClientRunInfo): ClientResults {
  const { ending, commandLine, workers, redaction } = info;
  const exchanges = lab.exchanges();
  const isStopped = failedEnds.includes(ending.ended);
  const run: ClientRun = {
    exchanges,
    tasks: lab.tasks,
    key: lab.key,
    stalls: lab.stalls,
    ended: ending.ended === "exited" ? "done" : isStopped ? "stopped" : "cut-off",
    workers,
  };
  const requirements = redactValue(judgeClient(run, redaction), redaction).map((one) => saidRequirement(one));
  const scope = scopeOf(lab.tasks.map((task) => task.do));
  const { connections, tls } = lab.malformed;
  const notices: ClientFinding[] =
    connections === 0 ? [] : [{ code: "not-http", details: { connections, tls } }];
  const undecided = {
    schemaVersion,
    tool: { name: "shelfcheck", version },
    command: "client",
    client: { ...given({ commandLine, workers: workers === 1 ? undefined : workers }), ...ending },
    service: { baseUrl: lab.baseUrl, seed: info.seed },
    tasks: lab.document.tasks.map((task) => {
      const { done, of, missing } = progressOf(task, exchanges);
      return { do: task.do, sentence: task.sentence, done, of, missing };
    }),
    timeline: timelineOf(exchanges, redaction),
    startedAt: info.startedAt.toISOString(),
    finishedAt: info.finishedAt.toISOString(),
    environment: info.environment,
    ...given({
      scope: scope.requirements < scope.of ? scope : undefined,
      problem: ending.ended === "not-started" ? notStarted(ending, commandLine) : undefined,
    }),
    summary: countByVerdict(requirements),
    requests: { total: lab.arrived().count },
    requirements,
    notices: notices.map((one) => said(one)),
  } as const;
  const cause = causeOf(undecided);
  const { exitCode, verdict } = clientCauses[cause];
  const suspicions = isStopped || cause === "tasks-not-done" ? suspicionsOf(run) : [];
  return {
    ...undecided,
    notices: [...undecided.notices, ...suspicions.map((one) => said(one))],
    // As of other runs: an interruption outranks the exit code of a failure, but not its verdict.
    exitCode: ending.ended === "interrupted" ? 130 : exitCode,
    verdict,
    cause,
  };
}

function notStarted({ status }: ClientEnding, commandLine = "") {
  return {
    what: `The client could not be started (${status})`,
    where: commandLine,
    fix: "Check the name of the program. It is started without a shell: for a pipe or a variable, use sh -c '…'.",
  };
}
