import { randomLcg, randomNormal } from "d3-random";
import { expect, test } from "vitest";
import { defaultRule, pairedLatency, warmUpPairs } from "./paired-latency.ts";

interface World {
  /** Share by which the new deployment is slower. */
  readonly effect: number;
  readonly milliseconds?: number;
  readonly most?: number;
  readonly falseAlarms?: number;
  /** Time by which one of the two processes takes longer for two seconds, then one that is drawn anew. */
  readonly favour?: number;
}

/** Twenty pairs a second: the kind that is looked at most. */
const pairMilliseconds = 50;
const pairsOfFavour = 40;

/** Pairs in changing order beside background work: a load that comes and goes, a slow drift, long pauses. */
function compare(seed: number, { effect, milliseconds = 20, most = 1200, falseAlarms, favour = 0 }: World) {
  const random = randomLcg((seed * 0.618034) % 1);
  const normal = randomNormal.source(random)();
  let drift = 0;
  let isBusy = false;
  const latency = (): number => {
    drift = 0.98 * drift + 0.06 * normal();
    if (random() < (isBusy ? 0.02 : 0.005)) isBusy = !isBusy;
    const pause = random() < 0.03 ? Math.abs(normal()) * 1.5 : 0;
    return milliseconds * Math.exp(0.15 * normal() + drift + (isBusy ? 0.5 : 0) + pause);
  };
  const paired = pairedLatency(defaultRule, falseAlarms);
  let pairs = 0;
  let isOldFavoured = false;
  while (pairs < most && paired.outcome() === "inconclusive") {
    // A look after every few pairs.
    for (let look = 0; look < 5; look++, pairs++) {
      if (pairs % pairsOfFavour === 0) isOldFavoured = random() < 0.5;
      const isOldFirst = random() < 0.5;
      const [first, second] = [latency(), latency()];
      const [old, now] = isOldFirst ? [first, second] : [second, first];
      const [oldCost, newCost] = isOldFavoured ? [1, 1 + favour] : [1 + favour, 1];
      paired.add({ old: old * oldCost, new: now * newCost * (1 + effect) }, pairs * pairMilliseconds);
    }
  }
  return paired;
}

const seeds = Array.from({ length: 100 }, (_, index) => index + 1);
const outcomes = (world: World) => seeds.map((seed) => compare(seed, world).outcome());
const count = (all: readonly string[], ...wanted: string[]) =>
  all.filter((outcome) => wanted.includes(outcome)).length;

// The six kinds of a run share the probability: one kind alone gets a sixth. 100 runs of one kind with all of it are as strict.
test("equal deployments beside background work raise at most 1 alarm in 100, with a look after every few pairs", () => {
  const all = outcomes({ effect: 0 });
  expect(count(all, "slower", "faster")).toBeLessThanOrEqual(1);
  expect(count(all, "same")).toBeGreaterThanOrEqual(95);
});

test("equal deployments of which the machine favours one for seconds, and then another, raise no alarm", () => {
  expect(count(outcomes({ effect: 0, favour: 0.3 }), "slower", "faster")).toBeLessThanOrEqual(1);
});

test("two processes of one build that differ by 2 % raise no alarm", () => {
  expect(count(outcomes({ effect: 0.02 }), "slower", "faster")).toBeLessThanOrEqual(1);
});

test.each([
  [0.1, "slower"],
  [0.3, "slower"],
  [-0.15, "faster"],
] as const)("a difference of %d is found in at least 95 of 100 runs, as %s", (effect, outcome) => {
  const all = outcomes({ effect, falseAlarms: defaultRule.falseAlarms / 6 });
  expect(count(all, outcome)).toBeGreaterThanOrEqual(95);
  expect(count(all, "same")).toBe(0);
});

test("the interval holds the difference, and a larger difference takes fewer pairs", () => {
  const [small, large] = [compare(1, { effect: 0.1 }), compare(1, { effect: 0.5 })];
  const { low = 1, high = 0 } = large.interval() ?? {};
  expect(low).toBeLessThan(0.5);
  expect(high).toBeGreaterThan(0.5);
  expect(large.pairs()).toBeLessThan(small.pairs());
});

test("a fast service must differ by half a millisecond as well", () => {
  const fast = compare(1, { effect: 0.12, milliseconds: 1 });
  expect(fast.smallest()).toBeGreaterThan(0.2);
  expect(fast.outcome()).toBe("same");
});

test("nothing is decided without pairs, in the warm-up, or with too few pairs for an interval", () => {
  const paired = pairedLatency(defaultRule);
  expect([paired.outcome(), paired.interval(), paired.medians()]).toEqual([
    "inconclusive",
    undefined,
    undefined,
  ]);
  for (let pair = 0; pair < warmUpPairs; pair++) paired.add({ old: 10, new: 50 }, 0);
  expect([paired.outcome(), paired.pairs(), paired.interval()]).toEqual(["inconclusive", 0, undefined]);
  expect(paired.medians()).toEqual({ old: 10, new: 50 });
  for (let pair = 0; pair < 5; pair++) paired.add({ old: 10, new: 50 }, 0);
  expect(paired.outcome()).toBe("inconclusive");
  expect(paired.interval()).toEqual({ change: expect.closeTo(4, 2) });
});
