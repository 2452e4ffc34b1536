import { test, vi } from "vitest";
import type { TrialKind, TrialScope } from "./combination.ts";
import { tryVariation } from "./trial.ts";

// A sample of `npm run proof`, which tries every fault and variant on several seeds. As there, the checks of the rate
// limit run only for what concerns the limit and for the honest service.
const sample: readonly (readonly [TrialKind, name: string, TrialScope])[] = [
  ["honest", "honest", "whole suite"],
  ["fault", "retry-after-missing", "rate limit alone"],
  ["fault", "null-field-on-second-page", "without the rate limit"],
  ["fault", "cursor-repeats-item", "without the rate limit"],
  ["fault", "invalid-key-403", "without the rate limit"],
  ["variant", "batch-found-wrapped+cursors-of-odd-characters", "without the rate limit"],
];

/** The limit is exceeded by a burst on a machine that sends 70 requests per second, as a busy one does. */
const size = { rate: 40, burst: 150, products: 120 };

// The first two wait until the rate limit accepts requests again, while the others run.
vi.setConfig({ maxConcurrency: 4 });

test.concurrent.for(sample)("%s %s, %s", async ([kind, name, scope], { expect }) => {
  const { signal } = new AbortController();
  const trial = await tryVariation({ kind, name, seed: 4, scope }, signal, size);
  expect(trial).toMatchObject({
    findings: [],
    verdict: kind === "fault" ? "caught" : "passed",
  });
});
