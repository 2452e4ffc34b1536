import { renderCtrf } from "./ctrf.ts";
import { renderHar } from "./har.ts";
import { renderJunit } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import type { Report } from "./model.ts";

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
  // Imported late, because it loads esbuild.
  html: {
    fileName: "report.html",
    render: async (report) => (await import("./html/page.ts")).renderHtml(report),
  },
  junit: { fileName: "junit.xml", render: renderJunit },
  ctrf: { fileName: "ctrf.json", render: renderCtrf },
  markdown: { fileName: "summary.md", render: renderMarkdown },
  har: { fileName: "exchanges.har", onRequest: true, render: renderHar },
} as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;

type UsualFormat = {
  [Name in FormatName]: (typeof formats)[Name] extends { readonly onRequest: true } ? never : Name;
}[FormatName];

export const formatNames = Object.keys(formats) as FormatName[];

/** The formats that every run writes. */
export const usualFormats = formatNames.filter((name) => !("onRequest" in formats[name])) as UsualFormat[];
