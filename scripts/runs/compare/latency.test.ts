import { describe, expect, test } from "vitest";
import { machines, syntheticRuns } from "../../../test/support/samples/synthetic-runs.ts";
import type { Change } from "./interval.ts";
import { allEndpoints, answerTo, compareLatency, defaultRule } from "./latency.ts";
import type { LoadRun } from "./load-runs.ts";

test("a single slower endpoint makes the answer slower, and is named", () => {
  const { before, after } = syntheticRuns(5, machines.calm, 7);
  const slowed = after.map((run) => ({
    ...run,
    curves: run.curves.map((curve) =>
      curve.endpoint === "lookup-by-gtin"
        ? { ...curve, milliseconds: curve.milliseconds.map((value) => value * 1.6) }
        : curve,
    ),
  }));
  const { comparison } = compareLatency(before, slowed, defaultRule);
  expect(comparison.answer).toBe("slower");
  const change = { endpoint: "lookup-by-gtin", statistic: "p50", change: expect.closeTo(0.6, 1) };
  expect(comparison.findings).toMatchObject([
    { code: "latency-slower", details: { changes: expect.arrayContaining([change]) } },
  ]);
  const byId = comparison.endpoints.filter(({ endpoint }) => endpoint === "lookup-by-id");
  expect(byId.map(({ answer }) => answer)).not.toContain("slower");
});

test("the same runs give exactly the same result", () => {
  const { before, after } = syntheticRuns(3, machines.usual, 3);
  expect(compareLatency(before, after, defaultRule)).toEqual(compareLatency(before, after, defaultRule));
});

test("all rows share the allowed probability of false alarms", () => {
  const { before, after } = syntheticRuns(3, machines.usual, 3);
  const { rows } = compareLatency(before, after, defaultRule);
  expect(rows.reduce((sum, { leftOut }) => sum + leftOut, 0)).toBeCloseTo(defaultRule.falseAlarms, 12);
  const { rows: ofTwo } = compareLatency(before, after, defaultRule, 2);
  expect(ofTwo.reduce((sum, { leftOut }) => sum + leftOut, 0)).toBeCloseTo(defaultRule.falseAlarms / 2, 12);
});

test("statistics with too few samples are not judged, and are listed", () => {
  const { before, after } = syntheticRuns(3, { ...machines.calm, samples: 50 }, 3);
  const { rows, unmeasured } = compareLatency(before, after, defaultRule);
  expect(rows.map(({ endpoint, statistic }) => `${endpoint} ${statistic}`)).toEqual([
    `${allEndpoints} p50`,
    "lookup-by-id p50",
    "lookup-by-url p50",
    "lookup-by-gtin p50",
  ]);
  expect(unmeasured).toContainEqual({
    endpoint: "lookup-by-id",
    statistic: "p95",
    samples: 50,
    needed: 100,
  });
});

test("runs without samples are inconclusive", () => {
  const { before, after } = syntheticRuns(3, machines.calm, 3);
  const empty = after.map((run) => ({ ...run, curves: [] }));
  expect(compareLatency(before, empty, defaultRule).comparison).toMatchObject({
    answer: "inconclusive",
    findings: [{ code: "latency-too-few-samples" }],
  });
});

test("runs that do not alternate get a note", () => {
  const { before, after } = syntheticRuns(3, machines.calm, 3);
  expect(compareLatency(before, after, defaultRule).notes).toEqual([]);
  const later = after.map((run) => ({ ...run, startedAt: "2026-02-01T00:00:00.000Z" }));
  expect(compareLatency(before, later, defaultRule).notes).toEqual([{ code: "runs-in-sequence" }]);
});

/** Latency of each endpoint in one run: that of four in five samples, their number, and that of the slowest fifth. */
type Flat = Readonly<Record<string, readonly [milliseconds: number, samples: number, slowest?: number]>>;

