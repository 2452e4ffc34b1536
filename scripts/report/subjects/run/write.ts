import { join } from "node:path";
import type { Results } from "../../../../schemas/contracts/results.ts";
import type { ProblemText } from "../../../errors.ts";
import { fileProblem, writeWhole } from "../../../files.ts";
import { type Format, type FormatName, formatNames, formats } from "./formats.ts";
import { reportOf } from "./run-report.ts";

/** The folder of the reports, and the redaction that keeps keys out of them. */
export interface ReportPlace {
  /** Absolute path of an existing folder. */
  readonly folder: string;
  /** Name of the run in commands. */
  readonly run: string;
  readonly redact: (text: string) => string;
}

/** A report that could not be written. */
export interface FailedReport {
  readonly fileName: string;
  readonly reason: string;
  /** Set if the file system refused it. */
  readonly refused?: ProblemText | undefined;
}

/** Paths of the written reports, and the reports that failed. */
export interface WrittenReports {
  readonly written: readonly string[];
  readonly failed: readonly FailedReport[];
}

/** A report to be written: its file, and its text. */
export interface RenderedFile {
  readonly fileName: string;
  readonly render: () => string | Promise<string>;
}

/** Renders the results into a folder. */
export async function writeReports(
  results: Results,
  place: ReportPlace,
  names: readonly FormatName[] = formatNames,
  table: Readonly<Record<FormatName, Format>> = formats,
): Promise<WrittenReports> {
  const report = reportOf(results, { run: place.run });
  const files = names.map((name): RenderedFile => {
    const { fileName, render } = table[name];
    return { fileName, render: () => render(report) };
  });
  return writeFiles(files, place);
}

/** Writes reports of any subject into a folder. If one report fails, the others are still written. */
export async function writeFiles(
  files: readonly RenderedFile[],
  { folder, redact }: Pick<ReportPlace, "folder" | "redact">,
): Promise<WrittenReports> {
  const written: string[] = [];
  const failed: FailedReport[] = [];
  for (const { fileName, render } of files) {
    const path = join(folder, fileName);
    try {
      await writeWhole(path, redact(await render()));
      written.push(path);
    } catch (error) {
      const refused = fileProblem(error, path);
      const reason = refused?.what ?? (error instanceof Error ? error.message : String(error));
      failed.push({ fileName, reason, refused });
    }
  }
  return { written, failed };
}
