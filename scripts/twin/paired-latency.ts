import { given } from "../../schemas/json.ts";
import type { TwinLatency } from "./twin-result.ts";

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

/** The first pairs of a kind warm both deployments up and show where their latencies lie. They are not tested. */
export const warmUpPairs = 16;
/**
 * Other work on a machine makes requests slower and never faster, so fast responses show the deployments and slow ones the
 * machine. A latency counts as far as it lies within the window: around this quantile of the recent ones, by this many
 * times the smallest difference that counts.
 */
const windowAt = 0.2;
const windowWidth = 2.5;
/** Pairs whose latencies place the window: few, so that it follows what else the machine does. */
const recentPairs = 20;
/**
 * A machine may favour one of two processes for seconds. A deployment is slower or faster only if that also shows when all
 * pairs of a stretch of this length count as one observation.
 */
const stretchMilliseconds = 1000;
/** Sums of squares at which the boundary is narrowest: of pairs, and of stretches. It holds for any. */
const tunedFor = { pairs: 60, stretches: 600 } as const;
/**
 * Two processes of one build differ a little: by this part of the smallest difference that counts they may. The error rates
 * of equal deployments include it.
 */
const allowance = 0.25;
type LatencyOutcome = TwinLatency["outcome"];

/** The interval of the difference, as a share of the old latency: 0.2 is 20 % slower. Without an end where it is unbounded. */
export type Interval = Pick<TwinLatency, "low" | "high"> & { readonly change: number };

/**
 * The paired comparison of one kind of request: it can be asked after every pair, and its error rates hold for all looks
 * together. `README.md` in this folder has the method.
 */
export interface PairedLatency {
  /** @param at When it was measured, in milliseconds. */
  add(pair: LatencyPair, at: number): void;
  /** Pairs that are tested. */
  pairs(): number;
  outcome(): LatencyOutcome;
  interval(): Interval | undefined;
  /** How much speaks for slower or faster so far: the kind with the most is decided first. */
  lean(): number;
  /** The smallest difference that counts for this kind, as a share of the old latency. */
  smallest(): number;
  /** Whether there is no pair, not even of the warm-up. */
  isEmpty(): boolean;
  /** Medians of all pairs; undefined without any. */
  medians(): LatencyPair | undefined;
}

/** @param falseAlarms Share of the probability that this kind of request gets. */
export function pairedLatency(rule: TwinRule, falseAlarms = rule.falseAlarms): PairedLatency {
  const pairs: LatencyPair[] = [];
  /** Logarithms of a pair, the middle of its window, which only earlier pairs decide, and the number of its stretch. */
  const tested: (LatencyPair & { readonly middle: number; readonly stretch: number })[] = [];
  let margin = Math.log1p(rule.minimumEffect);
  let middle = 0;

  function placeWindow(): void {
    const recent = pairs.slice(-recentPairs);
    middle = quantile(
      recent.flatMap((pair) => [logarithm(pair.old), logarithm(pair.new)]),
      windowAt,
    );
  }

  const medianOf = (side: keyof LatencyPair) =>
    quantile(
      pairs.map((pair) => pair[side]),
      0.5,
    );

  function calibrate(): void {
    const share = rule.minimumMilliseconds / Math.max(least, medianOf("old"));
    margin = Math.log1p(Math.max(rule.minimumEffect, share));
  }

  /** How far the new latencies lie beyond a difference from the old ones: the sum, and the sums of the squares. */
  function balance(difference: number) {
    const half = windowWidth * margin;
    let sum = 0;
    let squares = 0;
    let squaresOfStretches = 0;
    let stretch = 0;
    let stretchSum = 0;
    for (const pair of tested) {
      if (pair.stretch !== stretch) {
        squaresOfStretches += stretchSum * stretchSum;
        stretchSum = 0;
        stretch = pair.stretch;
      }
      const [old, now] = [pair.old - pair.middle, pair.new - difference - pair.middle];
      const step = (Math.max(-half, Math.min(half, now)) - Math.max(-half, Math.min(half, old))) / half;
      sum += step;
      stretchSum += step;
      squares += step * step;
    }
    squaresOfStretches += stretchSum * stretchSum;
    return { sum, squares, squaresOfStretches };
  }

  /** On which side of a difference the measured one lies, if it is ruled out: by pairs, and by stretches if it must last. */
  function excludes(difference: number, isLasting = false): "above" | "below" | undefined {
    const { sum, squares, squaresOfStretches } = balance(difference);
    if (sum * sum < boundary(squares, falseAlarms, tunedFor.pairs)) return undefined;
    if (isLasting && sum * sum < boundary(squaresOfStretches, falseAlarms, tunedFor.stretches))
      return undefined;
    return sum > 0 ? "above" : "below";
  }

  function outcome(): LatencyOutcome {
    if (tested.length === 0) return "inconclusive";
    const isBelow = excludes(margin) === "below";
    const isAbove = excludes(-margin) === "above";
    if (isBelow && isAbove) return "same";
    if (!isBelow && excludes(margin * allowance, true) === "above") return "slower";
    return !isAbove && excludes(-margin * allowance, true) === "below" ? "faster" : "inconclusive";
  }

  /** The difference around which clipped ones balance. It decides nothing. */
  function estimate(): number {
    const differences = tested.map((pair) => pair.new - pair.old);
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
    let outside = margin;
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
    add(pair, at) {
      if (pairs.length >= warmUpPairs) {
        const stretch = Math.floor(at / stretchMilliseconds);
        tested.push({ old: logarithm(pair.old), new: logarithm(pair.new), middle, stretch });
      }
      pairs.push(pair);
      if (pairs.length === warmUpPairs) calibrate();
      placeWindow();
    },
    pairs: () => tested.length,
    isEmpty: () => pairs.length === 0,
    outcome,
    interval() {
      if (tested.length === 0) return undefined;
      const between = estimate();
      const [low, high] = [end(between, -1), end(between, 1)];
      return {
        change: Math.expm1(between),
        ...given({ low, high }),
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
    medians: () => (pairs.length === 0 ? undefined : { old: medianOf("old"), new: medianOf("new") }),
  };
}

// A ratio beyond e^8 is no measurement; a ten-thousandth is finer than any report.
const farthest = 8;
const precision = 0.0001;

/**
 * The square of the sum that symmetric differences with these squares exceed, at any time, with at most this probability:
 * a normal mixture of the supermartingales exp(λS − λ²V/2), and Ville's inequality.
 */
function boundary(squares: number, probability: number, tuned: number): number {
  const mixing = tuned / (2 * Math.log(1 / probability) + Math.log(1 + 2 * Math.log(1 / probability)));
  return (squares + mixing) * (2 * Math.log(1 / probability) + Math.log((squares + mixing) / mixing));
}

const least = 0.001;

function logarithm(milliseconds: number): number {
  return Math.log(Math.max(least, milliseconds));
}

/** The value below which this share lies; the mean of the two middle ones for an even number and a half. */
export function quantile(values: readonly number[], share: number): number {
  // Numbers in an array of numbers are sorted several times faster: each pair of twin asks for a quantile.
  const sorted = Float64Array.from(values).sort();
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  return low + (place - Math.floor(place)) * ((sorted[Math.ceil(place)] ?? low) - low);
}
