import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import { Command, CommanderError } from "commander";
import { connectionSettings } from "../../schemas/connection.ts";
import { createRedaction } from "../../schemas/redaction.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { secretsIn } from "../config/keys.ts";
import { bugIn, type ExitCode, fileProblem, knownProblem, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { refuseRemovedWords } from "../removed.ts";
import { plainProse, quotedForShell } from "../report/text.ts";
import { version } from "../version.ts";
import type { Addition, CommandDefinition, RegisteredCommand } from "./commands/command.ts";
import { capabilities } from "./doors.ts";

/** Runs the command line of this process, and sets its exit code. Only this and `prepareProcess` use `process`. */
export async function start(): Promise<void> {
  // In case that nothing is left to wait for before the exit code is known.
  process.exitCode = 3;
  const interruption = new AbortController();
  prepareProcess(interruption);
  const [, path = "", ...args] = process.argv;
  const isOutside = relative(join(dirname(path), "..", ".."), process.cwd()).startsWith("..");
  // Hints name `npx shelfcheck`, which finds a clone only from inside it. JSON and Markdown are for others.
  const isTyped = isOutside && process.env.npm_command === undefined && /\.[cm]?[jt]s$/.test(path);
  const isForOthers = args.includes("--json") || args.includes("--markdown");
  const shown = (output: NodeJS.WriteStream): Io["stdout"] => {
    if (!isTyped || isForOthers) return output;
    const { isTTY, columns } = output;
    const command = `node ${quotedForShell(path)}`;
    return { isTTY, columns, write: (text) => output.write(text.replaceAll("npx shelfcheck", command)) };
  };
  process.exitCode = await main(args, {
    env: { ...process.env },
    hideFromChildProcesses: (names) => {
      for (const name of names) delete process.env[name];
    },
    cwd: process.cwd(),
    nodeVersion: process.versions.node,
    stdout: shown(process.stdout),
    stderr: shown(process.stderr),
    now: () => new Date(),
    signal: interruption.signal,
  });
  // Output that nobody reads from a pipe would keep the process alive for ever.
  const endSoon = () => setTimeout(() => process.exit(), 2000).unref();
  if (interruption.signal.aborted) endSoon();
  else interruption.signal.addEventListener("abort", endSoon);
}

/** Signals, uncaught errors, warnings and closed pipes of this process. */
function prepareProcess(interruption: AbortController): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // The first signal ends the run and writes its results; the second one ends the process at once.
      if (interruption.signal.aborted) process.exit(130);
      interruption.abort(new Error("interrupted"));
    });
  }
  // An error that nothing caught, including an unhandled rejection.
  process.on("uncaughtException", (error) => {
    process.exit(reportFailure(error, process));
  });
  // npm runs us in a shell, which ends at SIGTERM without forwarding it: its end counts as the signal.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid !== parent) interruption.abort(new Error("npm ended"));
    }, 250);
    watch.unref();
  }
  // Warnings that users need not know: a config file without "type": "module" in package.json, and, in the
  // first releases of Node 24, SQLite and TypeScript.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if ("code" in warning && warning.code === "MODULE_TYPELESS_PACKAGE_JSON") return;
    if (warning.name === "ExperimentalWarning") return;
    process.stderr.write(`${warning.name}: ${warning.message}\n`);
  });
  // A pipe that closes early (`… | head`) is no error. A full device is: a run that lost output must not exit with 0.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    const { what } = fileProblem(error, "stdout") ?? { what: error.message };
    process.stderr.write(`shelfcheck: The output could not be written: ${what}: stdout\n`);
    process.on("exit", (code) => {
      if (code === 0 || code === 4) process.exitCode = 3;
    });
  });
  process.stderr.on("error", () => undefined);
}

