import { expect, test } from "vitest";
import { stubContext, withBody } from "../../test/support/stub-context.ts";
import section from "./changed-values.check.ts";
import { changedFrom } from "./changed-values.ts";

test("a change that equals the known value, is repeated, blank or has half a character is left out", () => {
  const known = "🛒7";
  const changes = { cut: [known.slice(0, 1)], suffix: [`${known}0`, known], wildcard: [`${known}0`, " "] };
  expect(changedFrom(known, changes)).toEqual([{ change: "suffix", value: "🛒70" }]);
});

test.each<[string, boolean, string]>([
  ["granted while it runs", true, "pass"],
  ["returned for this pair of keys only", false, "fail"],
])("beside a wrong key, a retailer that was %s", async (_when, isGranted, expected) => {
  let hasBegun = false;
  const context = await stubContext(({ endpoint, headers = {} }, correct) => {
    const isBoth = "X-Api-Key" in headers;
    hasBegun ||= isBoth;
    const { retailers } = correct.response.json as { retailers: readonly object[] };
    const entry = { slug: "granted", name: "Granted", domains: [] };
    const isMore = isBoth || (isGranted && hasBegun);
    return isMore && (endpoint === "retailers" || isBoth)
      ? withBody(correct, { retailers: [...retailers, entry] })
      : correct;
  });
  const check = section.checks.find(({ id }) => id === "authentication.equivalent/good-and-bad");
  expect((await check?.run(context))?.kind).toBe(expected);
});
