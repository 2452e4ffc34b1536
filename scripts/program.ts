import { Command } from "commander";
import { conformance } from "./commands/conformance.ts";
import { discover } from "./commands/discover.ts";
import { doctor } from "./commands/doctor.ts";
import { gate } from "./commands/gate.ts";
import { load } from "./commands/load.ts";
import { serve } from "./commands/serve.ts";
import type { Verb } from "./commands/verb.ts";
import type { ExitCode } from "./errors.ts";
import type { Io } from "./io.ts";
import { version } from "./version.ts";

/** The command line with all its commands; `done` hears the exit code of the one that ran. */
export function createProgram(io: Io, done: (exitCode: ExitCode) => void): Command {
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

  function add<Flags extends object>(verb: Verb<Flags>): void {
    verb
      .flags(program.command(verb.name).description(verb.summary))
      .showHelpAfterError(`Run \`shelfcheck ${verb.name} --help\` for its flags.`)
      .action(async (flags: Flags) => done(await verb.run(flags, io)));
  }

  add(conformance);
  add(load);
  add(gate);
  add(discover);
  add(serve);
  add(doctor);
  return program.showHelpAfterError("Run `shelfcheck --help` for the commands.");
}
