import { Command } from "commander";
import { capitalized } from "../../schemas/words/format.ts";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import { version } from "../version.ts";
import type { CommandEntry } from "./commands/command.ts";
import { allVariables, connectionTopic, type EnvironmentGroup, withEpilogue } from "./help.ts";

interface RegisteredCommand {
  readonly summary: string;
  readonly variables?: readonly EnvironmentGroup[];
  /** What exit codes mean here, where the table for all commands does not say it. */
  readonly exits?: string;
  /** Imported only when the command is used, since the suite and its libraries take a good part of a second to load. */
  readonly load: () => Promise<CommandEntry>;
}

const commands: Readonly<Record<string, RegisteredCommand>> = {
  conformance: {
    summary: "judge a service against the spec, requirement by requirement",
    variables: ["target", "connection"],
    load: async () => (await import("./commands/conformance.ts")).conformance,
  },
  load: {
    summary: "send load with k6 and judge it by limits",
    variables: ["target", "connection", "k6"],
    exits: "3 also when no products are found.",
    load: async () => (await import("./commands/load.ts")).load,
  },
  gate: {
    summary: "run conformance and a short load, with one verdict, for CI",
    variables: ["target", "connection", "k6"],
    exits: "4 also when no load was sent.",
    load: async () => (await import("./commands/gate.ts")).gate,
  },
  twin: {
    summary: "send the same requests to two deployments in turn, and compare responses and latency",
    variables: ["target", "connection"],
    exits: "4 when responses or latency were not judged in time.",
    load: async () => (await import("./commands/twin.ts")).twin,
  },
  serve: {
    summary: "run the built-in reference service, correct or with variants and faults",
    exits: "0 when stopped by Ctrl-C or SIGTERM; 3 when the port cannot be opened.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  client: {
    summary: "watch a client on the built-in reference service, and judge what it sends",
    exits:
      "1 when the client violates a requirement; 3 when it cannot be started, fails or hangs; 4 when it did not do each task.",
    load: async () => (await import("./commands/client.ts")).client,
  },
  init: {
    summary: "write a commented config, unless there is one",
    exits: "0 also when a config is kept.",
    load: async () => (await import("./commands/init.ts")).init,
  },
  explain: {
    summary: "show a requirement: its statement, its checks, and the faults that they catch",
    exits: "0 whatever the run ended with; 2 when there is no such run or id.",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  report: {
    summary: "regenerate the reports of a finished run: report.html, junit.xml, summary.md",
    exits: "0 whatever the run ended with; 2 when there is no such run.",
    load: async () => (await import("./commands/report.ts")).report,
  },
  replay: {
    summary: "run the failed checks of a run again, and show which pass now",
    variables: ["target", "connection"],
    exits: "0 when all of them pass now; 1 when one still fails; 4 when one was not judged again.",
    load: async () => (await import("./commands/replay.ts")).replay,
  },
  compare: {
    summary: "show what changed between two runs",
    exits: "0 when nothing got worse; 1 when something newly fails; 4 when something is no longer judged.",
    load: async () => (await import("./commands/compare.ts")).compare,
  },
  proof: {
    summary: "verify the suite: every fault must be caught, and no variant may fail",
    exits:
      "0 when every trial ended as expected; 1 when a fault was missed, or what failed differs from the snapshot.",
    load: async () => (await import("./commands/proof.ts")).proof,
  },
  doctor: {
    summary: "check the set-up, show what the service offers and what is missing, and how to fix it",
    variables: ["target", "connection", "k6"],
    exits: "0 when nothing prevents a run; 3 when something that a run needs is missing or does not work.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
};

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
  for (const [name, { summary, variables = [], exits, load }] of Object.entries(commands)) {
    const command = program
      .command(name)
      .description(summary)
      .showHelpAfterError(`To list its flags: shelfcheck ${name} --help`);
    if (!argv.includes(name)) continue;
    (await load())(command, io, done);
    withEpilogue(command, variables, exits);
  }
  const topic = program
    .command(connectionTopic, { hidden: true })
    .description("Settings for how a target is reached. docs/networks.md has the whole table.")
    .helpOption(false)
    .action(() => topic.outputHelp());
  withEpilogue(topic, ["connection"]);
  program.showHelpAfterError("To list the commands: shelfcheck --help");
  const isNamed = [...commandNames, connectionTopic].some((name) => argv.includes(name));
  return isNamed ? program : withEpilogue(program, allVariables);
}
