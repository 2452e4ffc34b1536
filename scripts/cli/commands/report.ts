import { join, relative } from "node:path";
import { reportOf } from "../../core/added.ts";
import type { ExitCode } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import { writeReports } from "../../report/writers/write.ts";
import { readAnyRun } from "../../runs/read-run.ts";
import { type CommandDefinition, print } from "./command.ts";
import { type EarlierRunFlags, runNames, withEarlierRuns } from "./flags.ts";

/** Writes the reports of a finished run again. Exits with 0 if that worked, whatever the run exited with. */
export const report: CommandDefinition<EarlierRunFlags> = {
  flags: (command) => withEarlierRuns(command).argument("<run>", runNames),
  run: writeAgain,
};

async function writeAgain(flags: EarlierRunFlags, io: Io, [run = ""]: readonly string[]): Promise<ExitCode> {
  const { name, now, path: folder, results } = await readAnyRun(run, flags, io);
  const place = { folder, redact: (text: string) => text };
  const { written, failed } = await writeReports(reportOf(results, name), place);
  for (const { what, where, fix } of failed) io.stderr.write(`shelfcheck: ${what}: ${where}\n${fix}\n`);
  const shown = (path: string) => (relative(io.cwd, path).startsWith("..") ? path : relative(io.cwd, path));
  const options = { resultsFile: shown(join(folder, "results.json")), style: consoleStyle(io), isPast: true };
  const files =
    written.length === 0 ? "" : `\nWritten:\n${written.map((file) => `  ${shown(file)}\n`).join("")}`;
  const text = () => `\n${writeConsole(reportOf(results, now), options)}${files}`;
  print(io, flags.json, { value: results, text });
  return failed.length === 0 ? 0 : 3;
}
