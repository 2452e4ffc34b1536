import { once } from "node:events";
import { join } from "node:path";
import type { ClientResults } from "../../clients/contract/client-results.ts";
import { clientTaskNames, type TaskName } from "../../clients/contract/tasks.ts";
import { type Lab, startLab } from "../../clients/lab/lab.ts";
import type { ClientRun } from "../../clients/observations/observation.ts";
import { judgeClient } from "../../clients/observations/observations.ts";
import { progressOf } from "../../clients/observations/progress.ts";
import { timelineOf } from "../../clients/observations/shown-requests.ts";
import { type Redaction, redactionFor, redactValue } from "../../conformance/client/redaction.ts";
import { schemaVersion } from "../../schemas/contracts/results.ts";
import { countByVerdict } from "../../schemas/contracts/verdicts.ts";
import { given } from "../../schemas/json.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { counted } from "../../schemas/words/format.ts";
import type { CommandDefinition } from "../cli/commands/command.ts";
import {
  durationInSeconds,
  type EarlierRunFlags,
  nameFrom,
  wholeNumber,
  withEarlierRuns,
} from "../cli/commands/flags.ts";
import { explainedError } from "../cli/commands/serve.ts";
import { secretsIn } from "../config/keys.ts";
import { settingsWithoutTarget } from "../config/settings.ts";
import type { ExitCode } from "../errors.ts";
import { writeWhole } from "../files.ts";
import type { Io } from "../io.ts";
import { quotedForShell } from "../report/text.ts";
import { commandLineOf, environmentOf } from "../runs/environment.ts";
import { namesOfRun } from "../runs/read-run.ts";
import { saidRequirement } from "../runs/said.ts";
import { showResults } from "../runs/stages/record.ts";
import { makeRunFolder, writeResults } from "../runs/write-run.ts";
import { version } from "../version.ts";
import { causeOf, clientCauses, isFailed } from "./client-report.ts";
import { type ClientEnding, mostMinutes, watchClient } from "./watch.ts";

interface ClientFlags extends EarlierRunFlags {
  readonly task?: readonly TaskName[];
  readonly seed: number;
  readonly port?: number;
  readonly keep: number;
  readonly timeout?: number;
  readonly workers: number;
}

/** `client`: watches a program on the reference service, and judges what it sends. */
export const client: CommandDefinition<ClientFlags> = {
  flags: (command) =>
    withEarlierRuns(command)
      .argument(
        "[command...]",
        "program to watch, after --, with its arguments; without one, Ctrl-C ends the run",
      )
      .option(
        "--task <name>",
        `task to set: ${clientTaskNames.join(", ")}; may be repeated (default: all)`,
        nameFrom(clientTaskNames),
      )
      .option(
        "--seed <n>",
        "decides the catalog, the tasks and the order of what the service plays",
        wholeNumber(0),
        1,
      )
      .option("--port <n>", "port on 127.0.0.1; 0 picks a free one (default: 0)", wholeNumber(0, 65_535))
      .option("--keep <duration>", "length of the task keep-looking-up", durationInSeconds, 20)
      .option(
        "--timeout <duration>",
        `end the client after this time, and judge what was seen (default: ${mostMinutes}m, after which the client counts as hanging)`,
        durationInSeconds,
      )
      .option(
        "--workers <n>",
        "number of processes of the client that share nothing: each connection is then judged by its own waits",
        wholeNumber(1),
        1,
      ),
  run,
};

