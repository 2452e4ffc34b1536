import { clientCauses } from "../../clients/contract/client-causes.ts";
import type { ClientResults } from "../../clients/contract/client-results.ts";
import { judgeClient, scopeOf } from "../../clients/judge.ts";
import type { Lab } from "../../clients/lab/lab.ts";
import { longestStall } from "../../clients/lab/stalls.ts";
import type { ClientRun } from "../../clients/observations/observation.ts";
import { progressOf, suspicionsOf } from "../../clients/observations/stops.ts";
import { mostEntries, timelineOf } from "../../clients/shown-requests.ts";
import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Problem, schemaVersion } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import { countByVerdict } from "../runs/assemble.ts";
import type { RunEnvironment } from "../runs/environment.ts";
import { said, saidRequirement } from "../runs/said.ts";
import { version } from "../version.ts";
import type { ClientEnding } from "./watch.ts";

/** What is known about the run of a client apart from its requests. */
export interface ClientRunInfo {
  readonly ending: ClientEnding;
  /** The program as typed, without secrets; undefined if none was started. */
  readonly commandLine: string | undefined;
  /** Number of processes that share nothing. */
  readonly workers: number;
  readonly service: Pick<ClientResults["service"], "seed" | "products" | "catalog">;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly environment: RunEnvironment;
  readonly redaction: Redaction;
}

/** Judges what a lab has seen, and builds the results. */
export function assembleClientResults(lab: Lab, info: ClientRunInfo): ClientResults {
  const { ending, commandLine, workers, service, redaction } = info;
  const exchanges = lab.exchanges();
  const run: ClientRun = {
    exchanges,
    tasks: lab.tasks,
    key: lab.key,
    stalls: lab.stalls(),
    ended: ending.ended === "exited" ? "done" : brokenEnds.includes(ending.ended) ? "stopped" : "cut-off",
    workers,
  };
  const requirements = redactValue(judgeClient(run, redaction), redaction).map((one) => saidRequirement(one));
  const scope = scopeOf(lab.tasks.map((task) => task.do));
  const total = lab.arrived().count;
  const problem = problemOf(ending, commandLine);
  const progress = lab.tasks.map((task) => progressOf(task, exchanges));
  const cause = causeOf({
    ending,
    requirements,
    total,
    isDone: progress.every(({ done, of }) => done === of),
    isPartial: scope.requirements < scope.of,
  });
  const notices = [
    ...noticesOf(lab),
    ...(run.ended === "stopped" || cause === "tasks-not-done" ? suspicionsOf(run) : []),
  ];
  const { exitCode, verdict } = clientCauses[cause];
  const isInterrupted = ending.ended === "interrupted";
  return {
    schemaVersion,
    tool: { name: "shelfcheck", version },
    command: "client",
    client: {
      ...given({ commandLine }),
      ...ending,
      ...(workers === 1 ? {} : { workers }),
    },
    service: { baseUrl: lab.baseUrl, ...service, lagMilliseconds: Math.round(longestStall(lab.stalls())) },
    tasks: lab.document.tasks.map(({ sentence, ...task }, at) => {
      const { done = 0, of = 1, missing = [] } = progress[at] ?? {};
      return { do: task.do, sentence, done, of, ...(missing.length === 0 ? {} : { missing: [...missing] }) };
    }),
    timeline: timelineOf(exchanges, redaction),
    startedAt: info.startedAt.toISOString(),
    finishedAt: info.finishedAt.toISOString(),
    // As of other runs: an interruption outranks the exit code of a failure, but not its verdict.
    exitCode: isInterrupted ? 130 : exitCode,
    verdict,
    cause,
    environment: info.environment,
    ...(scope.requirements < scope.of ? { scope } : {}),
    ...given({ notices: notices.length === 0 ? undefined : notices.map((one) => said(one)) }),
    ...given({ problem }),
    summary: countByVerdict(requirements),
    requests: { total, isComplete: total <= mostEntries },
    requirements,
  };
}

interface Decided {
  readonly ending: ClientEnding;
  readonly requirements: ClientResults["requirements"];
  readonly total: number;
  /** All parts of all tasks were requested. */
  readonly isDone: boolean;
  /** Only some of the tasks were set. */
  readonly isPartial: boolean;
}

const brokenEnds: readonly ClientEnding["ended"][] = ["failed", "silent", "too-long", "too-many-requests"];

function causeOf({
  ending: { ended },
  requirements,
  total,
  isDone,
  isPartial,
}: Decided): ClientResults["cause"] {
  const applies: Readonly<Record<Exclude<ClientResults["cause"], "none">, boolean>> = {
    "requirement-failed": requirements.some(({ verdict }) => verdict === "fail"),
    problem: ended === "not-started",
    "client-failed": brokenEnds.includes(ended),
    interrupted: ended === "interrupted",
    "nothing-judged": total === 0,
    "tasks-not-done": !isDone,
    "not-judged": requirements.some(({ verdict, level }) => verdict === "inconclusive" && level === "must"),
    partial: isPartial,
  };
  const causes = Object.keys(clientCauses) as ClientResults["cause"][];
  return causes.find((cause) => cause !== "none" && applies[cause]) ?? "none";
}

function problemOf({ ended, status }: ClientEnding, commandLine = ""): Problem | undefined {
  if (ended !== "not-started") return undefined;
  return {
    what: `The client could not be started (${status})`,
    where: commandLine,
    fix: "Check the name of the program. It is started without a shell: for a pipe or a variable, use sh -c '…'.",
  };
}

function noticesOf(lab: Lab): Finding[] {
  const { connections, tls } = lab.malformed();
  return connections === 0 ? [] : [{ code: "not-http", details: { connections, tls } }];
}
