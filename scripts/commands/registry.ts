import { Command } from "commander";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import { version } from "../version.ts";
import type { CommandEntry } from "./command.ts";

// Loaded only when named: Fastify, the suite and the rest take most of a second, too long for --help.
const commands: Readonly<Record<string, { summary: string; load: () => Promise<CommandEntry> }>> = {
  conformance: {
    summary: "judge a service against the spec, requirement by requirement",
    load: async () => (await import("./conformance.ts")).conformance,
  },
  load: {
    summary: "send load with k6 and judge it by thresholds",
    load: async () => (await import("./load.ts")).load,
  },
  gate: {
    summary: "conformance and a smoke load in one verdict, for CI",
    load: async () => (await import("./gate.ts")).gate,
  },
  baseline: {
    summary: "record the current behaviour of a service, so that later runs show what changed",
    load: async () => (await import("./baseline.ts")).baseline,
  },
  discover: {
    summary: "print what a service offers, and what is missing to judge each requirement",
    load: async () => (await import("./discover.ts")).discover,
  },
  serve: {
    summary: "run the built-in reference service, correct or with variants and faults",
    load: async () => (await import("./serve.ts")).serve,
  },
  service: {
    summary: "manage retailers, keys and the catalogue of a reference service with --db",
    load: async () => (await import("./service.ts")).service,
  },
  init: {
    summary: "write a commented config and a CI file, unless they exist",
    load: async () => (await import("./init.ts")).init,
  },
  explain: {
    summary: "show a requirement: its statement, its checks, and the faults that they catch",
    load: async () => (await import("./explain.ts")).explain,
  },
  report: {
    summary: "regenerate the reports of a finished run: report.html, junit.xml, ctrf.json, summary.md",
    load: async () => (await import("./report.ts")).report,
  },
  history: {
    summary: "show recent runs of a target as a trend, on the console or as a page",
    load: async () => (await import("./history.ts")).history,
  },
  replay: {
    summary:
      "repeat the requests of one finding, or of all findings of a run: fixed, still failing, or could not tell",
    load: async () => (await import("./replay.ts")).replay,
  },
  compare: {
    summary: "show what changed between runs; with three runs before and three after, also judge latency",
    load: async () => (await import("./compare.ts")).compare,
  },
  proof: {
    summary: "prove the suite: every fault is caught and no variant fails",
    load: async () => (await import("./proof.ts")).proof,
  },
  doctor: {
    summary: "check Node, k6, target and keys: what is wrong, and how to fix it",
    load: async () => (await import("./doctor.ts")).doctor,
  },
};

/** Names of all commands. */
export const commandNames: readonly string[] = Object.keys(commands);

/** The command line with all its commands; those that `argv` names have their flags too. */
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
      getOutHelpWidth: () => Math.min(100, io.stdout.columns ?? 100),
      getErrHelpWidth: () => Math.min(100, io.stderr.columns ?? 100),
    });
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program
      .command(name)
      .description(summary)
      .showHelpAfterError(`Run \`shelfcheck ${name} --help\` for its flags.`);
    if (argv.includes(name)) (await load())(command, io, done, argv);
  }
  return program.showHelpAfterError("Run `shelfcheck --help` for the commands.");
}
