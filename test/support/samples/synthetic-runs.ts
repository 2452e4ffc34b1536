import { randomLcg, randomNormal } from "d3-random";
import type { Curve } from "../../../scripts/runs/compare/curve.ts";
import type { LoadRun } from "../../../scripts/runs/compare/load-runs.ts";

/** Noise of a simulated service and machine, for tests of the comparison. */
export interface Noise {
  /** Spread of latency within a run: standard deviation of the logarithm. */
  readonly within: number;
  /** Factor on the latency of a whole run, by its position among all runs. */
  readonly run: (place: number, random: () => number) => number;
  /** Number of samples per run of the most frequent endpoint. */
  readonly samples: number;
}

const drawNormal = (random: () => number) => randomNormal.source(random)(0, 1)();

/** A factor on whole runs whose logarithm has this standard deviation. */
export const shift =
  (spread: number): Noise["run"] =>
  (_, random) =>
    Math.exp(spread * drawNormal(random));

/** Machines on which runs are simulated. */
export const machines = {
  calm: { within: 0.2, samples: 400, run: () => 1 },
  usual: { within: 0.3, samples: 150, run: shift(0.02) },
  noisy: { within: 0.3, samples: 150, run: shift(0.15) },
  "with heavy tails, in the runs and between them": {
    within: 0.8,
    samples: 150,
    // Student's t distribution with two degrees of freedom, which has outliers.
    run: (_, random) =>
      Math.exp(
        (0.04 * drawNormal(random)) /
          Math.hypot(drawNormal(random) / Math.SQRT2, drawNormal(random) / Math.SQRT2),
      ),
  },
  "of two speeds": { within: 0.2, samples: 150, run: (_, random) => (random() < 0.5 ? 1 : 1.4) },
  "that drifts": { within: 0.2, samples: 150, run: (place) => 1 + 0.03 * place },
  "with a run far off": { within: 0.2, samples: 150, run: (_, random) => (random() < 0.15 ? 2 : 1) },
} as const satisfies Record<string, Noise>;

/** Median latency of each endpoint in milliseconds, and its share of the samples. */
const endpoints = [
  { name: "lookup-by-id", median: 12, share: 1 },
  { name: "lookup-by-url", median: 18, share: 0.4 },
  { name: "lookup-by-gtin", median: 15, share: 0.2 },
] as const;

/** A run whose responses take `factor` times as long. `place` is its position in time among all runs. */
function syntheticRun(place: number, noise: Noise, random: () => number, factor = 1): LoadRun {
  const whole = factor * noise.run(place, random);
  const normal = randomNormal.source(random)();
  return {
    run: `run-${place}`,
    startedAt: new Date(Date.UTC(2026, 0, 1, 0, place)).toISOString(),
    scenario: "lookup",
    profile: "average",
    verdict: "pass",
    comparability: { hash: "alike", parts: { scenario: "lookup" } },
    curves: endpoints.map(({ name, median, share }) =>
      curveOf(
        name,
        Array.from(
          { length: Math.round(noise.samples * share) },
          () => whole * median * Math.exp(noise.within * normal()),
        ),
      ),
    ),
  };
}

/** Alternating runs before and after. */
export function syntheticRuns(runs: number, noise: Noise, seed: number, factor = 1) {
  const random = randomLcg(seed / 100_003);
  const before: LoadRun[] = [];
  const after: LoadRun[] = [];
  for (let place = 0; place < runs; place += 1) {
    before.push(syntheticRun(2 * place, noise, random));
    after.push(syntheticRun(2 * place + 1, noise, random, factor));
  }
  return { before, after };
}

const points = [...Array.from({ length: 38 }, (_, place) => place * 2.5), 94, 95, 96, 97, 98, 99, 99.5, 100];

/** The curve of samples, computed directly. Faster than the histogram of a real run, and equal except for rounding. */
function curveOf(endpoint: string, samples: readonly number[]): Curve {
  const sorted = samples.toSorted((one, other) => one - other);
  const milliseconds = points.map((point) => {
    const place = (point / 100) * (sorted.length - 1);
    const low = sorted[Math.floor(place)] ?? 0;
    return low + ((sorted[Math.ceil(place)] ?? low) - low) * (place - Math.floor(place));
  });
  return { endpoint, count: samples.length, at: points, milliseconds };
}
