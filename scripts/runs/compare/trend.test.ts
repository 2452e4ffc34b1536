import { describe, expect, test } from "vitest";
import { eventfulResults } from "../../../test/support/samples/eventful.ts";
import { exampleCheck, exampleRequirement } from "../../../test/support/samples/example.ts";
import { exampleRun } from "../../../test/support/samples/example-run.ts";
import { trendOf } from "./trend.ts";

describe("changes between runs", () => {
  const changes = (...runs: Parameters<typeof trendOf>[1][number][]) =>
    trendOf("staging", runs).runs.map(({ newlyFailing, fixed }) => [newlyFailing, fixed]);

  test("a failure after a pass is newly failing; a pass after a failure is fixed", () => {
    const runs = [exampleRun(1, { a: "pass", b: "fail" }), exampleRun(2, { a: "fail", b: "warn" })];
    expect(changes(...runs)).toEqual([
      [[], []],
      [["a"], ["b"]],
    ]);
  });

  test("runs in between that did not judge a requirement do not count", () => {
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

  test("a waived failure still fails", () => {
    const waiver = { id: "a", reason: "known", owner: "team", ticket: "CAT-1", expires: "2026-12-31" };
    const checks = [exampleCheck({ id: "a/one", verdict: "warn", waiver })];
    const requirements = [exampleRequirement({ id: "a", verdict: "warn", checks })];
    const runs = [exampleRun(1, { a: "fail" }), exampleRun(2, {}, undefined, { requirements })];
    expect(changes(...runs)[1]).toEqual([[], []]);
    const [first, second] = trendOf("staging", runs).runs;
    expect([first?.failing, first?.waived]).toEqual([["a"], []]);
    expect([second?.failing, second?.waived]).toEqual([["a"], ["a"]]);
    expect(changes(exampleRun(1, { a: "pass" }), ...runs.slice(1))[1], "newly waived").toEqual([[], []]);
  });
});

test("requests are those of conformance, of load, and to both deployments that were compared", () => {
  const { twin } = eventfulResults();
  if (twin === undefined) throw new Error("no twin");
  const { old, new: ofNew } = twin.requests;
  const [alone, compared] = trendOf("staging", [
    exampleRun(1, {}, 10),
    exampleRun(2, {}, 10, { twin }),
  ]).runs.map(({ requests }) => requests);
  expect(old * ofNew).toBeGreaterThan(0);
  expect(compared).toBe((alone ?? 0) + old + ofNew);
});

test("each endpoint has one latency series, with null where it was not measured", () => {
  const runs = [exampleRun(1, {}, 10), exampleRun(2, {}), exampleRun(3, {}, 12.5)];
  expect(trendOf("staging", runs).latency).toEqual([
    {
      scenario: "lookup",
      profile: "smoke",
      endpoint: "lookup-by-id",
      p95: [10, null, 12.5],
      limit: [null, null, null],
    },
  ]);
});

test("a p95 of fewer than 20 responses is omitted", () => {
  const few = exampleRun(1, {}, 10);
  for (const { percentiles = [] } of few.results.load) for (const curve of percentiles) curve.count = 19;
  expect(trendOf("staging", [few, exampleRun(2, {}, 11)]).latency[0]?.p95).toEqual([null, 11]);
});
