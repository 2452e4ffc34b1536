import type { ConsoleStyle } from "../../terminal.ts";
import type { PageAssets } from "../../writers/bundle-page.ts";
import { writeConsole } from "../../writers/console.ts";
import { writeMarkdown } from "../../writers/markdown.ts";
import { renderCtrf } from "./ctrf.ts";
import { renderFindings } from "./findings-for-agents.ts";
import { renderHar } from "./har.ts";
import type { ConsoleFacts } from "./judged.ts";
import { renderJunit } from "./junit.ts";
import { renderMetrics } from "./metrics.ts";
import { runDocument } from "./run-document.ts";
import type { Report } from "./run-report.ts";

/** A report format: a file beside `results.json`. */
export interface Format {
  readonly fileName: string;
  /** Written only when `report --format` names it. Default: written by every run */
  readonly onRequest?: true;
  /** Pure. Throws only if shelfcheck has a bug. */
  readonly render: (report: Report) => string | Promise<string>;
}

/** All formats by the name that `--format` takes. */
export const formats = {
  html: { fileName: "report.html", render: (report) => renderHtml(report) },
  junit: { fileName: "junit.xml", render: renderJunit },
  ctrf: { fileName: "ctrf.json", render: renderCtrf },
  markdown: { fileName: "summary.md", render: (report) => writeMarkdown(runDocument(report)) },
  findings: { fileName: "findings.md", render: renderFindings },
  metrics: { fileName: "metrics.txt", onRequest: true, render: renderMetrics },
  har: { fileName: "exchanges.har", onRequest: true, render: renderHar },
} as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;

type UsualFormat = {
  [Name in FormatName]: (typeof formats)[Name] extends { readonly onRequest: true } ? never : Name;
}[FormatName];

export const formatNames = Object.keys(formats) as FormatName[];

/** The formats that every run writes. */
export const usualFormats = formatNames.filter((name) => !("onRequest" in formats[name])) as UsualFormat[];

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
