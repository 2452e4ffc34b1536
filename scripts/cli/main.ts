import { Command, CommanderError } from "commander";
import { createRedaction } from "../../schemas/redaction.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { secretsIn } from "../config/keys.ts";
import { CannotRunError, type ExitCode, UsageError } from "../errors.ts";
import { fileProblem } from "../files.ts";
import type { Io } from "../io.ts";
import { refuseRemovedWords } from "../refuse-removed.ts";
import { plainProse } from "../report/text.ts";
import { version } from "../version.ts";
import type { RegisteredCommand } from "./commands/command.ts";
import { capabilities } from "./doors.ts";
import { withEpilogue } from "./help.ts";

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
  if (error instanceof UsageError || error instanceof CannotRunError) {
    stderr.write(plainProse(`shelfcheck: ${error.what}: ${error.where}\n${error.fix}\n`));
    return error.exitCode;
  }
  const refused = fileProblem(error);
  if (refused !== undefined) {
    stderr.write(`shelfcheck: ${refused.what}: ${refused.where}\n${refused.fix}\n`);
    return 3;
  }
  // The message may contain anything, and the config that names the key variables may not have been read.
  const { redact, excerpt } = createRedaction(secretsIn(env));
  const message = String(error instanceof Error ? error.message : error);
  stderr.write(`shelfcheck: Internal error: ${excerpt(message, 1000)}\n`);
  stderr.write(
    "This is a bug in shelfcheck, not in the target: please report it. SHELFCHECK_DEBUG=1 prints the stack trace.\n",
  );
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
      .showHelpAfterError(`To list its flags: shelfcheck ${name} --help`);
    if (!argv.includes(name)) continue;
    const adds = capabilities.flatMap((one) => Object.entries(one.adds ?? {}));
    const additions = adds.filter(([to]) => to === name).map(([, addition]) => addition());
    (await load())(command, io, done, await Promise.all(additions));
    withEpilogue(command);
  }
  program.showHelpAfterError("To list the commands: shelfcheck --help");
  return withEpilogue(program);
}
