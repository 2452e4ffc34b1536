import { expect, test } from "vitest";
import { sampleClientResults } from "../../test/support/samples/client-run.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { writeJunit } from "../report/writers/junit.ts";
import { writeMarkdown } from "../report/writers/markdown.ts";
import { clientReport } from "./client-report.ts";

// The run of a client as people read it, whole. Update with `vitest run -u`.

const report = clientReport(sampleClientResults(), { run: "2026-11-21T08-00-00-000Z-client-abcdef" });

test("on a console", async () => {
  const text = writeConsole(report, { style: plainStyle(100), resultsFile: "reports/a/results.json" });
  await expect(text).toMatchFileSnapshot("faces/client.console.txt");
});

test("as Markdown", async () => {
  await expect(writeMarkdown(report)).toMatchFileSnapshot("faces/client.markdown.txt");
});

test("as JUnit", async () => {
  await expect(writeJunit(report)).toMatchFileSnapshot("faces/client.junit.txt");
});

test("the table of requests marks those that show a finding, and links nothing that passed", () => {
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
