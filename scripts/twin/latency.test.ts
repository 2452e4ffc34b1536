import { randomLcg, randomNormal } from "d3-random";
import { expect, test } from "vitest";
import { compareLatency } from "./latency.ts";

interface World {
  /** Share by which the new deployment is slower. */
  readonly effect: number;
  readonly milliseconds?: number;
  readonly pairs?: number;
  /** Share by which one of the two, drawn anew after each 13 pairs, takes longer: some two seconds of a run. */
  readonly favour?: number;
}

/** Pairs in changing order beside background work: a load that comes and goes, a slow drift, long pauses. */
function pairsOf(seed: number, { effect, milliseconds = 20, pairs = 200, favour = 0 }: World) {
  const random = randomLcg((seed * 0.618034) % 1);
  const normal = randomNormal.source(random)();
  let drift = 0;
  let isBusy = false;
  let isOldFavoured = false;
  const latency = (): number => {
    drift = 0.98 * drift + 0.06 * normal();
    if (random() < (isBusy ? 0.02 : 0.005)) isBusy = !isBusy;
    const pause = random() < 0.03 ? Math.abs(normal()) * 1.5 : 0;
    return milliseconds * Math.exp(0.15 * normal() + drift + (isBusy ? 0.5 : 0) + pause);
  };
  return Array.from({ length: pairs }, (_, at) => {
    if (at % 13 === 0) isOldFavoured = random() < 0.5;
    const isOldFirst = random() < 0.5;
    const [first, second] = [latency(), latency()];
    const [old, now] = isOldFirst ? [first, second] : [second, first];
    const [oldCost, newCost] = isOldFavoured ? [1, 1 + favour] : [1 + favour, 1];
    return { old: old * oldCost, new: now * newCost * (1 + effect) };
  });
}

const seeds = Array.from({ length: 300 }, (_, index) => index + 1);
const judged = (world: World) => seeds.map((seed) => compareLatency("batch", pairsOf(seed, world)));
const count = (world: World, ...wanted: string[]) =>
  judged(world).filter(({ outcome }) => wanted.includes(outcome)).length;

// A run has six kinds: 300 comparisons of one kind are 50 runs.
test("deployments that differ by 2 %, beside background work, raise at most 1 alarm in 300 comparisons", () => {
  expect(count({ effect: 0.02 }, "slower", "faster")).toBeLessThanOrEqual(1);
});

// What the machine favours, it favours in all kinds: each comparison is a run.
test("equal deployments of which the machine favours one for seconds, and then another, raise at most 1 alarm in 100", () => {
  expect(count({ effect: 0, favour: 0.3 }, "slower", "faster")).toBeLessThanOrEqual(seeds.length / 100);
});

test.each([
  [0.5, "slower"],
  [-0.4, "faster"],
] as const)("a difference of %d is found each time, as %s", (effect, outcome) => {
  expect(count({ effect }, outcome)).toBe(seeds.length);
});

test("the interval holds the difference in 99 of 100 comparisons", () => {
  const all = judged({ effect: 0.1 });
  const held = all.filter(({ low = 1, high = 0 }) => low < 0.1 && high > 0.1);
  expect(held.length / all.length).toBeGreaterThan(0.99);
});

test.each([
  [1, 0.3],
  [1, -0.4],
  [0.5, -0.7],
])("a difference of at most half a millisecond does not count: %d ms, by %d", (milliseconds, effect) => {
  expect(compareLatency("batch", pairsOf(1, { effect, milliseconds })).outcome).toBe("same");
});

test("a kind that may be twice as slow is not judged", () => {
  const wide = pairsOf(3, { effect: 0, favour: 4 });
  const { outcome, low = 0, high = 0 } = compareLatency("batch", wide);
  expect([outcome, low < 0, high > 1]).toEqual(["inconclusive", true, true]);
});

test("one long pause changes the interval little", () => {
  const pairs = pairsOf(1, { effect: 0 });
  const paused = pairs.with(50, { old: 20, new: 60_000 });
  const { high = 0 } = compareLatency("batch", pairs);
  expect(compareLatency("batch", paused).high).toBeCloseTo(high, 1);
});

test("nothing is judged with too few pairs", () => {
  const few = compareLatency("batch", pairsOf(1, { effect: 2, pairs: 23 }));
  expect(few).toMatchObject({ outcome: "inconclusive", pairs: 23 });
  expect(few.low).toBeUndefined();
});
