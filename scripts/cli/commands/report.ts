import { join, relative, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { redactValue } from "../../../conformance/client/redaction.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { defaults, resolveSettings } from "../../config/settings.ts";
import { CannotRunError, type ExitCode } from "../../errors.ts";
import { fileProblem, makeFolder } from "../../files.ts";
import type { Io } from "../../io.ts";
import { renderConsole } from "../../report/console.ts";
import { type FormatName, formatNames, usualFormats } from "../../report/formats.ts";
import { reportOf } from "../../report/model.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { writeReports } from "../../report/write.ts";
import { readRun, runArgument } from "../../runs/read-run.ts";
import type { CommandEntry } from "./command.ts";
import { runNames, withOut } from "./flags.ts";

interface ReportFlags {
  readonly format?: readonly FormatName[];
  readonly into?: string;
  readonly out?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `report RUN`: writes the reports of a finished run again. Exits with 0 if that worked, whatever the exit code of the run. */
export const report: CommandEntry = (command, io, done) => {
  withReportFlags(command).action(async (run: string, flags: ReportFlags) =>
    done(await render(run, flags, io)),
  );
};

function withReportFlags(command: Command): Command {
  return withOut(command)
    .argument("<run>", runNames)
    .option(
      "--format <name>",
      `write only this format: ${formatNames.join(", ")}; may be repeated (default: all but har)`,
      formatName,
    )
    .option("--into <dir>", "folder to write to (default: the folder of the run)")
    .option("--config <file>", "configuration file (default: shelfcheck.config.ts)")
    .option("--json", "print the results, and nothing else, on stdout");
}

function formatName(value: string, previous: readonly FormatName[] = []): FormatName[] {
  const name = formatNames.find((known) => known === value);
  if (name === undefined) throw new InvalidArgumentError(didYouMean(value, formatNames));
  return [...previous, name];
}

async function render(run: string, flags: ReportFlags, io: Io): Promise<ExitCode> {
  const { format = usualFormats, into, json = false, ...others } = flags;
  const settings = await resolveSettings({ ...others, target: defaults.target }, io);
  const { path, results: recorded } = await readRun({ out: settings.out, cwd: io.cwd }, run);
  const name = await runArgument(path, settings, io.cwd);
  // The file may come from elsewhere, or from a version that redacted less.
  const results = redactValue(recorded, settings.redaction);
  const folder = into === undefined ? path : await folderFor(resolve(io.cwd, into));
  const { written, failed } = await writeReports(
    results,
    { folder, run: name, redact: (text) => text },
    format,
  );
  for (const { fileName, reason } of failed)
    io.stderr.write(`shelfcheck: ${fileName} could not be written: ${reason}\n`);
  if (json) {
    io.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  } else {
    const resultsFile = shown(join(path, "results.json"), io);
    io.stdout.write(
      renderConsole(reportOf(results, { run: name }), { resultsFile, style: consoleStyle(io), isPast: true }),
    );
    if (written.length > 0)
      io.stdout.write(`\nWritten:\n${written.map((file) => `  ${shown(file, io)}\n`).join("")}`);
  }
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
