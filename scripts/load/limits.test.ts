import { describe, expect, test } from "vitest";
import { uniform } from "../../scenarios/lib/traffic.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { chanceOfAtLeast, createJudge, judgeShare } from "./limits.ts";

test("one share among many needs more evidence", () => {
  expect(judgeShare({ count: 3, total: 40 }, 0.01).outcome).toBe("above");
  expect(judgeShare({ count: 3, total: 40 }, 0.01, 8).outcome).toBe("open");
});

test("the probability is the exact binomial one, however many requests there are", () => {
  expect(chanceOfAtLeast(0, 10, 0.01)).toBe(1);
  expect(chanceOfAtLeast(1, 4, 0.01)).toBeCloseTo(1 - 0.99 ** 4, 12);
  expect(chanceOfAtLeast(2, 4, 0.5)).toBeCloseTo(11 / 16, 12);
  expect(chanceOfAtLeast(4, 4, 0.5)).toBeCloseTo(1 / 16, 12);
  expect(chanceOfAtLeast(500_000, 1_000_000, 0.5)).toBeCloseTo(0.5004, 4);
});

describe("a run that ends when its failures are judged", () => {
  const perSecond = 26;

  /** Sends requests of which a share fails, second by second, and returns the outcome at the end of the run. */
  function outcomeOf(trueShare: number, failedShare: number, seed: number) {
    const isJudged = createJudge({ thresholds: { ...profiles.gate.thresholds, failedShare } });
    let count = 0;
    for (let seconds = 1; ; seconds += 1) {
      for (let sent = 0; sent < perSecond; sent += 1)
        if (uniform(seed, seconds * perSecond + sent, 7) < trueShare) count += 1;
      const tally = { count, total: seconds * perSecond };
      if (isJudged({ ...tally, seconds })) return { ...judgeShare(tally, failedShare), seconds };
    }
  }
  const outcomes = (trueShare: number, limit: number) =>
    Array.from({ length: 1000 }, (_, seed) => outcomeOf(trueShare, limit, seed + 1));
  const shareOf = (all: readonly { readonly outcome: string }[], outcome: string) =>
    all.filter((one) => one.outcome === outcome).length / all.length;

  test("tells 2 % from a limit of 1 % and of 3 %", () => {
    const above = outcomes(0.02, 0.01);
    expect(shareOf(above, "above")).toBeGreaterThanOrEqual(0.997);
    expect(shareOf(above, "within")).toBeLessThanOrEqual(0.001);
    expect(shareOf(outcomes(0.02, 0.03), "above")).toBeLessThanOrEqual(0.001);
  });

  test("rarely blames a service at four fifths of its limit, nor often one exactly at it", () => {
    expect(shareOf(outcomes(0.008, 0.01), "above")).toBeLessThanOrEqual(0.01);
    expect(shareOf(outcomes(0.01, 0.01), "above")).toBeLessThanOrEqual(0.05);
  });

  test("ends with 400 requests for 1 % if nothing fails, and within 200 seconds whatever fails", () => {
    expect(outcomeOf(0, 0.01, 1)).toMatchObject({ outcome: "within", seconds: 16 });
    expect(Math.max(...outcomes(0.011, 0.01).map(({ seconds }) => seconds))).toBeLessThan(200);
  });

  test("does not wait for a limit that would take hours to confirm", () => {
    expect(outcomeOf(0, 0.0001, 1)).toMatchObject({ outcome: "open", seconds: 40 });
  });
});