/** Runs `argv` (without node and the script) and returns its exit code; never throws, never exits. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  try {
    refuseRemovedWords(argv);
    const program = await createProgram(argv, { ...io, argv }, (code) => {
      exitCode = code;
    });
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    // After Ctrl-C, any error is a consequence of the interruption.
    if (io.signal.aborted) return 130;
    return reportFailure(error, io);
  }
}

/** Prints why a command ended without results. Prints a stack trace only with SHELFCHECK_DEBUG. */
export function reportFailure(error: unknown, { stderr, env }: Pick<Io, "stderr" | "env">): ExitCode {
  // Commander has already printed its message. Its exit code for help and version is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const known = knownProblem(error);
  if (known !== undefined) {
    stderr.write(plainProse(`shelfcheck: ${known.what}: ${known.where}\n${known.fix}\n`));
    return error instanceof UsageError ? 2 : 3;
  }
  // The message may contain anything, and the config that names the key variables may not have been read.
  const { redact, excerpt } = createRedaction(secretsIn(env));
  const { what, where, fix } = bugIn(error);
  stderr.write(`shelfcheck: ${what}: ${excerpt(where, 1000)}\n${fix}\n`);
  if (env.SHELFCHECK_DEBUG && error instanceof Error) stderr.write(`${redact(error.stack ?? "")}\n`);
  return 3;
}

const coreCommands: Readonly<Record<string, RegisteredCommand>> = {
  conformance: {
    summary: "judge a service against the spec, requirement by requirement",
    load: async () => (await import("./commands/conformance.ts")).conformance,
  },
  load: {
    summary: "send load with k6 and judge it by limits",
    load: async () => (await import("./commands/load.ts")).load,
  },
  gate: {
    summary: "run conformance and a short load, with one verdict, for CI",
    load: async () => (await import("./commands/gate.ts")).gate,
  },
  serve: {
    summary: "run the built-in reference service, correct or with variants and faults",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  init: {
    summary: "write a commented config, unless there is one",
    load: async () => (await import("./commands/init.ts")).init,
  },
  explain: {
    summary: "show a requirement: its statement, its checks, and the faults that they catch",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  report: {
    summary: "regenerate the reports of a finished run: report.html, junit.xml, summary.md",
    load: async () => (await import("./commands/report.ts")).report,
  },
  doctor: {
    summary: "check the set-up, show what the service offers and what is missing, and how to fix it",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
};

/** Those of the core first. */
const commands: Readonly<Record<string, RegisteredCommand>> = Object.assign(
  {},
  coreCommands,
  ...capabilities.map((one) => one.commands),
);

export const commandNames: readonly string[] = Object.keys(commands);

/** The command line with all its commands. Only commands that `argv` names get their flags. */
export async function createProgram(
  argv: readonly string[],
  io: Io,
  done: (exitCode: ExitCode) => void,
): Promise<Command> {
  const program = new Command("shelfcheck")
    .description("Load and conformance tests for product catalog lookup services.")
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Like the errors of shelfcheck itself.
      outputError: (text, write) => write(`shelfcheck: ${capitalized(text.replace(/^error: /, ""))}`),
      getOutHelpWidth: () => Math.min(100, io.stdout.columns ?? 100),
      getErrHelpWidth: () => Math.min(100, io.stderr.columns ?? 100),
    });
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program
      .command(name)
      .description(summary)
      .showHelpAfterError(`To list its flags: npx shelfcheck ${name} --help`);
    if (!argv.includes(name)) continue;
    const adds = capabilities.flatMap((one) => Object.entries(one.adds ?? {}));
    const added = adds.filter(([to]) => to === name).map(([, addition]) => addition());
    const [{ flags, run }, ...additions] = await Promise.all([load(), ...added]);
    const own = additions.reduce((all, addition) => addition.flags?.(all) ?? all, flags(command));
    own.action(async () => done(await runCommand(run, own, io, additions)));
    withEpilogue(command);
  }
  program.showHelpAfterError("To list the commands: npx shelfcheck --help");
  return withEpilogue(program);
}

