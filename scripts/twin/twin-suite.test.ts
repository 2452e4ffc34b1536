import { expect, test } from "vitest";
import type { Cause } from "../../schemas/contracts/verdicts.ts";
import { judgedResults } from "../../test/support/samples/example.ts";
import { pageText } from "../../test/support/samples/page-text.ts";
import { twinRun } from "../../test/support/samples/runs.ts";
import { reportOf } from "../core/report-of.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { formatNames, formats } from "../report/writers/write.ts";
import type { TwinResult } from "./twin-result.ts";

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
  const found = run.parts?.twin;
  const twin = found && { ...found, outcome: "inconclusive" as const, longestSeconds: 20 };
  const results = { ...run, environment, parts: { twin }, cause: "twin-not-judged" as const };
  const { next } = reportOf(results).headline;
  expect(next).toBe("npx shelfcheck twin --against old --duration 60s");
});

test.each<[string, Partial<TwinResult>, Cause]>([
  ["two deployments that are the same", { outcome: "same", latency: [] }, "none"],
  ["another response", { outcome: "different" }, "responses-differ"],
  ["a slower kind of request", { outcome: "slower" }, "latency-slower"],
  ["latency that was not judged", { outcome: "inconclusive", latency: [] }, "twin-not-judged"],
])("%s decides a run: %s", (_name, change, cause) => {
  const { cause: _cause, ...run } = twinRun();
  const found = run.parts?.twin;
  const twin = found && { ...found, ...change };
  expect(judgedResults({ ...run, parts: { twin } }).cause).toBe(cause);
});
