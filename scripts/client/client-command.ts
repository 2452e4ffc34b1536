import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { clientTaskNames, type TaskName } from "../../clients/contract/client-findings.ts";
import { type Lab, startLab } from "../../clients/lab/lab.ts";
import type { ClientTask } from "../../clients/lab/task.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { given } from "../../schemas/json.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { counted } from "../../schemas/words/format.ts";
import { defineCommand, print } from "../cli/commands/command.ts";
import {
  type EarlierRunFlags,
  settingsWithoutTarget,
  withEarlierRuns,
} from "../cli/commands/earlier-runs.ts";
import { durationInSeconds, nameFrom, wholeNumber } from "../cli/commands/flags.ts";
import { explainedError } from "../cli/commands/serve.ts";
import { secretsIn } from "../config/secrets.ts";
import { reportOf } from "../core/report-of.ts";
import type { ExitCode } from "../errors.ts";
import { writeWhole } from "../files.ts";
import type { Io } from "../io.ts";
import { consoleStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { commandLineOf, environmentOf } from "../runs/environment.ts";
import { makeRunFolder } from "../runs/folder.ts";
import { quotedForShell } from "../runs/quoted-for-shell.ts";
import { runNow } from "../runs/read-run.ts";
import { writeResults } from "../runs/stages/write-run.ts";
import { assembleClientResults } from "./assemble.ts";
import { type ClientEnding, watchClient } from "./watch.ts";

interface ClientFlags extends EarlierRunFlags {
  readonly task?: readonly TaskName[];
  readonly seed: number;
  readonly products?: number;
  readonly catalog?: string;
  readonly port?: number;
  readonly keep: number;
  readonly timeout?: number;
  readonly workers: number;
}

const defaults = { seed: 1, products: 400, keepSeconds: 20, minutes: 10, workers: 1 } as const;

/** `client`: watches a program on the reference service, and judges what it sends. */
export const client = defineCommand<ClientFlags>({
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
        defaults.seed,
      )
      .option(
        "--products <n>",
        `number of products in the generated catalog (default: ${defaults.products})`,
        wholeNumber(0),
      )
      .option("--catalog <file>", "read the catalog from this file instead of generating one")
      .option("--port <n>", "port on 127.0.0.1; 0 picks a free one (default: 0)", wholeNumber(0, 65_535))
      .option(
        "--keep <duration>",
        "length of the task keep-looking-up",
        durationInSeconds,
        defaults.keepSeconds,
      )
      .option(
        "--timeout <duration>",
        `end the client after this time, and judge what was seen (default: ${defaults.minutes}m, after which the client counts as hanging)`,
        durationInSeconds,
      )
      .option(
        "--workers <n>",
        "number of processes of the client that share nothing: each connection is then judged by its own waits",
        wholeNumber(1),
        defaults.workers,
      ),
  run,
});

async function run(flags: ClientFlags, io: Io, command: readonly string[]): Promise<ExitCode> {
  const { json = false } = flags;
  const settings = await settingsWithoutTarget(flags, io);
  const startedAt = io.now();
  const lab = await start(flags, io);
  try {
    const redaction = redactionFor({ keys: { primary: lab.key }, others: secretsIn(io.env) });
    const folder = await makeRunFolder(settings.out, "client", startedAt);
    const taskFile = join(folder.path, "task.json");
    await writeWhole(taskFile, `${JSON.stringify(lab.document, null, 2)}\n`);
    const variables = variablesFor(lab, taskFile);
    const ending =
      command.length === 0
        ? await waitForEnd(lab, { variables, flags, io })
        : await watch(command, { lab, variables, flags, io, redaction });
    const assembled = assembleClientResults(lab, {
      ending,
      commandLine: command.length === 0 ? undefined : commandLineOf(command),
      workers: flags.workers,
      service: {
        seed: flags.seed,
        ...(flags.catalog === undefined
          ? { products: flags.products ?? defaults.products }
          : { catalog: flags.catalog }),
      },
      startedAt,
      finishedAt: io.now(),
      environment: environmentOf(io),
      redaction,
    });
    const name = settings.outWasGiven ? quotedForShell(join(settings.outShown, folder.name)) : folder.name;
    const results = await writeResults(assembled, { out: settings.out, folder, run: name, redaction });
    const isWritten = existsSync(join(folder.path, "results.json"));
    const resultsFile = isWritten ? join(settings.outShown, folder.name, "results.json") : undefined;
    const now = await runNow(folder.path, settings, io.cwd);
    const text = () => `\n${writeConsole(reportOf(results, now), { resultsFile, style: consoleStyle(io) })}`;
    print(io, { json, value: results, text: () => redaction.redact(text()) });
    return results.exitCode;
  } finally {
    await lab.stop();
  }
}

