import { test, vi } from "vitest";
import { makeTrial, type Trial, type TrialScope } from "./trial.ts";

// A sample of `npm run proof`, which tries every fault and variant. As there, the checks of the rate
// limit run only for what concerns the limit, and here for the honest service.
const sample: readonly (readonly [Trial["kind"], name: string, TrialScope])[] = [
  ["honest", "honest", "whole suite"],
  ["fault", "null-field-on-second-page", "without the rate limit"],
  ["fault", "cursor-repeats-item", "without the rate limit"],
  ["fault", "invalid-key-403", "without the rate limit"],
  ["variant", "batch-found-wrapped", "without the rate limit"],
  ["variant", "cursors-of-odd-characters", "without the rate limit"],
];

/** Limits that a burst exceeds on a machine that sends 30 requests per second: a busy one sends 50. */
const sizes = {
  "whole suite": { rate: 20, burst: 150, products: 120 },
  "without the rate limit": { rate: 1000, burst: 1000, products: 120 },
} as const satisfies Record<TrialScope, object>;

// The first waits until the rate limit accepts requests again, while the others run.
vi.setConfig({ maxConcurrency: 4 });

test.concurrent.for(sample)("%s %s, %s", async ([kind, name, scope], { expect }) => {
  const { signal } = new AbortController();
  const trial = await makeTrial({ kind, name, seed: 4, scope }, signal, sizes[scope]);
  expect(trial).toMatchObject({
    findings: [],
    verdict: kind === "fault" ? "caught" : "passed",
  });
});
