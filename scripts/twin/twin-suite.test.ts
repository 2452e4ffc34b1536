import { expect, test } from "vitest";
import { pageText } from "../../test/support/samples/page-text.ts";
import { twinRun } from "../../test/support/samples/runs.ts";
import { reportOf } from "../core/report-of.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { formatNames, formats } from "../report/writers/write.ts";

// A comparison of two deployments as people read it, whole. Update with `vitest run -u`.

const report = reportOf(twinRun(), "2026-11-21T08-00-00-000Z-twin-abcdef");

test("on a console", async () => {
  const text = writeConsole(report, { style: plainStyle(100), resultsFile: "reports/a/results.json" });
  await expect(text).toMatchFileSnapshot("faces/twin.console.txt");
});

test.each(formatNames)("as %s", async (format) => {
  const text = await formats[format].write(report);
  await expect(format === "html" ? pageText(text) : text).toMatchFileSnapshot(`faces/twin.${format}.txt`);
});

test("a run that was not judged names one longer duration", () => {
  const run = twinRun();
  const environment = { host: "", node: "", commandLine: "shelfcheck twin --duration 20s --against old" };
  const twin = run.twin && { ...run.twin, outcome: "inconclusive" as const, longestSeconds: 20 };
  const results = { ...run, environment, twin, cause: "twin-not-judged" as const };
  const { next } = reportOf(results).headline;
  expect(next).toBe("npx shelfcheck twin --against old --duration 60s");
});
