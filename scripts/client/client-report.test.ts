import { expect, test } from "vitest";
import { sampleClientResults } from "../../test/support/samples/client-run.ts";
import { pageText } from "../../test/support/samples/page-text.ts";
import { reportOf } from "../core/report-of.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { formatNames, formats } from "../report/writers/write.ts";

// The run of a client as people read it, whole. Update with `vitest run -u`.

const report = reportOf(sampleClientResults(), "2026-11-21T08-00-00-000Z-client-abcdef");

test("on a console", async () => {
  const text = writeConsole(report, { style: plainStyle(100), resultsFile: "reports/a/results.json" });
  await expect(text).toMatchFileSnapshot("faces/client.console.txt");
});

test.each(formatNames)("as %s", async (format) => {
  const text = await formats[format].write(report);
  await expect(format === "html" ? pageText(text) : text).toMatchFileSnapshot(`faces/client.${format}.txt`);
});

test("the table of requests marks those that show a finding", () => {
  const [table] = report.suites.find(({ id }) => id === "requests")?.tables ?? [];
  expect(table?.rows.map(({ tone }) => tone)).toMatchInlineSnapshot(`
    [
      undefined,
      "bad",
      "bad",
      undefined,
      undefined,
    ]
  `);
});
