/** One request of a probe: when the limiter decided, in milliseconds, and whether it was accepted. */
export interface ProbeSample {
  readonly at: number;
  /** How much earlier or later that may have been. Default: 0 */
  readonly within?: number;
  readonly admitted: boolean;
}

/** Minimum rate of a probe: the opening of a window shows at the next request, so a slow probe would see it late. */
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
/** With a smaller share of the planned requests, the probe was not always above the limit and its estimate would be too low. */
const leastSent = 0.8;

/** Sends at a steady rate for some seconds, waits for all responses, and returns their outcomes. */
export type Hold = (
  perSecond: number,
  seconds: number,
  phase: "step" | "rough" | "steady" | "burst",
) => Promise<readonly ProbeSample[]>;

/** The outcome of a probe. */
export type ProbeOutcome =
  | { readonly kind: "no limit" }
  /** Fewer requests were sent than planned. */
  | { readonly kind: "starved"; readonly sent: number; readonly planned: number }
  /** The limit was exceeded for long enough. `refusedAt`: the rate of the first step with refusals. */
  | { readonly kind: "limit"; readonly refusedAt: number; readonly estimate: ProbeEstimate | undefined };

/** Longest rest before a burst, in which a bucket fills up. A probe shorter than this rests for as long as it sends. */
const mostRestSeconds = 10;
/** Number of requests in a burst: a multiple of what was accepted at once before, plus some more. */
const burstRequests = 1.5;
const moreRequests = 50;
/** A bucket that rested for as long as this part of it takes to fill counts as full. */
const surelyFull = 0.9;
/** This many refusals in a row end what counts as accepted at once. */
const fullAfter = 3;

/**
 * Increases the rate in steps until requests are refused, makes a rough estimate, then sends at about twice that rate for
 * `seconds`. Two bursts after a rest then show how many requests are accepted at once.
 * @param start rate of the first step, in requests a second
 * @param rest waits for a number of seconds without sending
 */
export async function probeLimit(
  start: number,
  seconds: number,
  hold: Hold,
  rest: (seconds: number) => Promise<void>,
): Promise<ProbeOutcome> {
  const samples: ProbeSample[] = [];
  const keep: Hold = async (...phase) => {
    const held = await hold(...phase);
    samples.push(...held);
    return held;
  };
  const refusedAt = await stepUp(start, keep);
  if (refusedAt === undefined) return { kind: "no limit" };
  const rough = estimateLimit(await keep(refusedAt, roughSeconds, "rough"));
  const rate = probeRate(rough?.perSecond ?? refusedAt / 2);
  const steady = await keep(rate, seconds, "steady");
  const planned = rate * seconds;
  if (steady.length < planned * leastSent)
    return { kind: "starved", sent: steady.length, planned: Math.round(planned) };
  const estimate = estimateLimit(steady);
  if (estimate === undefined) return { kind: "limit", refusedAt, estimate };
  const { perSecond } = estimate;
  const known = burstOf(inOrder(samples), perSecond);
  const wanted = Math.max(known, perSecond) * burstRequests + moreRequests;
  const restSeconds = Math.min(mostRestSeconds, seconds);
  // The second burst begins in the other half of a one-second window: one that turned during a burst accepted up to twice its size.
  const halfASecondLater = (1.5 - ((wanted / highestRate) % 1)) % 1;
  const bursts: AcceptedBurst[] = [];
  for (const restedSeconds of [restSeconds, restSeconds + halfASecondLater]) {
    await rest(restedSeconds);
    const fast = await keep(highestRate, wanted / highestRate, "burst");
    bursts.push(...burstAfterRest(inOrder(fast), estimate, restedSeconds));
  }
  const [smallest] = bursts.toSorted((one, other) => one.burst - other.burst);
  return { kind: "limit", refusedAt, estimate: { ...estimate, ...(smallest ?? { burst: known }) } };
}

type AcceptedBurst = Pick<ProbeEstimate, "burst" | "burstLow" | "burstHigh">;

/** What is accepted after a rest before the first refusal; nothing if all was. */
function burstAfterRest(
  samples: readonly ProbeSample[],
  { low: slowest, high: fastest }: ProbeEstimate,
  restedSeconds: number,
): AcceptedBurst[] {
  const accepted: ProbeSample[] = [];
  let refused = 0;
  for (const sample of samples) {
    if (!sample.admitted) refused += 1;
    else {
      accepted.push(sample);
      refused = 0;
    }
    if (refused >= fullAfter) break;
  }
  if (accepted.length === 0 || refused < fullAfter) return [];
  const most = acceptedBeforeRefusal(samples);
  // What was not full accepts less than it holds.
  const isFull = restedSeconds * slowest * surelyFull >= most;
  return [
    {
      burst: most,
      burstLow: Math.max(1, acceptedAtOnce(accepted, fastest)),
      ...(isFull ? { burstHigh: most + 1 } : {}),
    },
  ];
}

