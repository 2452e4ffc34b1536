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
export type ProbeOutcome = { readonly kind: "no limit" } | ReachedLimit;

/** Fewer requests were sent than planned, or the limit was exceeded for long enough. */
type ReachedLimit = {
  /** Requests that reached no limit, since a cache responded to them; 0 without one. */
  readonly cached: number;
} & (
  | { readonly kind: "starved"; readonly sent: number; readonly planned: number }
  /** `refusedAt`: the rate of the first step with refusals. */
  | { readonly kind: "limit"; readonly refusedAt: number; readonly estimate: ProbeEstimate | undefined }
);

/** Longest rest before a burst, in which a bucket fills up. A probe shorter than this rests for as long as it sends. */
const mostRestSeconds = 10;
const mostBursts = 2;
/** Number of requests in a burst: a multiple of what was accepted at once before, plus some more. */
const burstRequests = 1.5;
const moreRequests = 50;
const afterBurstSeconds = 1.3;
/** A bucket that rested for as long as this part of it takes to fill counts as full. */
const surelyFull = 0.9;
/** This many refusals in a row end what counts as accepted at once. */
const fullAfter = 10;
/** Without an admission for more token spacings, or seconds, than this, the limiter is a window. */
const windowGapTokens = 2.5;
const windowGapSeconds = 0.1;
/** Maximum relative difference between two measurements of a burst that agree. */
const alike = 1.2;

/**
 * Increases the rate in steps until requests are refused, makes a rough estimate, then sends at about twice that rate for
 * `seconds`. Under a steady probe a sliding window accepts as evenly as a bucket; a burst after a pause distinguishes them.
 * @param start rate of the first step, in requests a second
 * @param rest waits for a number of seconds without sending
 * @param passCaches makes each further request one that no cache can have a response to; false if the service rejects these
 */
export async function probeLimit(
  start: number,
  seconds: number,
  hold: Hold,
  rest: (seconds: number) => Promise<void>,
  passCaches: () => boolean,
): Promise<ProbeOutcome> {
  const samples: ProbeSample[] = [];
  const keep: Hold = async (...phase) => {
    const held = await hold(...phase);
    samples.push(...held);
    return held;
  };
  const first = await stepUp(start, keep);
  const free = first.refusedAt === undefined ? samples.splice(0).length : 0;
  const { refusedAt } = first.refusedAt === undefined && passCaches() ? await stepUp(start, keep) : first;
  if (refusedAt === undefined) return { kind: "no limit" };
  // Otherwise requests were held back, and no rate above the limit was reached.
  const cached = first.reached > refusedAt ? free : 0;
  const rough = estimateLimit(await keep(refusedAt, roughSeconds, "rough"));
  const rate = probeRate(rough?.perSecond ?? refusedAt / 2);
  const steady = await keep(rate, seconds, "steady");
  const planned = rate * seconds;
  if (steady.length < planned * leastSent) {
    return { kind: "starved", sent: steady.length, planned: Math.round(planned), cached };
  }
  const estimate = estimateLimit(steady);
  if (estimate === undefined) return { kind: "limit", refusedAt, estimate, cached };
  const { perSecond, windowSeconds = 0 } = estimate;
  const bucket = burstOf(inOrder(samples), perSecond);
  const known = Math.max(bucket, perSecond * windowSeconds);
  const wanted = Math.max(known, perSecond) * burstRequests + moreRequests;
  // The second burst begins in the other half of a one-second window.
  const halfASecondLater = (1.5 - ((wanted / highestRate + afterBurstSeconds) % 1)) % 1;
  const restSeconds = Math.min(mostRestSeconds, seconds);
  let shape: Shape | undefined;
  let restedSeconds = 0;
  for (let tries = 1; tries <= mostBursts; tries += 1) {
    restedSeconds = tries === 1 ? restSeconds : restSeconds + halfASecondLater;
    await rest(restedSeconds);
    const fast = await keep(highestRate, wanted / highestRate, "burst");
    const after = await keep(probeRate(perSecond), afterBurstSeconds, "burst");
    const seen = shapeOfBurst(inOrder([...fast, ...after]), estimate, restedSeconds);
    // A window that reset in the middle of the burst accepted twice its size.
    if (shape === undefined || (seen !== undefined && seen.burst < shape.burst)) shape = seen;
    if (shape === undefined || shape.burst <= known * alike) break;
  }
  // A bucket was full only at the start, so its size shows over the whole probe.
  const fallback = estimate.kind === "bucket" ? { burst: bucket } : {};
  return { kind: "limit", refusedAt, estimate: { ...estimate, ...(shape ?? fallback) }, cached };
}

type Shape = Pick<ProbeEstimate, "kind" | "burst" | "burstLow" | "burstHigh" | "windowSeconds">;

/**
 * Evaluates a burst after a pause, which is accepted up to the size of the bucket or window. A window then accepts nothing
 * until it resets or slides; a bucket continues token by token. Undefined if everything was accepted.
 */
