import { join } from "node:path";
import { bugFix, fileProblem, type ProblemText } from "../../errors.ts";
import { writeWhole } from "../../files.ts";
import type { Report } from "../model.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";

/** A report format: a file beside `results.json`. */
interface Format {
  readonly fileName: string;
  /** Pure. Throws only if shelfcheck has a bug. */
  readonly write: (report: Report) => string | Promise<string>;
}

/** Every run writes them. */
export const formats = {
  html: { fileName: "report.html", write: writePage },
  junit: { fileName: "junit.xml", write: writeJunit },
  markdown: { fileName: "summary.md", write: writeMarkdown },
} as const satisfies Readonly<Record<string, Format>>;

export type Formats = Readonly<Record<keyof typeof formats, Format>>;

/** Imported late, since most commands write no page. */
async function writePage(report: Report): Promise<string> {
  const { loadPageAssets } = await import("./page.ts");
  const { writeHtml } = await import("./html.ts");
  return writeHtml(report, await loadPageAssets());
}

interface WriteOptions {
  /** Absolute path of an existing folder. */
  readonly folder: string;
  /** Keeps keys out of the files. */
  readonly redact: (text: string) => string;
  readonly table?: Formats | undefined;
}

/** Writes a report into a folder. If one format fails, the others are still written. */
export async function writeReports(report: Report, { folder, redact, table = formats }: WriteOptions) {
  const written: string[] = [];
  const failed: ProblemText[] = [];
  for (const { fileName, write } of Object.values(table)) {
    const path = join(folder, fileName);
    try {
      await writeWhole(path, redact(await write(report)));
      written.push(path);
    } catch (error) {
      failed.push(fileProblem(error, path) ?? { what: String(error), where: path, fix: bugFix });
    }
  }
  return { written, failed };
}