async function run(flags: ClientFlags, io: Io, command: readonly string[]): Promise<ExitCode> {
  const { json = false, seed, task: tasks, keep: keepSeconds, port, workers, timeout } = flags;
  const settings = await settingsWithoutTarget(flags, io);
  const startedAt = io.now();
  const lab = await startLab({ seed, tasks, keepSeconds, port }).catch((error: unknown) => {
    throw explainedError(error, { port });
  });
  try {
    const redaction = redactionFor({ keys: { primary: lab.key }, others: secretsIn(io.env) });
    const folder = await makeRunFolder(settings.out, "client", startedAt);
    const taskFile = join(folder.path, "task.json");
    await writeWhole(taskFile, `${JSON.stringify(lab.document, null, 2)}\n`);
    /** What a client gets in its environment. */
    const variables = {
      SHELFCHECK_BASE_URL: lab.baseUrl,
      [keyVariables.primary]: lab.key,
      SHELFCHECK_CATEGORIES: lab.categories.join(","),
      SHELFCHECK_TASK: JSON.stringify(lab.document),
      SHELFCHECK_TASK_FILE: taskFile,
    };
    const commandLine = command.length === 0 ? undefined : commandLineOf(command);
    let ending: ClientEnding;
    if (commandLine === undefined) ending = await waitForEnd(lab, variables, flags, io);
    else {
      // The keys of a real service have no place here.
      const env = { ...settings.toolEnv, ...variables };
      io.stderr.write(redaction.redact(`client ${commandLine} at ${lab.baseUrl}, seed ${seed}\n`));
      ending = await watchClient(lab, { command, env, io, redaction, timeout });
    }
    const facts = {
      startedAt: startedAt.toISOString(),
      finishedAt: io.now().toISOString(),
      environment: environmentOf(io),
      client: { ...given({ commandLine, workers: workers === 1 ? undefined : workers }), ...ending },
      service: { baseUrl: lab.baseUrl, seed },
    };
    const { name } = await namesOfRun(folder.path, settings, io.cwd);
    const place = { out: settings.out, folder, run: name, redaction };
    const results = await writeResults(
      (problem) => clientResults(lab, { ...facts, problem }, redaction),
      place,
    );
    await showResults(results, { settings, io, json, folder, redaction });
    return results.exitCode;
  } finally {
    await lab.stop();
  }
}

/** For a client that somebody else starts: shows the address and waits for Ctrl-C or the time-out. */
async function waitForEnd(
  lab: Lab,
  variables: Readonly<Record<string, string>>,
  { json, timeout }: ClientFlags,
  io: Io,
): Promise<ClientEnding> {
  // For programs that start the client. With --json, stdout has the results only.
  if (json !== true) io.stdout.write(`${JSON.stringify(variables)}\n`);
  const lines = [
    "The service is ready. Start your client in another terminal with these variables:",
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quotedForShell(value)}`),
    "What it has to do, as the task file says:",
    ...lab.document.tasks.map(({ sentence, ...task }) => `  ${task.do}: ${sentence}`),
    timeout === undefined
      ? "Ctrl-C ends the run, and prints the verdict."
      : `The run ends after ${counted(timeout, "second")}, or with Ctrl-C.`,
  ];
  io.stderr.write(`${lines.join("\n")}\n`);
  const limits = timeout === undefined ? [] : [AbortSignal.timeout(timeout * 1000)];
  const end = AbortSignal.any([io.signal, ...limits]);
  if (!end.aborted) await once(end, "abort");
  return { ended: "time-over" };
}

type ClientFacts = Pick<
  ClientResults,
  "startedAt" | "finishedAt" | "environment" | "client" | "service" | "problem"
>;

/** Judges what a lab has seen. @param facts What is known about the run apart from its requests. */
function clientResults(lab: Lab, facts: ClientFacts, redaction: Redaction): ClientResults {
  const { ended, workers = 1 } = facts.client;
  const run: ClientRun = {
    exchanges: lab.exchanges(),
    tasks: lab.tasks,
    key: lab.key,
    stalls: lab.stalls,
    ended: ended === "exited" ? "done" : isFailed(facts.client) ? "stopped" : "cut-off",
    workers,
  };
  const judged = judgeClient(run, redaction);
  const requirements = redactValue(judged.requirements, redaction).map((one) => saidRequirement(one));
  const isPartial = requirements.length < judged.of;
  const undecided = {
    ...facts,
    schemaVersion,
    tool: { name: "shelfcheck", version },
    command: "client",
    tasks: progressOf(run).map((one, at) => ({ ...one, sentence: lab.document.tasks[at]?.sentence ?? "" })),
    timeline: timelineOf(run, redaction),
    scope: isPartial ? { requirements: requirements.length, of: judged.of } : undefined,
    summary: countByVerdict(requirements),
    requests: { total: lab.arrived().count },
    requirements,
  } as const;
  const cause = causeOf(undecided);
  const { exitCode, verdict } = clientCauses[cause];
  return {
    ...undecided,
    // As of other runs: an interruption outranks the exit code of a failure, but not its verdict.
    exitCode: ended === "interrupted" ? 130 : exitCode,
    verdict,
    cause,
  };
}
