import { randomNormal } from "d3-random";
import { describe, expect, test } from "vitest";
import type { Change } from "./interval.ts";
import {
  allEndpoints,
  answerTo,
  compareLatency,
  defaultRule,
  type LatencyAnswer,
  type LatencyRule,
} from "./latency.ts";
import { type Noise, syntheticRuns } from "./synthetic-runs.ts";

const quick: LatencyRule = { ...defaultRule, resamples: 100 };
const normal = (random: () => number) => randomNormal.source(random)(0, 1)();
const shift =
  (spread: number): Noise["run"] =>
  (_, random) =>
    Math.exp(spread * normal(random));

const machines: Record<string, Noise> = {
  calm: { within: 0.2, samples: 400, run: () => 1 },
  usual: { within: 0.3, samples: 150, run: shift(0.02) },
  noisy: { within: 0.3, samples: 150, run: shift(0.15) },
  "with heavy tails, in the runs and between them": {
    within: 0.8,
    samples: 150,
    // Student's t distribution with two degrees of freedom, which has outliers.
    run: (_, random) =>
      Math.exp(
        (0.04 * normal(random)) / Math.hypot(normal(random) / Math.SQRT2, normal(random) / Math.SQRT2),
      ),
  },
  "of two speeds": { within: 0.2, samples: 150, run: (_, random) => (random() < 0.5 ? 1 : 1.4) },
  "that drifts": { within: 0.2, samples: 150, run: (place) => 1 + 0.03 * place },
  "with a run far off": { within: 0.2, samples: 150, run: (_, random) => (random() < 0.15 ? 2 : 1) },
};

function answers(noise: Noise, factor: number, pairs: number): Record<LatencyAnswer, number> {
  const counts: Record<LatencyAnswer, number> = {
    slower: 0,
    same: 0,
    faster: 0,
    inconclusive: 0,
    refused: 0,
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    const { before, after } = syntheticRuns(3, noise, pair + 1, factor);
    counts[compareLatency(before, after, quick).comparison.answer] += 1;
  }
  return counts;
}

describe("error rates on simulated machines, three alternating runs before and after", () => {
  // 2.5 % are expected: 2 of 80 pairs. 6 or more have a probability of 0.02.
  test.each(Object.entries(machines))(
    "runs without a difference on a machine %s are hardly ever slower",
    (_name, noise) => {
      const { slower, faster } = answers(noise, 1, 80);
      expect(slower).toBeLessThan(6);
      expect(faster).toBeLessThan(6);
    },
  );

  test.each(["calm", "usual"])("20 % more latency is found on a machine %s", (name) => {
    expect(answers(machines[name] as Noise, 1.2, 30).slower).toBeGreaterThanOrEqual(27);
  });

  test("20 % less latency is found too", () => {
    expect(answers(machines.calm as Noise, 1 / 1.2, 30).faster).toBeGreaterThanOrEqual(27);
  });

  test("the answer is same when the runs are precise enough", () => {
    const still: Noise = { within: 0.1, samples: 1500, run: shift(0.005) };
    expect(answers(still, 1, 20).same).toBeGreaterThanOrEqual(18);
  });

  test("the answer is inconclusive when they are not", () => {
    expect(answers(machines.noisy as Noise, 1, 20).inconclusive).toBeGreaterThanOrEqual(18);
  });
});

test("a single slower endpoint makes the answer slower, and is named", () => {
  const { before, after } = syntheticRuns(5, machines.calm as Noise, 7);
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
  const { before, after } = syntheticRuns(3, machines.usual as Noise, 3);
  expect(compareLatency(before, after, defaultRule)).toEqual(compareLatency(before, after, defaultRule));
});

test("all rows share the allowed probability of false alarms", () => {
  const { before, after } = syntheticRuns(3, machines.usual as Noise, 3);
  const { rows } = compareLatency(before, after, defaultRule);
  expect(rows.reduce((sum, { leftOut }) => sum + leftOut, 0)).toBeCloseTo(defaultRule.falseAlarms, 12);
  const { rows: ofTwo } = compareLatency(before, after, defaultRule, 2);
  expect(ofTwo.reduce((sum, { leftOut }) => sum + leftOut, 0)).toBeCloseTo(defaultRule.falseAlarms / 2, 12);
});

test("statistics with too few samples are not judged, and are listed", () => {
  const { before, after } = syntheticRuns(3, { ...machines.calm, samples: 50 } as Noise, 3);
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
  const { before, after } = syntheticRuns(3, machines.calm as Noise, 3);
  const empty = after.map((run) => ({ ...run, curves: [] }));
  expect(compareLatency(before, empty, defaultRule).comparison).toMatchObject({
    answer: "inconclusive",
    findings: [{ code: "latency-too-few-samples" }],
  });
});

test("runs that do not alternate get a note", () => {
  const { before, after } = syntheticRuns(3, machines.calm as Noise, 3);
  expect(compareLatency(before, after, defaultRule).notes).toEqual([]);
  const later = after.map((run) => ({ ...run, startedAt: "2026-02-01T00:00:00.000Z" }));
  expect(compareLatency(before, later, defaultRule).notes).toEqual([{ code: "runs-in-sequence" }]);
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
] as const)("%s", (_title, given, answer) => {
  expect(answerTo(given, defaultRule)).toBe(answer);
});

test("bounds of faster and slower are each other's inverse", () => {
  expect(answerTo(change(100, 0.1001, 0.01, 0.2), defaultRule)).toBe("slower");
  expect(answerTo(change(100, 1 / 1.1001 - 1, 1 / 1.2 - 1, -0.01), defaultRule)).toBe("faster");
});
