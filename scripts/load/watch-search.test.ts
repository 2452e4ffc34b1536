import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { hasAnswer } from "./capacity.ts";

/** Whether a search ends after periods of 200 requests each with these figures. */
function ends(
  periods: readonly { readonly p95?: number; readonly failed?: number; readonly refused?: number }[],
) {
  const each = (read: (period: (typeof periods)[number]) => number | undefined, otherwise = 0) =>
    periods.map((period) => read(period) ?? otherwise);
  return hasAnswer(profiles.breakpoint, {
    periodSeconds: 2,
    seconds: periods.map((_, place) => 2 * (place + 1)),
    requestRate: each(() => 100),
    failedRate: each(({ failed }) => failed),
    refusedRate: each(({ refused }) => refused),
    latency: { p50: each(() => 10), p95: each(({ p95 }) => p95, 10), p99: each(() => 10) },
  });
}

const slow = { p95: 5000 };
const refused = Array.from({ length: 6 }, () => ({ refused: 50 }));

test.each<[string, Parameters<typeof ends>[0], boolean]>([
  ["a slow period", [{}, slow, {}, slow], false],
  ["two slow periods in a row", [{}, slow, {}, slow, slow], true],
  ["refusals in five periods in a row", [{ refused: 50 }, {}, ...refused.slice(1)], false],
  ["refusals in six periods in a row", [{}, ...refused], true],
  // 3 of 200 in each period may be chance at a limit of 1 %, 6 may not.
  ["a few failures in two periods in a row", [{}, { failed: 1.5 }, { failed: 1.5 }], false],
  ["more failures in two periods in a row", [{}, { failed: 3 }, { failed: 3 }], true],
])("%s: whether the search ends", (_, periods, isEnd) => {
  expect(ends(periods)).toBe(isEnd);
});
