import { expect, test } from "vitest";
import { exampleLoad } from "../../test/support/samples/example.ts";
import { withExpectedLimit } from "./expected-limit.ts";

const limit = {
  perSecond: 50.2,
  low: 49.9,
  high: 50.5,
  burst: 97,
  burstLow: 92,
  burstHigh: 101,
} as const;
const found = exampleLoad({ scenario: "rate-limit", rateLimit: { mode: "probe", limit } });

test.each([
  ["both hold", { perSecond: 50, burst: 100 }, "pass", ["met", "met"]],
  ["the rate is too low", { perSecond: 60, burst: 100 }, "fail", ["excluded", "met"]],
  ["the rate is too high", { perSecond: 40 }, "fail", ["excluded"]],
  ["the burst is too small", { burst: 120 }, "fail", ["excluded"]],
  ["within what clocks may differ by", { perSecond: 50.9 }, "pass", ["met"]],
] as const)("%s", (_title, expectation, verdict, outcomes) => {
  const result = withExpectedLimit(found, expectation);
  expect(result.verdict).toBe(verdict);
  expect(result.rateLimit?.expected?.map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(result.findings.map(({ code }) => code)).toEqual(
    outcomes.filter((outcome) => outcome === "excluded").map(() => "expected-rate-limit"),
  );
});

test("a bucket that may not have been full rules out a smaller burst only", () => {
  const { burstHigh: _, ...partly } = limit;
  const result = exampleLoad({ scenario: "rate-limit", rateLimit: { mode: "probe", limit: partly } });
  const outcome = (burst: number) => withExpectedLimit(result, { burst }).rateLimit?.expected?.[0]?.outcome;
  expect([50, 100, 500].map(outcome)).toEqual(["excluded", "open", "open"]);
});

test("a limit that was not reached is not judged, and a note says so", () => {
  const result = exampleLoad({ scenario: "rate-limit", rateLimit: { mode: "probe", highestRate: 3000 } });
  const judged = withExpectedLimit(result, { perSecond: 50 });
  expect(judged.verdict).toBe("pass");
  expect(judged.notes).toEqual([
    { code: "expected-rate-limit", expected: 50, details: { of: "perSecond", outcome: "open" } },
  ]);
});

test("a service that accepts far more than the expected rate and burst in a second has another limit", () => {
  const result = exampleLoad({ scenario: "rate-limit", rateLimit: { mode: "probe", highestRate: 3000 } });
  const judged = withExpectedLimit(result, { perSecond: 50, burst: 100 });
  expect(judged.verdict).toBe("fail");
  expect(judged.rateLimit?.expected?.map(({ outcome }) => outcome)).toEqual(["excluded", "open"]);
});

test("an invalid run judges nothing, and a run without an expectation is left alone", () => {
  const invalid = exampleLoad({ ...found, verdict: "invalid" });
  expect(withExpectedLimit(invalid, { perSecond: 1 })).toBe(invalid);
  expect(withExpectedLimit(found, undefined)).toBe(found);
});
