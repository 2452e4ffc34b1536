import { expect, test } from "vitest";
import type { LoadResult, RateLimitResult } from "../../schemas/contracts/load-result.ts";
import { exampleLoad } from "../../test/support/samples/example.ts";
import { withExpectedLimit } from "./rules.ts";

const limit = { perSecond: 50.2, low: 49.9, high: 50.5, burst: 97, burstLow: 92, burstHigh: 101 };
/** The bucket may not have been full: only a smaller burst is ruled out. */
const partly = { ...limit, burstHigh: undefined };
/** As wide as an interval may be. */
const wide = { ...limit, low: 100, high: 200 };
const found = { limit };
const unlimited = { highestRate: 3000 };

test.each<[string, Partial<RateLimitResult>, { perSecond?: number; burst?: number }, ...string[]]>([
  ["both hold", found, { perSecond: 50, burst: 100 }, "met", "met"],
  ["the rate is too low", found, { perSecond: 60, burst: 100 }, "excluded", "met"],
  ["the rate is too high", found, { perSecond: 40 }, "excluded"],
  ["the burst is too small", found, { burst: 120 }, "excluded"],
  ["lower by what clocks may differ by", { limit: wide }, { perSecond: 99 }, "met"],
  ["higher by what clocks may differ by", { limit: wide }, { perSecond: 202 }, "met"],
  ["a bucket that may not have been full, a smaller burst", { limit: partly }, { burst: 50 }, "excluded"],
  ["a bucket that may not have been full, a larger burst", { limit: partly }, { burst: 500 }, "open"],
  ["a wide interval", { limit: { ...limit, burstLow: 33.2, burstHigh: 527 } }, { burst: 50 }, "open"],
  ["a limit that was not reached", unlimited, { perSecond: 50 }, "open"],
  ["far more accepted than rate and burst", unlimited, { perSecond: 50, burst: 100 }, "excluded", "open"],
  ["no more accepted than both", { highestRate: 140 }, { perSecond: 45, burst: 100 }, "open", "open"],
  ["some refused", { ...unlimited, refusedShare: 0.1 }, { perSecond: 50, burst: 100 }, "open", "open"],
])("%s", (_title, measured, expectation, ...outcomes) => {
  const result = exampleLoad({ scenario: "rate-limit", rateLimit: { mode: "probe", ...measured } });
  const judged = withExpectedLimit(result, expectation);
  expect(judged.rateLimit?.expected?.map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(judged.verdict).toBe(outcomes.includes("excluded") ? "fail" : "pass");
  const codes = (isExcluded: boolean) =>
    outcomes.filter((one) => (one === "excluded") === isExcluded).map(() => "expected-rate-limit");
  expect(judged.findings.map(({ code }) => code)).toEqual(codes(true));
  expect(judged.notes.map(({ code }) => code)).toEqual(codes(false));
});

test("the interval is what was measured, or what one second of the highest rate had more than a burst", () => {
  const lowOf = (measured: Partial<RateLimitResult>, expectation: { perSecond?: number; burst?: number }) => {
    const result = exampleLoad({ rateLimit: { mode: "probe", ...measured } });
    return withExpectedLimit(result, expectation).rateLimit?.expected?.[0]?.low;
  };
  expect(lowOf(found, { perSecond: 50, burst: 100 })).toBe(49.9);
  expect(lowOf(unlimited, { perSecond: 50, burst: 100 })).toBe(2900);
  expect(lowOf(unlimited, { perSecond: 50 })).toBeUndefined();
  expect(lowOf(unlimited, { perSecond: 50, burst: 3000 })).toBeUndefined();
  expect(lowOf({}, { perSecond: 50, burst: 100 })).toBeUndefined();
});

test.each<[string, Partial<LoadResult>, expectation?: { perSecond: number }]>([
  ["an invalid run", { verdict: "invalid", rateLimit: { mode: "probe", limit } }, { perSecond: 1 }],
  ["a polite run", { rateLimit: { mode: "polite", limit } }, { perSecond: 1 }],
  ["a run of other requests", {}, { perSecond: 1 }],
  ["a run without an expectation", { rateLimit: { mode: "probe", limit } }],
])("%s is not judged by a limit", (_title, change, expectation) => {
  const result = exampleLoad(change);
  expect(withExpectedLimit(result, expectation)).toBe(result);
});
