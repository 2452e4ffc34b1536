import type { FoundRateLimit } from "../../schemas/contracts/load-result.ts";

/** One request of a probe: when the limiter decided, in milliseconds, and whether it was accepted. */
export interface ProbeSample {
  readonly at: number;
  /** How much earlier or later that may have been. Default: 0 */
  readonly within?: number;
  readonly admitted: boolean;
}

/** Requests a second that are accepted in the long run. */
type ProbeEstimate = Pick<FoundRateLimit, "perSecond" | "low" | "high">;

/** Requests accepted at once after a rest, those included for which a bucket got tokens meanwhile. */
type ProbeBurst = Pick<FoundRateLimit, "burst" | "burstLow" | "burstHigh">;

/** Minimum rate of a probe: the opening of a window shows at the next request, which must not be late. */
const leastProbeRate = 40;

/** The rate (requests a second) for probing a limit of about `perSecond`. */
export function probeRate(perSecond: number, overload = 2.2): number {
  return Math.max(leastProbeRate, perSecond * overload);
}

const stepSeconds = 1;
const stepFactor = 2.5;
/** The rate (requests a second) of the highest step and of a burst. */
export const highestRate = 3000;
const roughSeconds = 3;
/** A step with this share of refusals is above the limit. */
const telling = 0.2;
/** With less of what was planned, the probe was not always above the limit, and would estimate too low. */
const leastSent = 0.8;
/** Longest rest before a burst, in which a bucket fills up. A shorter probe rests for as long as it sends. */
const mostRestSeconds = 10;
const burstSeconds = 3;
/** A bucket that rested for as long as this part of it takes to fill counts as full. */
const surelyFull = 0.9;

/** Sends at a steady rate, a burst until some are refused; waits for all responses. Returns the outcomes. */
export type Hold = (
  perSecond: number,
  seconds: number,
  phase: "step" | "steady" | "burst",
) => Promise<readonly ProbeSample[]>;

/** The outcome of a probe. */
type ProbeOutcome =
  | { readonly kind: "no limit" }
  /** Fewer requests were sent than planned. */
  | { readonly kind: "starved"; readonly sent: number; readonly planned: number }
  /** The limit was exceeded for long enough. `refusedAt`: the rate of the first step with refusals. */
  | ({ readonly kind: "limit"; readonly refusedAt: number } & Partial<FoundRateLimit>);

/**
 * Increases the rate in steps until requests are refused, makes a rough estimate, then sends at about twice
 * that rate for `seconds`. Two bursts after a rest show how many are accepted at once.
 * @param start rate of the first step, in requests a second
 * @param rest waits for a number of seconds without sending
 */
export async function probeLimit(
  start: number,
  seconds: number,
  hold: Hold,
  rest: (seconds: number) => Promise<void>,
): Promise<ProbeOutcome> {
  const refusedAt = await stepUp(start, hold);
  if (refusedAt === undefined) return { kind: "no limit" };
  const rough = estimateLimit(await hold(refusedAt, roughSeconds, "step"));
  const rate = probeRate(rough?.perSecond ?? refusedAt / 2);
  const steady = await hold(rate, seconds, "steady");
  const planned = rate * seconds;
  if (steady.length < planned * leastSent)
    return { kind: "starved", sent: steady.length, planned: Math.round(planned) };
  const estimate = estimateLimit(steady);
  if (estimate === undefined) return { kind: "limit", refusedAt };
  const bursts: ProbeBurst[] = [];
  // In the other half of a one-second window: one that turned during a burst accepted up to twice its size.
  for (const more of [0, 0.5]) {
    const restSeconds = Math.min(mostRestSeconds, seconds) + more;
    await rest(restSeconds);
    const burst = await hold(highestRate, burstSeconds, "burst");
    bursts.push(...burstAfterRest(burst, { low: estimate.low, exceeding: rate }, restSeconds));
  }
  const [burst] = bursts.toSorted((one, other) => one.burst - other.burst);
  return { kind: "limit", refusedAt, ...estimate, ...burst };
}

