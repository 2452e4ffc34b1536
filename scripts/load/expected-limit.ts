import type { Target } from "../../conformance/client/target.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, RateLimitResult } from "../../schemas/contracts/load-result.ts";

type LimitExpectation = NonNullable<Target["expectedLimit"]>;
type Expected = NonNullable<RateLimitResult["expected"]>[number];

/** Clocks of machines and timers of limiters differ: an interval is wider by this share at each end. */
const allowance = 0.01;

/** By what a probe measured. A value of the config that the interval rules out fails the run. */
export function withExpectedLimit(result: LoadResult, expectation: Target["expectedLimit"]): LoadResult {
  const { rateLimit, verdict } = result;
  if (expectation === undefined || rateLimit?.mode !== "probe" || verdict === "invalid") return result;
  const expected = (["perSecond", "burst"] as const).flatMap((of): Expected[] => {
    const value = expectation[of];
    return value === undefined ? [] : [judged(of, expectation, rateLimit)];
  });
  const [excluded = [], others = []] = [true, false].map((isExcluded) =>
    expected.filter(({ outcome }) => (outcome === "excluded") === isExcluded).map(findingOf),
  );
  return {
    ...result,
    rateLimit: { ...rateLimit, expected },
    verdict: excluded.length > 0 ? "fail" : verdict,
    findings: [...result.findings, ...excluded],
    notes: [...result.notes, ...others],
  };
}

function judged(of: Expected["of"], expectation: LimitExpectation, result: RateLimitResult): Expected {
  const { limit } = result;
  const expected = expectation[of] ?? 0;
  const [low, high] =
    of === "burst" ? [limit?.burstLow, limit?.burstHigh] : [limit?.low ?? accepted(), limit?.high];
  const isExcluded =
    (low !== undefined && expected < low * (1 - allowance)) ||
    (high !== undefined && expected > high * (1 + allowance));
  const isHeld = low !== undefined && high !== undefined;
  return { of, expected, low, high, outcome: isExcluded ? "excluded" : isHeld ? "met" : "open" };

  /** Without a refusal in a second of the highest rate, the limit is at least what exceeded a whole burst. */
  function accepted(): number | undefined {
    const { highestRate, refusedShare = 0 } = result;
    if (highestRate === undefined || expectation.burst === undefined || refusedShare > 0) return undefined;
    return Math.max(0, highestRate - expectation.burst);
  }
}

function findingOf({ expected, ...details }: Expected): Finding {
  return { code: "expected-rate-limit", expected, details };
}