/** Runs a command, or what an addition does instead of it. */
async function runCommand(
  run: CommandDefinition<never>["run"],
  command: Command,
  io: Io,
  additions: readonly Addition[],
): Promise<ExitCode> {
  const flags = command.opts<{ envFile?: string }>();
  const here = flags.envFile === undefined ? io : { ...io, env: await withEnvFile(flags.envFile, io) };
  for (const { instead } of additions) {
    const exitCode = await instead?.(flags, here);
    if (exitCode !== undefined) return exitCode;
  }
  return run(flags as never, here, command.args, additions);
}

/**
 * The environment with the variables of `--env-file`, in the syntax of Node's own flag; a variable of the
 * environment keeps its value, as with Node. Wherever the flag stands, Node ends with 9 before we start if it
 * cannot read the file; it sets the variables only for a flag before the script.
 */
async function withEnvFile(file: string, { env, cwd }: Pick<Io, "env" | "cwd">) {
  return { ...parseEnv(await readFile(resolve(cwd, file), "utf8")), ...env };
}

/** What each exit code means, of every command. */
const exitCodes: Readonly<Record<ExitCode, string>> = {
  0: "nothing failed; also a partial run in which all that was selected was judged",
  1: "something failed: a requirement, a limit on load, the contract, responses, latency or a waiver",
  2: "wrong flag, configuration or environment",
  3: "could not run, such as target unreachable, key refused or no k6; too much lost; or load invalid",
  4: "incomplete: nothing failed, but not all that must be judged was",
  130: "interrupted; a run writes its results up to that point",
};

/** Environment variables by what they are for; only the help of the program has them, since they are many. */
const environment: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Environment variables:": {
    SHELFCHECK_BASE_URL: "base URL of the service, ending in /v1",
    SHELFCHECK_API_KEY:
      "API key, at least 8 characters; keys in the configuration file can name other variables",
    SHELFCHECK_SAME_ORG_API_KEY: "a second key of the same organization",
    SHELFCHECK_OTHER_ORG_API_KEY: "a key of another organization",
    SHELFCHECK_CATEGORIES: "categories to browse, separated by commas",
    SHELFCHECK_ALLOW_LOAD: "public hosts on which load is allowed, separated by commas",
  },
  "For the connection, unless the target's entry in the configuration file says otherwise:": {
    ...Object.fromEntries(Object.values(connectionSettings).map(({ variable, about }) => [variable, about])),
    "HTTP_PROXY, HTTPS_PROXY, NO_PROXY": "the proxy, and hosts that need none",
  },
  "For k6:": {
    K6_BIN: "path of k6 (default: from PATH, else downloaded or built once)",
    K6_DNS: "which address of a name k6 uses, such as policy=preferIPv6",
    SHELFCHECK_K6_OFFLINE: "1: never download or build k6",
    XDG_CACHE_HOME: "k6 is kept below this folder (default: ~/.cache)",
  },
  "For output:": {
    NO_COLOR: "any value: no colours",
    SHELFCHECK_DEBUG: "1: print the stack trace of an internal error",
  },
};

/** Adds the environment variables and exit codes to the help of a command. */
function withEpilogue(command: Command): Command {
  return command.addHelpText("after", ({ command: shown }) => {
    const help = shown.createHelp();
    help.prepareContext({ helpWidth: shown.configureOutput().getOutHelpWidth?.() ?? 80 });
    const section = (heading: string, rows: Readonly<Record<string, string>>): string[] => {
      const width = Math.max(...Object.keys(rows).map(({ length }) => length));
      const items = Object.entries(rows).map(([term, text]) => help.formatItem(term, width, text, help));
      return ["", heading, ...items];
    };
    const variables =
      shown.parent === null
        ? Object.entries(environment).flatMap(([heading, rows]) => section(heading, rows))
        : ["", "Environment variables, such as SHELFCHECK_API_KEY: npx shelfcheck --help"];
    return [...variables, ...section("Exit codes:", exitCodes)].join("\n");
  });
}
