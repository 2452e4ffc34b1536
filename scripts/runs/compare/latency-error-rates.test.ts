import { describe, expect, test } from "vitest";
import { machines, type Noise, shift, syntheticRuns } from "../../../test/support/samples/synthetic-runs.ts";
import { compareLatency, defaultRule, type LatencyAnswer, type LatencyRule } from "./latency.ts";

const quick: LatencyRule = { ...defaultRule, resamples: 100 };

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

  test.each(["calm", "usual"] as const)("20 % more latency is found on a machine %s", (name) => {
    expect(answers(machines[name], 1.2, 30).slower).toBeGreaterThanOrEqual(27);
  });

  test("20 % less latency is found too", () => {
    expect(answers(machines.calm, 1 / 1.2, 30).faster).toBeGreaterThanOrEqual(27);
  });

  test("the answer is same when the runs are precise enough", () => {
    const still = { ...machines.usual, within: 0.1, samples: 1500, run: shift(0.005) };
    expect(answers(still, 1, 20).same).toBeGreaterThanOrEqual(18);
  });

  test("the answer is inconclusive when they are not", () => {
    expect(answers(machines.noisy, 1, 20).inconclusive).toBeGreaterThanOrEqual(18);
  });
});