/** Runs of a minute each, whose quantiles do not vary by sampling. */
const flatRuns = (firstMinute: number, ...runs: readonly Flat[]): LoadRun[] =>
  runs.map((endpoints, place) => ({
    run: `run-${firstMinute + place}`,
    startedAt: new Date(Date.UTC(2026, 0, 1, 0, firstMinute + place)).toISOString(),
    scenario: "lookup",
    profile: "average",
    verdict: "pass",
    comparability: undefined,
    curves: Object.entries(endpoints).map(([endpoint, [usual, count, slowest = usual]]) => ({
      endpoint,
      count,
      at: [0, 80, 81, 100],
      milliseconds: [usual, usual, slowest, slowest],
    })),
  }));
const compared = (before: Flat, after: Flat, rule = defaultRule) =>
  compareLatency(flatRuns(0, before, before, before), flatRuns(1, after, after, after), rule);
const rowsOf = ({ comparison }: ReturnType<typeof compared>) =>
  comparison.endpoints.map(({ endpoint, statistic, answer }) => `${endpoint} ${statistic} ${answer}`);

describe("the rows of a comparison", () => {
  test("begin with the whole, the weighted geometric mean; then come endpoints by samples and name", () => {
    const result = compared(
      { b: [40, 100], a: [10, 300], c: [40, 100] },
      { b: [40, 100], a: [20, 300], c: [40, 100] },
    );
    expect(rowsOf(result)).toEqual([
      "all p50 slower",
      "all p95 slower",
      "a p50 slower",
      "a p95 slower",
      "b p50 same",
      "b p95 same",
      "c p50 same",
      "c p95 same",
    ]);
    const [whole] = result.comparison.endpoints;
    expect(whole?.before).toBeCloseTo(10 ** 0.6 * 40 ** 0.4, 9);
    expect(whole?.after).toBeCloseTo(20 ** 0.6 * 40 ** 0.4, 9);
    expect(whole?.change).toBeCloseTo(2 ** 0.6 - 1, 9);
    expect(result.rows[0]).toMatchObject({ isWhole: true, samples: 3000 });
    expect(result.rows[0]?.before.map(({ run }) => run)).toEqual(["run-0", "run-1", "run-2"]);
    expect(result.comparison.runs).toEqual({ before: 3, after: 3 });
    expect(result).toMatchObject({ scenario: "lookup", profile: "average", notes: [] });
  });

  test("of a single endpoint are those of the whole, except p99, and share the false alarms by halves", () => {
    const { rows } = compared({ a: [10, 500] }, { a: [10, 500] });
    expect(rows.map(({ statistic, isWhole, leftOut }) => [statistic, isWhole, leftOut])).toEqual([
      ["p50", true, 0.0125],
      ["p95", true, 0.0125],
      ["p99", false, 0.025],
    ]);
    const { rows: whole } = compared({ a: [10, 100] }, { a: [10, 100] });
    expect(whole.map(({ leftOut }) => leftOut)).toEqual([0.025, 0.025]);
  });

  test.each<[samples: number, measured: string[]]>([
    [9, []],
    [10, ["p50"]],
    [99, ["p50"]],
    [100, ["p50", "p95"]],
    [499, ["p50", "p95"]],
    [500, ["p50", "p95", "p99"]],
  ])("with %d samples in the smallest run are those of %j", (samples, measured) => {
    const some = { a: [10, samples] } as const;
    const many = { a: [10, 1000] } as const;
    for (const [before, after] of [
      [flatRuns(0, many, some), flatRuns(1, many)],
      [flatRuns(0, many), flatRuns(1, many, some)],
    ] as const) {
      const { rows, unmeasured } = compareLatency(before, after, defaultRule);
      expect(rows.map(({ statistic }) => statistic)).toEqual(measured);
      const needed = { p50: 10, p95: 100, p99: 500 };
      expect(unmeasured).toEqual(
        (["p50", "p95", "p99"] as const)
          .filter((statistic) => !measured.includes(statistic))
          .map((statistic) => ({ endpoint: "a", statistic, samples, needed: needed[statistic] })),
      );
    }
  });

  test("of an endpoint that one run lacks are not measured", () => {
    const before = flatRuns(0, { a: [10, 100], b: [10, 100] });
    const { unmeasured } = compareLatency(before, flatRuns(1, { a: [10, 100] }), defaultRule);
    expect(unmeasured).toContainEqual({ endpoint: "b", statistic: "p50", samples: 0, needed: 10 });
  });

  test("for the whole have the sampling error of the weighted mean", () => {
    const { before, after } = syntheticRuns(3, machines.calm, 3);
    const { rows } = compareLatency(before, after, defaultRule);
    const single = rows.filter(({ endpoint, statistic }) => endpoint !== allEndpoints && statistic === "p50");
    const total = single.reduce((sum, { samples }) => sum + samples, 0);
    const errors = single.map((row) => (row.samples / total) * (row.before[0]?.samplingError ?? 0));
    expect(rows[0]?.before[0]?.samplingError).toBeCloseTo(Math.hypot(...errors), 12);
    expect(rows[0]?.before[0]?.samplingError).toBeGreaterThan(0.001);
  });
});

