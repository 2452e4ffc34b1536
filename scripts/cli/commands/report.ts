import { join, relative, resolve } from "node:path";
import { reportOf } from "../../core/report-of.ts";
import { CannotRunError, type ExitCode } from "../../errors.ts";
import { fileProblem, makeFolder } from "../../files.ts";
import type { Io } from "../../io.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import { type FormatName, formatNames, writeReports } from "../../report/writers/write.ts";
import { defineCommand, print } from "./command.ts";
import { type EarlierRunFlags, readAnyToShow, runNames } from "./earlier-runs.ts";
import { nameFrom, withConfig, withJson, withOut } from "./flags.ts";

interface ReportFlags extends EarlierRunFlags {
  readonly format?: readonly FormatName[];
  readonly into?: string;
}

/** `report RUN`: writes the reports of a finished run again. Exits with 0 if that worked, whatever the exit code of the run. */
export const report = defineCommand<ReportFlags>({
  flags: (command) =>
    withJson(withConfig(withOut(command)), "print the results, and nothing else, on stdout")
      .argument("<run>", runNames)
      .option(
        "--format <name>",
        `write only this format: ${formatNames.join(", ")}; may be repeated (default: all)`,
        nameFrom(formatNames),
      )
      .option("--into <dir>", "folder to write to (default: the folder of the run)"),
  run: render,
});

async function render(flags: ReportFlags, io: Io, [run = ""]: readonly string[]): Promise<ExitCode> {
  const { format = formatNames, into, json = false } = flags;
  const { name, now, path, results } = await readAnyToShow(run, flags, io);
  const folder = into === undefined ? path : await folderFor(resolve(io.cwd, into));
  const place = { folder, redact: (text: string) => text, names: format };
  const { written, failed } = await writeReports(reportOf(results, name), place);
  for (const { fileName, reason } of failed)
    io.stderr.write(`shelfcheck: ${fileName} could not be written: ${reason}\n`);
  const resultsFile = shown(join(path, "results.json"), io);
  const console = { resultsFile, style: consoleStyle(io), isPast: true };
  const text = () => `\n${writeConsole(reportOf(results, now), console)}`;
  print(io, { json, value: results, text });
  if (!json && written.length > 0)
    io.stdout.write(`\nWritten:\n${written.map((file) => `  ${shown(file, io)}\n`).join("")}`);
  return failed.length === 0 ? 0 : 3;
}

async function folderFor(folder: string): Promise<string> {
  try {
    await makeFolder(folder);
    return folder;
  } catch (error) {
    const why = fileProblem(error)?.what ?? (error instanceof Error ? error.message : String(error));
    throw new CannotRunError(
      { what: "The folder cannot be created", where: folder, fix: `${why}. Name another with --into.` },
      { cause: error },
    );
  }
}

function shown(path: string, { cwd }: Pick<Io, "cwd">): string {
  const short = relative(cwd, path);
  return short.startsWith("..") ? path : short;
}
