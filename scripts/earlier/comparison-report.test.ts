import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import {
  exampleCheck,
  exampleEnvironment,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  timed,
} from "../../test/support/samples/example.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { compareRuns } from "./comparison.ts";
import { comparisonReport } from "./comparison-report.ts";

const judged = (id: string, verdict: "pass" | "fail" | "inconclusive", ...findings: Finding[]) =>
  exampleRequirement({ id, verdict, checks: [exampleCheck({ id: `${id}/one`, verdict, findings })] });
const load = (values: readonly [number, number, number, number], limit: number, value: number) => [
  exampleLoad({
    profile: "average",
    // Too few lookups by URL for p99.
    metrics: timed({ "lookup-by-id": values, "lookup-by-url": [60, 18, 30, 31] }),
    thresholds: [exampleThreshold({ limit, value, met: value <= limit })],
    conditions: { scenario: "lookup", k6: "1.8.1" },
  }),
];
const discovered = (fields: Readonly<Record<string, number>>) => ({
  ...exampleResults().discovered,
  fieldsByRetailer: { acme: { products: 200, fields } },
});
const isNull: Finding = { code: "recorded", subject: "`products[9]`: `mpn` is null" };

/** Everything changed: slower, newly failing, fixed, no longer judged, a crossed limit, a missing field. */
const before: Partial<Results<Finding>> = {
  environment: exampleEnvironment({ commit: "4b8d02c771aa", branch: "main" }),
  requirements: [judged("a.null", "pass"), judged("b.unknown", "fail"), judged("c.other", "pass")],
  discovered: discovered({ title: 200, gtin: 196 }),
  load: load([3000, 10, 20, 24], 25, 21.9),
};
const after: Partial<Results<Finding>> = {
  environment: exampleEnvironment({ commit: "9f3c1de5b7a2", branch: "faster-search" }),
  requirements: [
    judged("a.null", "fail", isNull),
    judged("b.unknown", "pass"),
    judged("c.other", "inconclusive", { code: "no-other-org-key" }),
  ],
  discovered: discovered({ title: 200 }),
  load: load([3000, 12, 26, 36], 25, 27.8),
};

// As people read them, whole. Update with `vitest run -u`.
test.each([
  ["worse", before, after],
  ["same", {}, {}],
] as const)("a comparison that is %s", async (name, one, other) => {
  const run = (of: string, hour: number, change: Partial<Results<Finding>>) => {
    const results = exampleResults({ startedAt: `2026-11-21T0${hour}:00:00.000Z`, ...change });
    return { name: of, path: "", results };
  };
  const runs = { before: run("before", 8, one), after: run("after", 9, other) };
  const report = comparisonReport(compareRuns(runs), runs);
  const text = writeConsole(report, { style: plainStyle(100) });
  await expect(text).toMatchFileSnapshot(`faces/comparison-${name}.console.txt`);
});