async function start(flags: ClientFlags, io: Io): Promise<Lab> {
  const { seed, products = defaults.products, catalog, task: tasks, keep: keepSeconds, port } = flags;
  try {
    return await startLab({
      seed,
      products,
      keepSeconds,
      tasks,
      catalog: catalog === undefined ? undefined : resolve(io.cwd, catalog),
      ...given({ port }),
    });
  } catch (error) {
    throw explainedError(error, given({ port }));
  }
}

/** What a client gets in its environment. */
function variablesFor(lab: Lab, taskFile: string): Record<string, string> {
  return {
    SHELFCHECK_BASE_URL: lab.baseUrl,
    [keyVariables.primary]: lab.key,
    SHELFCHECK_CATEGORIES: lab.categories.join(","),
    SHELFCHECK_TASK: JSON.stringify(lab.document),
    SHELFCHECK_TASK_FILE: taskFile,
  };
}

interface Starting {
  readonly variables: Readonly<Record<string, string>>;
  readonly flags: ClientFlags;
  readonly io: Io;
}

/** Runs the program. What it prints goes to stderr, so that stdout has the verdict only. */
async function watch(
  command: readonly string[],
  {
    lab,
    variables,
    flags,
    io,
    redaction,
  }: Starting & { lab: Lab; redaction: ReturnType<typeof redactionFor> },
): Promise<ClientEnding> {
  const { timeout = defaults.minutes * 60 } = flags;
  // The keys of a real service have no place here.
  const { [keyVariables.sameOrg]: _same, [keyVariables.otherOrg]: _other, ...env } = io.env;
  io.stderr.write(
    redaction.redact(`client ${commandLineOf(command)} at ${lab.baseUrl}, seed ${flags.seed}\n`),
  );
  return watchClient(lab, {
    command,
    cwd: io.cwd,
    env: { ...env, ...variables },
    redaction,
    signal: io.signal,
    timeout: { milliseconds: timeout * 1000, isWanted: flags.timeout !== undefined },
    print: (line) => io.stderr.write(`${line}\n`),
  });
}

/** Shows where the service is, for a client that somebody else starts, and waits for Ctrl-C or the time-out. */
async function waitForEnd(lab: Lab, { variables, flags, io }: Starting): Promise<ClientEnding> {
  // For programs that start the client. With --json, stdout has the results only.
  if (flags.json !== true) io.stdout.write(`${JSON.stringify(variables)}\n`);
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quotedForShell(value)}\n`);
  io.stderr.write(
    [
      "The service is ready. Start your client in another terminal with these variables:\n",
      ...lines,
      "What it has to do, as the task file says:\n",
      ...lab.document.tasks.map(
        ({ sentence, ...task }: ClientTask & { sentence: string }) => `  ${task.do}: ${sentence}\n`,
      ),
      flags.timeout === undefined
        ? "Ctrl-C ends the run, and prints the verdict.\n"
        : `The run ends after ${counted(flags.timeout, "second")}, or with Ctrl-C.\n`,
    ].join(""),
  );
  const signals = [
    io.signal,
    ...(flags.timeout === undefined ? [] : [AbortSignal.timeout(flags.timeout * 1000)]),
  ];
  const end = AbortSignal.any(signals);
  if (!end.aborted) await once(end, "abort");
  return { ended: "time-over" };
}
