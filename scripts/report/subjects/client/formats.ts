import type { ClientResults } from "../../../../schemas/contracts/client-results.ts";
import type { ConsoleStyle } from "../../terminal.ts";
import { plainProse } from "../../text.ts";
import { writeConsole } from "../../writers/console.ts";
import { writeMarkdown } from "../../writers/markdown.ts";
import type { Suite } from "../run/cases.ts";
import { ctrfOf } from "../run/ctrf.ts";
import { type FormatName, formats, usualFormats } from "../run/formats.ts";
import { junitOf } from "../run/junit.ts";
import { requirementCases, wholeRun } from "../run/suites.ts";
import { type RenderedFile, type ReportPlace, type WrittenReports, writeFiles } from "../run/write.ts";
import { type ClientFacts, clientDocument } from "./client-document.ts";
import { type ClientReport, clientReportOf } from "./client-report.ts";

/** Formats of a service's run only. */
const ofServices = ["har", "findings", "metrics"] as const satisfies readonly FormatName[];
type ClientFormat = Exclude<FormatName, (typeof ofServices)[number]>;

/** The reports of a client's run. The names of their files are those of other runs. */
const clientFormats: Readonly<
  Record<ClientFormat, (results: ClientResults, run: string) => string | Promise<string>>
> = {
  html: async (results, run) => {
    // Imported late, since a page takes long to load.
    const { writePage } = await import("../../writers/page.ts");
    return writePage(clientDocument(results, { run }));
  },
  junit: clientJunit,
  ctrf: (results, run) => {
    const report = clientReportOf(results, run);
    return ctrfOf(results, {
      suites: clientSuites(report),
      appName: "client",
      baseUrl: results.service.baseUrl,
      extra: {
        command: results.command,
        verdict: report.label,
        cause: results.cause,
        why: plainProse(report.why),
        exitCode: results.exitCode,
        requirements: results.summary,
      },
    });
  },
  markdown: (results, run) => writeMarkdown(clientDocument(results, { run })),
};

/** Renders the results into a folder. Formats that a client's run does not have are left out. */
export function writeClientReports(
  results: ClientResults,
  place: ReportPlace,
  names: readonly FormatName[] = usualFormats,
): Promise<WrittenReports> {
  const files = names.flatMap((name): RenderedFile[] =>
    isOfServices(name)
      ? []
      : [{ fileName: formats[name].fileName, render: () => clientFormats[name](results, place.run) }],
  );
  return writeFiles(files, place);
}

function isOfServices(name: FormatName): name is (typeof ofServices)[number] {
  return (ofServices as readonly FormatName[]).includes(name);
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
