import type { TwinLatency } from "./twin-result.ts";

/** A difference of at most so many milliseconds never counts: timers of two processes differ as well. */
const minimumMilliseconds = 0.5;
/** A kind of request is judged only if its interval rules out a doubling and a halving of the old latency. */
const leastRuledOut = { slower: 1, faster: 0.5 };

/** Latency of the same request at both deployments, in milliseconds. */
export interface LatencyPair {
  readonly old: number;
  readonly new: number;
}

/** Two processes of one build differ a little: a difference of at most this share never counts. */
const allowance = 0.025;
/** Median deviations from the median within which a pair counts: a pause of the machine is one step. */
const reach = 3;
const leastReach = 0.01;
/** A busy machine favours one process for seconds, so all pairs of a stretch are one observation. */
const stretches = 12;
/** One pair is no mean of a stretch. */
const leastPairs = 2 * stretches;
/** Student's t for 12 observations: equal deployments exclude 0 in one of 6 kinds of request in 1 % of runs. */
const critical = 4.14;

/** The latency of one kind of request, tested once, when all its pairs are there. */
export function compareLatency(request: string, pairs: readonly LatencyPair[]): TwinLatency {
  const [old, now] = [median(pairs.map((pair) => pair.old)), median(pairs.map((pair) => pair.new))];
  const measured = { request, pairs: pairs.length, old, new: now };
  if (pairs.length < leastPairs) return { ...measured, outcome: "inconclusive" };
  const { middle, half } = intervalOf(pairs.map((pair) => Math.log(pair.new / pair.old)));
  const [low, high] = [middle - half, middle + half];
  const share = minimumMilliseconds / old;
  const slower = (by: number) => Math.log1p(Math.max(by, share));
  // Nothing gets faster by more than all of its latency.
  const faster = (by: number) => Math.log1p(-Math.min(1, Math.max(by, share)));
  const isSmall = low > faster(leastRuledOut.faster) && high < slower(leastRuledOut.slower);
  const isFaster = high < faster(allowance);
  const outcome =
    low > slower(allowance) ? "slower" : isFaster ? "faster" : isSmall ? "same" : "inconclusive";
  const [change, least, most] = [middle, low, high].map(Math.expm1);
  return { ...measured, outcome, change, low: least, high: most };
}

/** The mean of clipped differences, and half of its interval by the means of stretches. */
function intervalOf(differences: readonly number[]): { readonly middle: number; readonly half: number } {
  const centre = median(differences);
  const width = reach * median(differences.map((one) => Math.abs(one - centre)));
  const [low, high] = [centre - Math.max(width, leastReach), centre + Math.max(width, leastReach)];
  const kept = differences.filter((one) => one > low && one < high).length / differences.length;
  const groups = Map.groupBy(differences.entries(), ([at]) =>
    Math.floor((at * stretches) / differences.length),
  );
  const means = [...groups.values()].map((own) =>
    mean(own.map(([, one]) => Math.max(low, Math.min(high, one)))),
  );
  const middle = mean(means);
  const squares = mean(means.map((one) => (one - middle) ** 2)) / (stretches - 1);
  // Clipping makes the differences look closer together than their centre is known (Huber 1964).
  return { middle, half: (critical * Math.sqrt(squares)) / kept };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Between the two in the middle of an even number. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = 0, high = low] = [
    sorted[Math.ceil(sorted.length / 2) - 1],
    sorted[Math.floor(sorted.length / 2)],
  ];
  return (low + high) / 2;
}