describe("the answer", () => {
  const answerOf = (before: Flat, after: Flat) => {
    const { answer, findings } = compared(before, after).comparison;
    return { answer, finding: findings[0] };
  };

  test("is slower where a single endpoint is, even if all together are faster", () => {
    const { answer, finding } = answerOf({ a: [10, 900], b: [10, 100] }, { a: [5, 900], b: [20, 100] });
    expect(answer).toBe("slower");
    const change = (statistic: string) => ({ endpoint: "b", statistic, change: expect.closeTo(1, 9) });
    expect(finding).toEqual({
      code: "latency-slower",
      details: { changes: [change("p50"), change("p95")], more: 0 },
    });
  });

  test("names four changes and counts the others", () => {
    const { answer, finding } = answerOf(
      { a: [10, 100], b: [10, 100], c: [10, 100] },
      { a: [5, 100], b: [5, 100], c: [5, 100] },
    );
    expect(answer).toBe("faster");
    expect(finding).toMatchObject({ code: "latency-faster", details: { more: 4 } });
    expect(finding).toMatchObject({
      details: { changes: ["all", "all", "a", "a"].map((endpoint) => ({ endpoint })) },
    });
  });

  test("is not faster where only a single endpoint is", () => {
    expect(answerOf({ a: [10, 900], b: [10, 100] }, { a: [10, 900], b: [6, 100] })).toEqual({
      answer: "same",
      finding: { code: "latency-same", expected: 0.1, details: { endpoint: "all" } },
    });
  });

  test("is inconclusive, with the interval, where a statistic of the whole is", () => {
    const before = flatRuns(0, { a: [10, 100] }, { a: [10.5, 100] }, { a: [11, 100] });
    const after = flatRuns(1, { a: [10.5, 100] }, { a: [11, 100] }, { a: [11.5, 100] });
    const { answer, findings, endpoints } = compareLatency(before, after, defaultRule).comparison;
    expect(answer).toBe("inconclusive");
    const [row] = endpoints;
    const { low, high } = row ?? { low: 0, high: 0 };
    expect(low).toBeLessThan(0);
    // Twelve runs narrow the interval to half of the smallest change that counts.
    expect(findings).toEqual([
      {
        code: "latency-undecided",
        details: { endpoint: "a", statistic: "p50", low, high, runsNeeded: 12 },
      },
    ]);
  });

  test("depends on p95 as well as p50, unless one of them is faster", () => {
    const runs = (minute: number, usual: number) =>
      flatRuns(minute, { a: [usual, 100, 40] }, { a: [usual, 100, 80] }, { a: [usual, 100, 160] });
    const same = compareLatency(runs(0, 10), runs(1, 10), defaultRule).comparison;
    expect(same.endpoints.map(({ answer }) => answer)).toEqual(["same", "inconclusive"]);
    expect(same).toMatchObject({ answer: "inconclusive", findings: [{ details: { statistic: "p95" } }] });
    const faster = compareLatency(runs(0, 10), runs(1, 5), defaultRule).comparison;
    expect(faster.endpoints.map(({ answer }) => answer)).toEqual(["faster", "inconclusive"]);
    expect(faster).toMatchObject({ answer: "faster", findings: [{ code: "latency-faster" }] });
  });

  test("gives no number of runs where more than thirty would be needed", () => {
    const before = flatRuns(0, { a: [10, 10] }, { a: [30, 10] });
    const after = flatRuns(1, { a: [10, 10] }, { a: [30, 10] });
    const { findings } = compareLatency(before, after, defaultRule).comparison;
    expect(findings[0]?.details).not.toHaveProperty("runsNeeded", expect.anything());
  });
});