function shapeOfBurst(
  samples: readonly ProbeSample[],
  { perSecond, low: slowest, high: fastest, kind, windowSeconds }: ProbeEstimate,
  restedSeconds: number,
): Shape | undefined {
  const block: ProbeSample[] = [];
  let refused = 0;
  let next: number | undefined;
  for (const sample of samples) {
    if (!sample.admitted) refused += 1;
    else if (refused >= fullAfter) {
      next = sample.at;
      break;
    } else {
      block.push(sample);
      refused = 0;
    }
  }
  const first = block[0]?.at;
  const last = block.at(-1)?.at;
  if (first === undefined || last === undefined || refused < fullAfter) return undefined;
  const most = acceptedBeforeRefusal(samples);
  const certain = acceptedAtOnce(block, fastest);
  const interval = (seconds = windowSeconds) => {
    const inWindow = seconds === undefined ? Number.POSITIVE_INFINITY : slowest * seconds;
    // What was not full accepts less than it holds. More than a window holds: it turned, or there are two limits, and it is
    // not known when the second one refills.
    const isFull = block.length <= inWindow * alike && restedSeconds * slowest * surelyFull >= most;
    // A window that turned in the middle of the block accepted up to twice its size.
    const burstLow = Math.max(1, Math.min(certain, Math.max(block.length / 2 - 1, inWindow)));
    return { burstLow, ...(isFull ? { burstHigh: most + 1 } : {}) };
  };
  if (kind === "window" && windowSeconds !== undefined && next !== undefined) {
    // Under a steady probe, a sliding window looks like a short fixed one.
    const seen = (next - first) / 1000;
    const seconds = seen > 2 * windowSeconds ? seen : windowSeconds;
    return { kind, burst: block.length, windowSeconds: seconds, ...interval(seconds) };
  }
  const leastGap = 1000 * Math.max(windowGapSeconds, windowGapTokens / perSecond);
  if (next !== undefined && next - last > leastGap) {
    const seconds = (next - first) / 1000;
    return { kind: "window", burst: block.length, windowSeconds: seconds, ...interval(seconds) };
  }
  // Tokens were added during the burst.
  const burst = block.length - ((last - first) / 1000) * perSecond;
  return { kind, burst, windowSeconds, ...interval() };
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

/** The rate of the first step with refusals; undefined without any. And the highest rate of responses. */
async function stepUp(
  start: number,
  hold: Hold,
): Promise<{ readonly refusedAt?: number; readonly reached: number }> {
  let reached = 0;
  for (let rate = Math.max(2, start); rate <= highestRate; rate *= stepFactor) {
    const step = await hold(rate, stepSeconds, "step");
    const refused = step.filter(({ admitted }) => !admitted).length;
    const times = step.map(({ at }) => at);
    reached = Math.max(
      reached,
      step.length / Math.max(stepSeconds, (Math.max(...times) - Math.min(...times)) / 1000),
    );
    if (refused >= 2 && refused >= step.length * telling) return { refusedAt: rate, reached };
  }
  return { reached };
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
  /** Maximum number of requests accepted at once: the size of a full bucket or of a window. */
  readonly burst: number;
  /** The interval of the burst. Without an upper end if the bucket may not have been full; without both if no burst showed it. */
  readonly burstLow?: number;
  readonly burstHigh?: number;
  /** A window accepts a block and then nothing until it turns; a bucket accepts evenly. */
  readonly kind: "window" | "bucket";
  /** Length of the window, with kind window. */
  readonly windowSeconds: number | undefined;
}

/** The limiter is a window if the median gap before a re-admission is more mean spacings than this; for a bucket it is about 1. */
const windowGap = 1.8;

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
  const windowSeconds = seconds / (readmissions.length - 1);
  const isWindow = median(readmissions.map(({ gap }) => gap)) * perSecond > windowGap * 1000;
  return {
    perSecond,
    low: Math.max(0, admitted - 1) / (seconds + spacing),
    // The opening of a sliding window is noticed up to one spacing late, at most once a second.
    high: (admitted + 1) / Math.max(seconds - spacing * Math.ceil(seconds), spacing),
    // A window accepts its whole size at once.
    burst: isWindow ? perSecond * windowSeconds : burstOf(samples, perSecond),
    kind: isWindow ? "window" : "bucket",
    windowSeconds: isWindow ? windowSeconds : undefined,
  };
}

interface Readmission {
  readonly index: number;
  readonly at: number;
  /** Milliseconds since the previous accepted request. */
  readonly gap: number;
  /** Number of requests refused in between. */
  readonly refused: number;
}

/** Re-admissions after a usual number of refusals; after fewer, responses probably overtook each other when a window reset. */
function steadyReadmissions(samples: readonly ProbeSample[]): Readmission[] {
  const all: Readmission[] = [];
  let refused = 0;
  let admittedAt: number | undefined;
  for (const [index, { at, admitted }] of samples.entries()) {
    if (!admitted) {
      refused += 1;
      continue;
    }
    if (refused > 0 && admittedAt !== undefined) all.push({ index, at, gap: at - admittedAt, refused });
    refused = 0;
    admittedAt = at;
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
