import type { TwinLatency } from "../../../schemas/contracts/twin.ts";

/** What counts as a difference of latency. */
export interface TwinRule {
  /** Smallest difference that counts, as a share of the old latency. */
  readonly minimumEffect: number;
  /** Smallest difference that counts, in milliseconds: timers and schedulers of two processes differ as well. */
  readonly minimumMilliseconds: number;
  /** Probability that any kind of request of two equal deployments is called slower or faster, however often one looks. */
  readonly falseAlarms: number;
}

export const defaultRule: TwinRule = { minimumEffect: 0.1, minimumMilliseconds: 0.5, falseAlarms: 0.01 };

/** Latency of the same request at both deployments, in milliseconds. */
export interface LatencyPair {
  readonly old: number;
  readonly new: number;
}

/** The first pairs of a kind warm both deployments up and show how far pairs are apart. They are not tested. */
export const warmUpPairs = 16;
/** Differences beyond this many robust standard deviations count as that many: a pause of the machine decides nothing. */
const clippedAt = 2;
/** Pairs for which the boundary is narrowest. It holds for any number. */
const tunedFor = 150;
/**
 * Two processes of one build differ a little: by this part of the smallest difference that counts they may. The error rates
 * of equal deployments include it.
 */
const allowance = 0.25;
const normalPerMad = 1.4826;

type LatencyOutcome = TwinLatency["outcome"];

/** The interval of the difference, as a share of the old latency: 0.2 is 20 % slower. Without an end where it is unbounded. */
export type Interval = Pick<TwinLatency, "low" | "high"> & { readonly change: number };

/**
 * The paired comparison of one kind of request: it can be asked after every pair, and its error rates hold for all looks
 * together. `README.md` in this folder has the method.
 */
export interface PairedLatency {
  add(pair: LatencyPair): void;
  /** Pairs that are tested. */
  pairs(): number;
  outcome(): LatencyOutcome;
  interval(): Interval | undefined;
  /** How much speaks for slower or faster so far: the kind with the most is decided first. */
  lean(): number;
  /** The smallest difference that counts for this kind, as a share of the old latency. */
  smallest(): number;
  /** Medians of all pairs; undefined without any. */
  medians(): LatencyPair | undefined;
}

/** @param falseAlarms Share of the probability that this kind of request gets. */
export function pairedLatency(rule: TwinRule, falseAlarms = rule.falseAlarms): PairedLatency {
  const pairs: LatencyPair[] = [];
  const differences: number[] = [];
  let scale = 0;
  let margin = Math.log1p(rule.minimumEffect);

  function calibrate(): void {
    const first = pairs.map(differenceOf);
    const middle = median(first);
    scale = normalPerMad * median(first.map((one) => Math.abs(one - middle)));
    // Equal times, as of a clock that is not precise, are still spread by a little.
    scale = Math.max(scale, 0.001);
    const share = rule.minimumMilliseconds / Math.max(0.001, median(pairs.map((pair) => pair.old)));
    margin = Math.log1p(Math.max(rule.minimumEffect, share));
  }

  /** Sum of the clipped distances from a difference, and of their squares. */
  function balance(difference: number): { readonly sum: number; readonly squares: number } {
    let sum = 0;
    let squares = 0;
    for (const one of differences) {
      const clipped = Math.max(-clippedAt, Math.min(clippedAt, (one - difference) / scale));
      sum += clipped;
      squares += clipped * clipped;
    }
    return { sum, squares };
  }

  /** On which side of a difference the measured one lies, if it is ruled out. */
  function excludes(difference: number): "above" | "below" | undefined {
    const { sum, squares } = balance(difference);
    if (sum * sum < boundary(squares, falseAlarms)) return undefined;
    return sum > 0 ? "above" : "below";
  }

  function outcome(): LatencyOutcome {
    if (differences.length === 0) return "inconclusive";
    const isBelow = excludes(margin) === "below";
    const isAbove = excludes(-margin) === "above";
    if (isBelow && isAbove) return "same";
    if (!isBelow && excludes(margin * allowance) === "above") return "slower";
    return !isAbove && excludes(-margin * allowance) === "below" ? "faster" : "inconclusive";
  }

  /** The difference around which clipped ones balance. It decides nothing. */
  function estimate(): number {
    let [low, high] = [Math.min(...differences), Math.max(...differences)];
    while (high - low > precision) {
      const between = (low + high) / 2;
      if (balance(between).sum > 0) low = between;
      else high = between;
    }
    return (low + high) / 2;
  }

  /** The end of the interval on one side of the estimate: the nearest difference that is ruled out. */
  function end(from: number, direction: 1 | -1): number | undefined {
    let outside = scale;
    while (excludes(from + direction * outside) === undefined) {
      outside *= 2;
      if (outside > farthest) return undefined;
    }
    let inside = 0;
    while (outside - inside > precision) {
      const between = (inside + outside) / 2;
      if (excludes(from + direction * between) === undefined) inside = between;
      else outside = between;
    }
    return Math.expm1(from + direction * outside);
  }

  return {
    add(pair) {
      pairs.push(pair);
      if (pairs.length === warmUpPairs) calibrate();
      else if (pairs.length > warmUpPairs) differences.push(differenceOf(pair));
    },
    pairs: () => differences.length,
    outcome,
    interval() {
      if (differences.length === 0) return undefined;
      const middle = estimate();
      const [low, high] = [end(middle, -1), end(middle, 1)];
      return {
        change: Math.expm1(middle),
        ...(low === undefined ? {} : { low }),
        ...(high === undefined ? {} : { high }),
      };
    },
    lean() {
      const [slower, faster] = [balance(margin * allowance), balance(-margin * allowance)];
      return Math.max(
        slower.sum / Math.sqrt(slower.squares + 1),
        -faster.sum / Math.sqrt(faster.squares + 1),
      );
    },
    smallest: () => Math.expm1(margin),
    medians: () =>
      pairs.length === 0
        ? undefined
        : { old: median(pairs.map((pair) => pair.old)), new: median(pairs.map((pair) => pair.new)) },
  };
}

// A ratio beyond e^8 is no measurement; a ten-thousandth is finer than any report.
const farthest = 8;
const precision = 0.0001;

/**
 * The square of the sum that symmetric differences with these squares exceed, at any time, with at most this probability:
 * a normal mixture of the supermartingales exp(λS − λ²V/2), and Ville's inequality.
 */
function boundary(squares: number, probability: number): number {
  const mixing = tunedFor / (2 * Math.log(1 / probability) + Math.log(1 + 2 * Math.log(1 / probability)));
  return (squares + mixing) * (2 * Math.log(1 / probability) + Math.log((squares + mixing) / mixing));
}

function differenceOf(pair: LatencyPair): number {
  return Math.log(Math.max(0.001, pair.new)) - Math.log(Math.max(0.001, pair.old));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
