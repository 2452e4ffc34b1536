import type { ClientResults } from "../../clients/contract/client-results.ts";
import { judgeClient } from "../../clients/judge.ts";
import type { Lab } from "../../clients/lab/lab.ts";
import type { ClientFinding, ClientRun } from "../../clients/observations/observation.ts";
import { progressOf, suspicionsOf } from "../../clients/observations/progress.ts";
import { timelineOf } from "../../clients/shown-requests.ts";
import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import { schemaVersion } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import { countByVerdict } from "../runs/judgement.ts";
import { said, saidRequirement } from "../runs/said.ts";
import { version } from "../version.ts";
import { causeOf, clientCauses, isFailed } from "./client-causes.ts";
import type { ClientEnding } from "./watch.ts";

/** What is known about the run of a client apart from its requests. */
interface ClientRunInfo extends Pick<ClientResults, "startedAt" | "finishedAt" | "environment"> {
  readonly ending: ClientEnding;
  /** The program as typed, without secrets; undefined if none was started. */
  readonly commandLine: string | undefined;
  /** Number of processes that share nothing. */
  readonly workers: number;
  readonly seed: number;
  readonly redaction: Redaction;
}

/** Judges what a lab has seen, and builds the results. */
export function assembleClientResults(
  lab: Lab,
  { ending, commandLine, workers, redaction, seed, ...info }: ClientRunInfo,
): ClientResults {
  const { ended } = ending;
  const isStopped = isFailed(ending);
  const run: ClientRun = {
    exchanges: lab.exchanges(),
    tasks: lab.tasks,
    key: lab.key,
    stalls: lab.stalls,
    ended: ended === "exited" ? "done" : isStopped ? "stopped" : "cut-off",
    workers,
  };
  const judged = judgeClient(run, redaction);
  const requirements = redactValue(judged.requirements, redaction).map((one) => saidRequirement(one));
  const isPartial = requirements.length < judged.of;
  const connections = lab.malformed();
  const notices: ClientFinding[] = connections === 0 ? [] : [{ code: "not-http", details: { connections } }];
  const undecided = {
    ...info,
    schemaVersion,
    tool: { name: "shelfcheck", version },
    command: "client",
    client: { ...given({ commandLine, workers: workers === 1 ? undefined : workers }), ...ending },
    service: { baseUrl: lab.baseUrl, seed },
    tasks: progressOf(run).map((one, at) => ({ ...one, sentence: lab.document.tasks[at]?.sentence ?? "" })),
    timeline: timelineOf(run, redaction),
    scope: isPartial ? { requirements: requirements.length, of: judged.of } : undefined,
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
    exitCode: ended === "interrupted" ? 130 : exitCode,
    verdict,
    cause,
  };
}
