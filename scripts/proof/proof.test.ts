import { test, vi } from "vitest";
import type { TrialKind } from "./combination.ts";
import { tryVariation } from "./trial.ts";

// A sample of `npm run proof`, which tries every fault and variant on several seeds. As there, only what concerns the
// rate limit, and the honest service, are tried with the checks of the limit.
const sample: readonly (readonly [TrialKind, string])[] = [
  ["fault", "null-field-on-second-page"],
  ["fault", "cursor-repeats-item"],
  ["fault", "invalid-key-403"],
  ["variant", "batch-found-wrapped"],
  ["variant", "cursors-of-odd-characters"],
];
const atLimit: typeof sample = [
  ["fault", "retry-after-missing"],
  ["fault", "second-key-sees-less"],
  ["honest", "honest"],
];

/** Exceeded by a burst on a machine that sends 70 requests per second, as a busy one does. */
const limit = { rate: 40, burst: 150 };

// The longest first. They wait until the rate limit accepts requests again, while the others run.
vi.setConfig({ maxConcurrency: atLimit.length + 1 });

test.concurrent.for([
  ...atLimit.map((one) => [...one, "whole suite"] as const),
  ...sample.map((one) => [...one, "without the rate limit"] as const),
])("%s %s, %s", async ([kind, name, scope], { expect }) => {
  const { signal } = new AbortController();
  const trial = await tryVariation({ kind, name, seed: 4, scope }, signal, limit);
  expect(trial).toMatchObject({
    findings: [],
    verdict: kind === "fault" ? "caught" : "clean",
  });
});
