import type { ClientResults } from "../../../../clients/contract/client-results.ts";
import type { ConsoleStyle } from "../../terminal.ts";
import { writeConsole } from "../../writers/console.ts";
import { writeMarkdown } from "../../writers/markdown.ts";
import type { Suite } from "../run/cases.ts";
import { type FormatName, formatNames, formats } from "../run/formats.ts";
import { junitOf } from "../run/junit.ts";
import { requirementCases, wholeRun } from "../run/suites.ts";
import { type RenderedFile, type ReportPlace, type WrittenReports, writeFiles } from "../run/write.ts";
import { type ClientFacts, clientDocument } from "./client-document.ts";
import { type ClientReport, clientReportOf } from "./client-report.ts";

/** The reports of a client's run. The names of their files are those of other runs. */
const clientFormats: Readonly<
  Record<FormatName, (results: ClientResults, run: string) => string | Promise<string>>
> = {
  html: async (results, run) => {
    // Imported late, since a page takes long to load.
    const { writePage } = await import("../../writers/page.ts");
    return writePage(clientDocument(results, { run }));
  },
  junit: clientJunit,
  markdown: (results, run) => writeMarkdown(clientDocument(results, { run })),
};

/** Renders the results into a folder. */
export function writeClientReports(
  results: ClientResults,
  place: ReportPlace,
  names: readonly FormatName[] = formatNames,
): Promise<WrittenReports> {
  const files = names.map(
    (name): RenderedFile => ({
      fileName: formats[name].fileName,
      render: () => clientFormats[name](results, place.run),
    }),
  );
  return writeFiles(files, place);
}

/** The report as text for a terminal; a blank line separates it from what was printed while the run went on. */
export function renderClientConsole(
  results: ClientResults,
  { style, ...facts }: ClientFacts & { readonly style: ConsoleStyle },
): string {
  return `\n${writeConsole(clientDocument(results, facts), style)}`;
}

export function clientJunit(results: ClientResults, run: string): string {
  return junitOf(clientSuites(clientReportOf(results, run)), results.startedAt);
}

/** The run as a whole, then a suite for each section of the spec. */
function clientSuites(report: ClientReport): Suite[] {
  const { results, sections, further } = report;
  return [
    wholeRun(results, report, further),
    ...sections.map(({ name, requirements }) => ({ name, cases: requirements.flatMap(requirementCases) })),
  ];
}
