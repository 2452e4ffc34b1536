import { describe, expect, test } from "vitest";
import { plainStyle } from "../../report/style.ts";
import { exampleRequirement } from "../../run/example.ts";
import { exampleRun } from "./example.ts";
import { renderHistory } from "./render.ts";
import { sparkline } from "./sparkline.ts";
import { trendOf } from "./trend.ts";

describe("what changed from run to run", () => {
  const changes = (...runs: Parameters<typeof trendOf>[1][number][]) =>
    trendOf("staging", runs).runs.map(({ newlyFailing, fixed }) => [newlyFailing, fixed]);

  test("a requirement that held and fails is newly failing; one that failed and holds is fixed", () => {
    const runs = [exampleRun(1, { a: "pass", b: "fail" }), exampleRun(2, { a: "fail", b: "warn" })];
    expect(changes(...runs)).toEqual([
      [[], []],
      [["a"], ["b"]],
    ]);
  });

  test("what was not judged in between neither fixes nor breaks", () => {
    const runs = [
      exampleRun(1, { a: "fail", b: "pass" }),
      exampleRun(2, { a: "inconclusive" }),
      exampleRun(3, { a: "fail", b: "fail" }),
    ];
    expect(changes(...runs)).toEqual([
      [[], []],
      [[], []],
      [["b"], []],
    ]);
  });

  test("a failure under a waiver still fails", () => {
    const waiver = { id: "a", reason: "known", owner: "team", ticket: "CAT-1", expires: "2026-12-31" };
    const check = { id: "a/one", title: "one", verdict: "warn", reason: "", evidence: [], waiver } as const;
    const requirements = [
      exampleRequirement({ id: "a", verdict: "warn", checks: [{ ...check, evidence: [] }] }),
    ];
    const runs = [exampleRun(1, { a: "fail" }), exampleRun(2, {}, undefined, { requirements })];
    expect(changes(...runs)[1]).toEqual([[], []]);
    expect(trendOf("staging", runs).runs[1]?.failing).toEqual(["a"]);
  });
});

test("latency is one line for each endpoint, with gaps where it was not measured", () => {
  const runs = [exampleRun(1, {}, 10), exampleRun(2, {}), exampleRun(3, {}, 12.5)];
  const old = exampleRun(4, {}, 1);
  for (const load of old.results.load) {
    delete load.percentiles;
    load.metrics = { "http_req_duration{name:lookup-by-id,status:200}": { "p(95)": 7 } };
  }
  expect(trendOf("staging", [...runs, old]).latency).toEqual([
    { scenario: "lookup", profile: "smoke", endpoint: "lookup-by-id", p95: [10, null, 12.5, 7] },
  ]);
});

test.each([
  [[], ""],
  [[0, 0], "▁▁"],
  [[0, 5, 10], "▁▅█"],
  [[1, null, 1], "█·█"],
])("sparkline of %j is %s", (values, expected) => {
  expect(sparkline(values)).toBe(expected);
});

describe("at the console", () => {
  const trend = trendOf("sta\u001bging", [
    exampleRun(1, { "errors.unknown-product": "pass", "batch.counters": "fail" }, 10),
    exampleRun(2, { "errors.unknown-product": "fail", "batch.counters": "pass" }, 12),
  ]);

  test("a line a run, what changed below it, and sparks", () => {
    const text = renderHistory(trend, plainStyle());
    expect(text).toContain(
      "2026-11-21 02:00 UTC violations  1     ·         1     gate         52        pass",
    );
    expect(text).toContain("  newly failing: errors.unknown-product\n  fixed: batch.counters\n");
    expect(text).toContain("  failing   ██  1");
    expect(text).toContain("lookup-by-id (lookup, smoke)\n  ▇█  12 ms, +20 %");
  });

  test("no line is wider than the terminal, and nothing of a name is taken as a command to it", () => {
    const many = trendOf(
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
