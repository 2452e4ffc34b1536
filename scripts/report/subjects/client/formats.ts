import { join } from "node:path";
import type { ClientResults } from "../../../../schemas/contracts/client-results.ts";
import { capitalized } from "../../../../schemas/words/format.ts";
import { fileProblem, writeWhole } from "../../../files.ts";
import { writeMarkdown } from "../../writers/markdown.ts";
import type { Suite } from "../run/cases.ts";
import { junitOf } from "../run/junit.ts";
import { requirementCases, runSuite } from "../run/suites.ts";
import type { FailedReport, ReportPlace, WrittenReports } from "../run/write.ts";
import { clientDocument } from "./client-document.ts";
import { type ClientReport, clientReportOf } from "./client-report.ts";

/** The reports of a client's run, by the name of their file. */
const formats = {
  "report.html": async (results, run) => {
    // Imported late, since a page takes long to load.
    const { writePage } = await import("../../writers/page.ts");
    return writePage(clientDocument(results, { run }));
  },
  "summary.md": (results, run) => writeMarkdown(clientDocument(results, { run })),
  "junit.xml": (results, run) => junitOf(clientSuites(clientReportOf(results, run)), results.startedAt),
} as const satisfies Readonly<
  Record<string, (results: ClientResults, run: string) => string | Promise<string>>
>;

/** Renders the results into a folder. If one report fails, the others are still written. */
export async function writeClientReports(
  results: ClientResults,
  { folder, run, redact }: ReportPlace,
): Promise<WrittenReports> {
  const written: string[] = [];
  const failed: FailedReport[] = [];
  for (const [fileName, render] of Object.entries(formats)) {
    const path = join(folder, fileName);
    try {
      await writeWhole(path, redact(await render(results, run)));
      written.push(path);
    } catch (error) {
      const refused = fileProblem(error, path);
      const reason = refused?.what ?? (error instanceof Error ? error.message : String(error));
      failed.push({ fileName, reason, ...(refused === undefined ? {} : { refused }) });
    }
  }
  return { written, failed };
}

/** The run as a whole, then a suite for each section of the spec. */
function clientSuites(report: ClientReport): Suite[] {
  const { results, sections, label, why, further } = report;
  const { startedAt, finishedAt, cause } = results;
  const milliseconds = Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
  const details = () => [`${capitalized(label)}: ${why}`, ...further];
  const isBroken = cause === "client-failed" || cause === "problem" || cause === "nothing-judged";
  return [
    {
      name: runSuite,
      milliseconds,
      cases: [
        {
          group: "run",
          id: "run",
          name: "client finished",
          verdict: label,
          milliseconds,
          outcome: isBroken ? { kind: "error", message: why, details } : { kind: "passed", remark: details },
        },
      ],
    },
    ...sections.map(({ name, requirements }) => ({ name, cases: requirements.flatMap(requirementCases) })),
  ];
}