const earliest = ({ at, within = 0 }: ProbeSample) => at - within;
const latest = ({ at, within = 0 }: ProbeSample) => at + within;

/**
 * The most requests that can have been accepted before a refusal: those that may have been decided before it, since responses
 * overtake each other on a busy machine. Whatever was full holds no more than the fewest of them.
 */
function acceptedBeforeRefusal(samples: readonly ProbeSample[]): number {
  const accepted = samples.filter(({ admitted }) => admitted).map(earliest);
  const refused = samples.filter(({ admitted }) => !admitted).map(latest);
  const firstRefused = refused.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return accepted.filter((at) => at <= firstRefused).length;
}

/** The fewest requests that must have been accepted at once: from the first decision on, tokens may have been added. */
function acceptedAtOnce(block: readonly ProbeSample[], fastest: number): number {
  let from = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  let most = 0;
  for (const [index, sample] of block.entries()) {
    from = Math.min(from, earliest(sample));
    until = Math.max(until, latest(sample));
    most = Math.max(most, index - ((until - from) / 1000) * fastest);
  }
  return most;
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

function inOrder(samples: readonly ProbeSample[]): ProbeSample[] {
  return samples.toSorted((a, b) => a.at - b.at);
}

/** The limit as a probe estimates it. */
export interface ProbeEstimate {
  /** Requests a second that are accepted in the long run, with the interval of the estimate. */
  readonly perSecond: number;
  readonly low: number;
  readonly high: number;
  /** Requests accepted at once after a rest, those included for which a bucket got tokens meanwhile. */
  readonly burst: number;
  /** The interval of the burst. Without an upper end if the bucket may not have been full; without both if no burst showed it. */
  readonly burstLow?: number;
  readonly burstHigh?: number;
}

/**
 * Estimates a limit from requests sent steadily above it. A re-admission is the first request accepted after refusals.
 * Between two of them lies a whole number of windows, or of bucket tokens, so the limit of either is the number accepted
 * between the first and the last re-admission divided by the time. Undefined with fewer than two re-admissions: nothing
 * was refused, or the window is longer than the probe.
 */
export function estimateLimit(unordered: readonly ProbeSample[]): ProbeEstimate | undefined {
  const samples = inOrder(unordered);
  const readmissions = steadyReadmissions(samples);
  const first = readmissions[0];
  const last = readmissions.at(-1);
  if (first === undefined || last === undefined || readmissions.length < 2) return undefined;
  const seconds = (last.at - first.at) / 1000;
  const admitted = samples.slice(first.index, last.index).filter((sample) => sample.admitted).length;
  if (seconds <= 0 || admitted === 0) return undefined;
  const perSecond = admitted / seconds;
  const spacing = seconds / (last.index - first.index);
  return {
    perSecond,
    low: Math.max(0, admitted - 1) / (seconds + spacing),
    // The opening of a sliding window is noticed up to one spacing late, at most once a second.
    high: (admitted + 1) / Math.max(seconds - spacing * Math.ceil(seconds), spacing),
    burst: burstOf(samples, perSecond),
  };
}

interface Readmission {
  readonly index: number;
  readonly at: number;
  /** Number of requests refused in between. */
  readonly refused: number;
}

/** Re-admissions after a usual number of refusals; after fewer, responses probably overtook each other when a window reset. */
function steadyReadmissions(samples: readonly ProbeSample[]): Readmission[] {
  const all: Readmission[] = [];
  let refused = 0;
  let isAdmittedBefore = false;
  for (const [index, { at, admitted }] of samples.entries()) {
    if (!admitted) {
      refused += 1;
      continue;
    }
    if (refused > 0 && isAdmittedBefore) all.push({ index, at, refused });
    refused = 0;
    isAdmittedBefore = true;
  }
  const runs = all.map((each) => each.refused);
  const longest = Math.max(...runs);
  const usual = median(runs.filter((run) => run * 4 >= longest));
  return all.filter((each) => each.refused * 2 >= usual);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * The size of a full bucket: the largest number of requests accepted, within any period, beyond what the rate allows.
 * The samples are in order of time.
 */
function burstOf(samples: readonly ProbeSample[], perSecond: number): number {
  let excess = 0;
  let largest = 0;
  let before: number | undefined;
  for (const { at, admitted } of samples) {
    if (before !== undefined) excess = Math.max(0, excess - ((at - before) / 1000) * perSecond);
    before = at;
    if (!admitted) continue;
    excess += 1;
    largest = Math.max(largest, excess);
  }
  return largest;
}
