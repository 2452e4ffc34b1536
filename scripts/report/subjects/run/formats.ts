import type { ConsoleStyle } from "../../terminal.ts";
import type { PageAssets } from "../../writers/bundle-page.ts";
import { writeConsole } from "../../writers/console.ts";
import { writeMarkdown } from "../../writers/markdown.ts";
import type { ConsoleFacts } from "./judged.ts";
import { renderJunit } from "./junit.ts";
import { runDocument } from "./run-document.ts";
import type { Report } from "./run-report.ts";

/** A report format: a file beside `results.json`. */
export interface Format {
  readonly fileName: string;
  /** Pure. Throws only if shelfcheck has a bug. */
  readonly render: (report: Report) => string | Promise<string>;
}

/** All formats by the name that `--format` takes. Every run writes them. */
export const formats = {
  html: { fileName: "report.html", render: (report) => renderHtml(report) },
  junit: { fileName: "junit.xml", render: renderJunit },
  markdown: { fileName: "summary.md", render: (report) => writeMarkdown(runDocument(report)) },
} as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;

export const formatNames = Object.keys(formats) as FormatName[];

/** @param assets Script and style, if the caller has bundled them already. */
export async function renderHtml(report: Report, assets?: PageAssets): Promise<string> {
  // Imported late, since most commands write no page.
  const { writePage } = await import("../../writers/page.ts");
  return writePage(runDocument(report), assets);
}

/** The report as text for a terminal; a blank line separates it from what was printed while the run went on. */
export function renderConsole(
  report: Report,
  { style, ...facts }: ConsoleFacts & { readonly style: ConsoleStyle },
): string {
  return `\n${writeConsole(runDocument(report, facts), style)}`;
}