describe("runs in sequence get a note", () => {
  const noted = (before: number, after: number, runs: readonly [before: number, after: number] = [2, 2]) => {
    const [first, second] = runs.map((length) => Array.from({ length }, (): Flat => ({ a: [10, 10] })));
    const { notes } = compareLatency(
      flatRuns(before, ...(first ?? [])),
      flatRuns(after, ...(second ?? [])),
      defaultRule,
    );
    return notes.map(({ code }) => code);
  };

  test.each<[before: number, after: number, isNoted: boolean]>([
    [0, 2, true],
    [2, 0, true],
    // They alternate, or one began when another did.
    [0, 1, false],
    [1, 0, false],
  ])("those before from minute %d, those after from minute %d: %s", (before, after, isNoted) => {
    expect(noted(before, after)).toEqual(isNoted ? ["runs-in-sequence"] : []);
  });

  test("except where there is only one before or after", () => {
    expect(noted(0, 5, [1, 2])).toEqual([]);
    expect(noted(0, 5, [2, 1])).toEqual([]);
  });
});

const spread = {
  betweenRuns: 0,
  degreesOfFreedom: 4,
  studentQuantile: 0,
  withinRuns: 0,
  normalQuantile: 0,
  halfWidth: 0,
};
const change = (before: number, share: number, low: number, high: number): Change => ({
  before,
  after: before * (1 + share),
  change: share,
  low,
  high,
  spread,
});

test.each([
  ["a clear slowdown", change(100, 0.2, 0.1, 0.3), "slower"],
  ["a slowdown that may be nothing", change(100, 0.2, -0.01, 0.45), "inconclusive"],
  ["a certain but small slowdown", change(100, 0.05, 0.03, 0.08), "same"],
  ["a certain slowdown that may be small or not", change(100, 0.09, 0.05, 0.13), "inconclusive"],
  ["no change, surely", change(100, 0.01, -0.04, 0.06), "same"],
  ["no change, perhaps", change(100, 0.01, -0.2, 0.25), "inconclusive"],
  ["a clear gain", change(100, -0.2, -0.3, -0.1), "faster"],
  ["a gain that may be nothing", change(100, -0.2, -0.4, 0.01), "inconclusive"],
  ["a large share of very little: timers do that", change(1, 0.3, 0.2, 0.4), "same"],
  ["a share of very little that may come to much", change(1, 0.3, 0.1, 0.7), "inconclusive"],
  ["exactly the smallest share", change(100, 0.1, 0.01, 0.2), "slower"],
  ["exactly the smallest difference", change(1, 0.5, 0.4, 0.6), "slower"],
  ["an interval that ends at no change, from above", change(100, 0.2, 0, 0.4), "inconclusive"],
  ["an interval that ends at no change, from below", change(100, -0.2, -0.4, 0), "inconclusive"],
] as const)("%s", (_title, given, answer) => {
  expect(answerTo(given, defaultRule)).toBe(answer);
});

test("bounds of faster and slower are each other's inverse", () => {
  expect(answerTo(change(100, 0.1001, 0.01, 0.2), defaultRule)).toBe("slower");
  expect(answerTo(change(100, 1 / 1.1001 - 1, 1 / 1.2 - 1, -0.01), defaultRule)).toBe("faster");
});
