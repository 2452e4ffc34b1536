import { Command } from "commander";
import { capitalized } from "../../schemas/words/format.ts";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import { version } from "../version.ts";
import type { CommandEntry } from "./commands/command.ts";
import {
  allVariables,
  connectionTopic,
  type EnvironmentGroup,
  type ExitCodes,
  withEpilogue,
} from "./help.ts";

interface RegisteredCommand {
  readonly summary: string;
  readonly variables?: readonly EnvironmentGroup[];
  readonly exitCodes: ExitCodes;
  /** Imported only when the command is used, since the suite and its libraries take a good part of a second to load. */
  readonly load: () => Promise<CommandEntry>;
}

const wrongUsage = { 2: "wrong flag, configuration or environment" };
const couldNotAsk = { 3: "could not run: target unreachable or key refused" };
const couldNotLoad = {
  3: "could not run: target unreachable, key refused, no k6, or the load generator fell short",
};
const interrupted = { 130: "interrupted; results up to that point are written" };

const commands: Readonly<Record<string, RegisteredCommand>> = {
  conformance: {
    summary: "judge a service against the spec, requirement by requirement",
    variables: ["target", "connection"],
    exitCodes: {
      0: "conformant, or a partial run in which all that was selected was judged and nothing failed",
      1: "a requirement failed, or a waiver is stale or expired",
      ...wrongUsage,
      ...couldNotAsk,
      4: "nothing failed, but a MUST was not judged",
      ...interrupted,
    },
    load: async () => (await import("./commands/conformance.ts")).conformance,
  },
  load: {
    summary: "send load with k6 and judge it by limits",
    variables: ["target", "connection", "k6"],
    exitCodes: {
      0: "all limits were met",
      1: "a limit was exceeded, or the target failed under load",
      ...wrongUsage,
      3: "could not run: target unreachable, key refused, no k6, no products found, or the load generator fell short",
      ...interrupted,
    },
    load: async () => (await import("./commands/load.ts")).load,
  },
  gate: {
    summary: "run conformance and a short load, with one verdict, for CI",
    variables: ["target", "connection", "k6"],
    exitCodes: {
      0: "conformant, all limits met, no regression",
      1: "a requirement failed, a limit was exceeded, the contract changed in a breaking way, or a waiver is stale or expired",
      ...wrongUsage,
      ...couldNotLoad,
      4: "nothing failed, but a MUST was not judged or no load was sent",
      ...interrupted,
    },
    load: async () => (await import("./commands/gate.ts")).gate,
  },
  twin: {
    summary: "send the same requests to two deployments in turn, and compare responses, contract and latency",
    variables: ["target", "connection"],
    exitCodes: {
      0: "responses, contract and latency are the same, or latency is better",
      1: "responses differ, the contract changed in a breaking way, or a kind of request is slower",
      ...wrongUsage,
      3: "could not run: one of the deployments is unreachable, or refuses the key",
      4: "responses or latency were not judged in time",
      ...interrupted,
    },
    load: async () => (await import("./commands/twin.ts")).twin,
  },
  serve: {
    summary: "run the built-in reference service, correct or with variants and faults",
    exitCodes: {
      0: "stopped by Ctrl-C or SIGTERM",
      2: "wrong flag, database or catalog",
      3: "the port could not be opened",
    },
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  client: {
    summary: "watch a client on the built-in reference service, and judge what it sends",
    exitCodes: {
      0: "every requirement on clients was met, or a partial run in which all that was selected was judged and nothing failed",
      1: "a requirement failed",
      2: "wrong flag or catalog",
      3: "the client could not be started, failed or hung, or the port could not be opened",
      4: "nothing failed, but a MUST was not judged: the client did not do each task",
      ...interrupted,
    },
    load: async () => (await import("./commands/client.ts")).client,
  },
  init: {
    summary: "write a commented config, unless there is one",
    exitCodes: { 0: "written, or kept where it existed", 2: "wrong flag", 3: "a file could not be written" },
    load: async () => (await import("./commands/init.ts")).init,
  },
  explain: {
    summary: "show a requirement: its statement, its checks, and the faults that they catch",
    exitCodes: { 0: "shown", 2: "wrong flag, or no such run or id" },
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  report: {
    summary: "regenerate the reports of a finished run: report.html, junit.xml, summary.md",
    exitCodes: {
      0: "written, whatever the exit code of the run",
      2: "wrong flag, or no such run",
      3: "a report could not be written",
    },
    load: async () => (await import("./commands/report.ts")).report,
  },
  replay: {
    summary: "run the failed checks of a run again, and show which pass now",
    variables: ["target", "connection"],
    exitCodes: {
      0: "all of them pass now",
      1: "still failing",
      ...wrongUsage,
      ...couldNotAsk,
      4: "a check was not judged again",
    },
    load: async () => (await import("./commands/replay.ts")).replay,
  },
  compare: {
    summary: "show what changed between two runs",
    exitCodes: {
      0: "nothing got worse",
      1: "something newly fails, a limit is newly exceeded, or the contract changed in a breaking way",
      2: "wrong flag, or no such run",
      3: "a file could not be written",
      4: "a MUST is no longer judged, or a load run is no longer measured",
    },
    load: async () => (await import("./commands/compare.ts")).compare,
  },
  proof: {
    summary: "verify the suite: every fault must be caught, and no variant may fail",
    exitCodes: {
      0: "every trial ended as expected",
      1: "a fault was missed, something else failed, or what failed differs from the snapshot",
      ...wrongUsage,
      130: "interrupted",
    },
    load: async () => (await import("./commands/proof.ts")).proof,
  },
  doctor: {
    summary: "check the set-up, show what the service offers and what is missing, and how to fix it",
    variables: ["target", "connection", "k6"],
    exitCodes: {
      0: "ready; notes only limit what can be judged",
      2: "wrong flag, configuration or environment, or keys in the wrong roles",
      3: "something that a run needs is missing or does not work",
    },
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
};

/** Exit codes of the commands that judge a service, for the help of the program itself. */
const exitCodes: ExitCodes = {
  0: "conformant, all limits met, no regression; or a partial run in which all that was selected was judged and nothing failed",
  1: "something failed: a requirement, a limit on load, the contract, latency or a waiver",
  ...wrongUsage,
  ...couldNotLoad,
  4: "incomplete: nothing failed, but a MUST was not judged, and neither a waiver nor `optional` covers it",
  ...interrupted,
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
  for (const [name, { summary, variables = [], exitCodes, load }] of Object.entries(commands)) {
    const command = program
      .command(name)
      .description(summary)
      .showHelpAfterError(`To list its flags: shelfcheck ${name} --help`);
    if (!argv.includes(name)) continue;
    (await load())(command, io, done);
    withEpilogue(command, { variables, exitCodes });
  }
  const topic = program
    .command(connectionTopic, { hidden: true })
    .description("Settings for how a target is reached. docs/networks.md has the whole table.")
    .helpOption(false)
    .action(() => topic.outputHelp());
  withEpilogue(topic, { variables: ["connection"], exitCodes: {} });
  program.showHelpAfterError("To list the commands: shelfcheck --help");
  const isNamed = [...commandNames, connectionTopic].some((name) => argv.includes(name));
  return isNamed ? program : withEpilogue(program, { variables: allVariables, exitCodes });
}
