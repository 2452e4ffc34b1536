import { describe, expect, test } from "vitest";
import { exampleCheck, exampleRequirement, exampleThreshold } from "../../test/support/samples/example.ts";
import { exampleRun } from "../../test/support/samples/example-run.ts";
import { type NamedRun, trendOf } from "../runs/compare/trend.ts";
import { historyReport } from "./history.ts";
import { renderHistory, sparkline } from "./history-console.ts";
import { plainStyle } from "./terminal.ts";

test.each([
  [[], ""],
  [[0, 0], "▁▁"],
  [[0, 5, 10], "▁▅█"],
  [[1, null, 1], "█·█"],
])("sparkline of %j is %s", (values, expected) => {
  expect(sparkline(values)).toBe(expected);
});

const reportOf = (target: string, runs: readonly NamedRun[]) => historyReport(trendOf(target, runs), runs);

describe("at the console", () => {
  const trend = reportOf("sta\u001bging", [
    exampleRun(1, { "errors.unknown-product": "pass", "batch.counters": "fail" }, 10),
    exampleRun(2, { "errors.unknown-product": "fail", "batch.counters": "pass" }, 12),
  ]);

  test("a line for each run with its changes, and sparklines", () => {
    const text = renderHistory(trend, plainStyle());
    expect(text).toContain(
      "2026-11-21 02:00  not conformant  1       ·           1       ·       gate     52        passed",
    );
    expect(text).toContain("  newly failing: errors.unknown-product\n  fixed: batch.counters\n");
    expect(text).toContain("  failed    ██  1\n    1\n");
    expect(text).toContain(
      "Lookup by id, Lookup (smoke)\n  ▇█  12 ms, +20 %\n    10 ms to 12 ms, highest on 11-21 02:00\n",
    );
  });

  test("the limit follows the range, and partial runs are listed separately", () => {
    const limited = exampleRun(3, { a: "pass" }, 700);
    for (const load of limited.results.load) load.thresholds = [exampleThreshold({ value: 700, met: false })];
    const partial = exampleRun(4, { a: "fail" }, undefined, { scope: { requirements: 1, of: 74 } });
    const text = renderHistory(reportOf("staging", [limited, partial]), plainStyle());
    expect(text).toContain("    700 ms; limit 500 ms\n");
    const [whole = "", apart = ""] = text.split(
      "Partial and unfinished runs: not counted in the requirement figures",
    );
    expect(whole).not.toContain("04:00");
    expect(apart).toMatch(/2026-11-21 04:00 .*\n {2}part: 1 of 74 requirements\n/);
    expect(apart).toContain("  failed    ▁·  0\n");
  });

  test("no line is wider than the terminal, and control characters in names are shown", () => {
    const many = reportOf(
      "staging",
      Array.from({ length: 90 }, (_, place) => exampleRun(place % 24, { ["i".repeat(150)]: "fail" }, place)),
    );
    for (const width of [40, 72, 100]) {
      for (const lines of [trend, many].map((one) => renderHistory(one, plainStyle(width)).split("\n"))) {
        expect(lines.filter((line) => line.length > width)).toEqual([]);
        expect(lines.join("")).not.toMatch(/\p{Cc}/u);
      }
    }
  });
});

test("waived requirements do not count as failed", () => {
  const waiver = { id: "a", reason: "known", owner: "team", ticket: "CAT-1", expires: "2026-12-31" };
  const checks = [exampleCheck({ id: "a/one", verdict: "warn", waiver })];
  const requirements = [exampleRequirement({ id: "a", verdict: "warn", checks })];
  const { failed, summary } = reportOf("staging", [
    exampleRun(1, { a: "fail" }),
    exampleRun(2, { a: "warn" }, undefined, { requirements }),
  ]);
  expect(failed.values).toEqual([1, 0]);
  expect(summary).toContain("No requirement failed. Waived: 1.");
});

test("for a target with a new address in each run, the last two are named", () => {
  const runs = [1, 2, 3, 4].map((hour) =>
    exampleRun(hour, { a: "pass" }, undefined, {
      target: { name: "embedded", baseUrl: `http://127.0.0.1:${hour}/v1`, keyFingerprint: "none" },
    }),
  );
  expect(reportOf("embedded", runs).baseUrls).toEqual(["http://127.0.0.1:3/v1", "http://127.0.0.1:4/v1"]);
});
