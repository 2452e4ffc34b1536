import { describe, expect, test } from "vitest";
import type { Results } from "../../schemas/contracts/results.ts";
import { sampleClientResults } from "../../test/support/samples/client-run.ts";
import { sampleComparison } from "../../test/support/samples/compared.ts";
import { exampleRun } from "../../test/support/samples/example-run.ts";
import { pageText } from "../../test/support/samples/page-text.ts";
import {
  conformantRun,
  incompleteRun,
  loadRun,
  partialRun,
  twinRun,
} from "../../test/support/samples/runs.ts";
import { sampleLoad, sampleResults } from "../../test/support/samples/sample.ts";
import { twelveFailures } from "../../test/support/samples/twelve.ts";
import { compareRuns } from "../earlier/compare-runs.ts";
import type { Document } from "./document.ts";
import { clientDocument } from "./subjects/client/client-document.ts";
import { clientJunit } from "./subjects/client/formats.ts";
import { comparisonDocument } from "./subjects/comparison.ts";
import { formats, renderConsole } from "./subjects/run/formats.ts";
import { reportOf } from "./subjects/run/run-report.ts";
import { plainStyle } from "./terminal.ts";
import { writeConsole } from "./writers/console.ts";
import { writeMarkdown } from "./writers/markdown.ts";
import { writePage } from "./writers/page.ts";

// Every face of every subject, whole, so that a change of what people read shows as a difference. Update with `vitest run -u`.

const widths = [80, 120] as const;
const client = sampleClientResults();
const clientRun = "2026-11-21T08-00-00-000Z-client-abcdef";

const runs: Readonly<Record<string, Results>> = {
  "one-failure": sampleResults({ load: [sampleLoad(20)] }),
  "twelve-failures": twelveFailures(),
  load: loadRun(),
  twin: twinRun(),
  conformant: conformantRun(),
  incomplete: incompleteRun(),
  partial: partialRun(),
};

describe.each(Object.entries(runs))("the run %s", (name, results) => {
  const report = reportOf(results, { run: "2026-11-21T08-00-00-000Z-gate-abcdef" });

  test.each(widths)("on a console of %i columns", async (width) => {
    const options = { resultsFile: "reports/a/results.json", style: plainStyle(width) };
    await expect(renderConsole(report, options)).toMatchFileSnapshot(`faces/${name}.console-${width}.txt`);
  });

  test.each(["markdown", "junit", "html"] as const)("as %s", async (format) => {
    const text = await formats[format].render(report);
    const shown = format === "html" ? pageText(text) : text;
    await expect(shown).toMatchFileSnapshot(`faces/${name}.${format}.txt`);
  });
});

const documents: Readonly<Record<string, Document>> = {
  "comparison-worse": sampleComparison(),
  "comparison-same": alike(),
  client: clientDocument(client, { run: clientRun, resultsFile: "reports/a/results.json" }),
};

describe.each(Object.entries(documents))("the %s", (name, document) => {
  test.each(widths)("on a console of %i columns", async (width) => {
    const text = writeConsole(document, plainStyle(width));
    await expect(text).toMatchFileSnapshot(`faces/${name}.console-${width}.txt`);
  });

  test("as Markdown", async () => {
    await expect(writeMarkdown(document)).toMatchFileSnapshot(`faces/${name}.markdown.txt`);
  });
});

test("the client as a page", async () => {
  const page = await writePage(clientDocument(client, { run: clientRun }));
  await expect(pageText(page)).toMatchFileSnapshot("faces/client.html.txt");
});

test("the client as junit", async () => {
  await expect(clientJunit(client, clientRun)).toMatchFileSnapshot("faces/client.junit.txt");
});

/** Two runs that are alike, without load. */
function alike(): Document {
  const run = (hour: number) => ({ ...exampleRun(hour, { a: "pass", b: "fail" }), path: "" });
  const sides = { before: run(8), after: run(9) };
  return comparisonDocument(compareRuns(sides), sides);
}