/** The rate of the first step with refusals; undefined without any. */
async function stepUp(start: number, hold: Hold): Promise<number | undefined> {
  for (let rate = Math.max(2, start); rate <= highestRate; rate *= stepFactor) {
    const step = await hold(rate, stepSeconds, "step");
    const refused = step.filter(({ admitted }) => !admitted).length;
    if (refused >= 2 && refused >= step.length * telling) return rate;
  }
  return undefined;
}

/**
 * What is accepted after a rest before the first refusal; nothing without an acceptance. Responses overtake
 * each other, so some were surely decided before it, and some may have been.
 * @param limit what is surely accepted in the long run, and a rate that surely exceeds the limit
 */
function burstAfterRest(
  samples: readonly ProbeSample[],
  { low, exceeding }: { readonly low: number; readonly exceeding: number },
  restedSeconds: number,
): ProbeBurst[] {
  const accepted = samples.filter(({ admitted }) => admitted);
  const refused = samples.filter(({ admitted }) => !admitted);
  if (accepted.length === 0) return [];
  const earliest = ({ at, within = 0 }: ProbeSample) => at - within;
  const latest = ({ at, within = 0 }: ProbeSample) => at + within;
  const surelyRefused = Math.min(...refused.map(latest));
  const maybeRefused = Math.min(...refused.map(earliest));
  const burst = accepted.filter((one) => earliest(one) <= surelyRefused).length;
  const before = accepted.filter((one) => latest(one) < maybeRefused).map(latest);
  // From the first decision on, tokens may have been added: more than the estimate says where the limit locks
  // out who exceeds it, or where others used a part of it.
  const seconds = (Math.max(...before, 0) - Math.min(...accepted.map(earliest))) / 1000;
  const burstLow = Math.max(1, before.length - 1 - Math.max(0, seconds) * exceeding);
  // What was not full accepts less than it holds.
  const isFull = refused.length > 0 && restedSeconds * low * surelyFull >= burst;
  return [{ burst, burstLow, ...(isFull ? { burstHigh: burst + 1 } : {}) }];
}

/**
 * Estimates a limit from requests sent steadily above it. A re-admission is the first one accepted after
 * refusals. Between two of them lies a whole number of windows, or of tokens, so the limit of either is what
 * was accepted from the first to the last, divided by the time. Undefined with fewer than two: nothing was
 * refused, or the window is longer than the probe.
 */
export function estimateLimit(unordered: readonly ProbeSample[]): ProbeEstimate | undefined {
  const samples = unordered.toSorted((a, b) => a.at - b.at);
  const readmissions = steadyReadmissions(samples);
  const [first, last] = [readmissions.at(0), readmissions.at(-1)];
  if (first === undefined || last === undefined || readmissions.length < 2) return undefined;
  const seconds = ((samples[last]?.at ?? 0) - (samples[first]?.at ?? 0)) / 1000;
  const admitted = samples.slice(first, last).filter((sample) => sample.admitted).length;
  if (seconds <= 0) return undefined;
  const spacing = seconds / (last - first);
  return {
    perSecond: admitted / seconds,
    low: Math.max(0, admitted - 1) / (seconds + spacing),
    // The opening of a sliding window is noticed up to one spacing late, at most once a second.
    high: (admitted + 1) / Math.max(seconds - spacing * Math.ceil(seconds), spacing),
  };
}

/**
 * The re-admissions, without those after much fewer refusals than usual, where responses probably overtook
 * each other when a window opened. Usual is the length of the run with the middle one of all refusals.
 */
function steadyReadmissions(samples: readonly ProbeSample[]): number[] {
  const all: { readonly place: number; readonly refused: number }[] = [];
  let refused = 0;
  for (const [place, { admitted }] of samples.entries()) {
    if (!admitted) refused += 1;
    else if (refused > 0) {
      if (refused < place) all.push({ place, refused });
      refused = 0;
    }
  }
  const runs = all.flatMap((one) => Array<number>(one.refused).fill(one.refused));
  const usual = runs.toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0;
  return all.filter((each) => each.refused * 2 >= usual).map(({ place }) => place);
}
