import { expect, test } from "vitest";
import type { TrialKind } from "./combination.ts";
import { tryVariation } from "./trial.ts";

// A sample of `npm run proof`, which tries every fault and variant on several seeds.
const sample: readonly (readonly [TrialKind, string])[] = [
  ["fault", "null-field-on-second-page"],
  ["fault", "gtin-other-retailer"],
  ["fault", "cursor-repeats-item"],
  ["fault", "batch-error-lacks-product-id"],
  ["fault", "invalid-key-403"],
  ["fault", "retry-after-missing"],
  ["fault", "price-string"],
  ["fault", "second-key-sees-less"],
  ["variant", "batch-found-wrapped"],
  ["variant", "first-page-empty"],
  ["variant", "cursors-of-odd-characters"],
  ["honest", "honest"],
];

test.concurrent.each(sample)("%s %s", async (kind, name) => {
  const { signal } = new AbortController();
  const trial = await tryVariation({ kind, name, seed: 4, scope: "whole suite" }, signal);
  expect(trial).toMatchObject({
    findings: [],
    verdict: kind === "fault" ? "caught" : "clean",
  });
});
