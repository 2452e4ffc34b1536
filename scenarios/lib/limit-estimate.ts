/** One request of a probe: when it was decided, in milliseconds, and whether it was accepted. */
export interface ProbeSample {
  readonly at: number;
  readonly admitted: boolean;
}

/** Least rate of a probe: a window's turn is seen to the next request, so a slow probe sees a low limit late. */
const leastProbeRate = 40;

/** Requests a second with which to probe a limit that is about `perSecond`. */
export function probeRate(perSecond: number, overload = 2.2): number {
  return Math.max(leastProbeRate, perSecond * overload);
}

const stepSeconds = 1;
const stepFactor = 2.5;
/** Requests a second of the highest step, and of a burst. */
export const highestRate = 3000;
const roughSeconds = 3;
/** A step with this share of refusals has found the limit. */
const telling = 0.2;
/** Share of the planned requests below which a probe was not above the limit all the time, and its estimate too low. */
const leastSent = 0.8;

/** Sends steadily at a rate a second for so many seconds, and returns what became of it when all responses are there. */
export type Hold = (
  perSecond: number,
  seconds: number,
  phase: "step" | "rough" | "steady" | "burst",
) => Promise<readonly ProbeSample[]>;

/** What a probe found. */
export type ProbeOutcome =
  | { readonly kind: "no limit" }
  /** Fewer requests were sent than planned. */
  | { readonly kind: "starved"; readonly sent: number; readonly planned: number }
  /** `refusedAt`: the rate of the first step that was refused. */
  | { readonly kind: "limit"; readonly refusedAt: number; readonly estimate: ProbeEstimate | undefined };

const restSeconds = 10;
const mostBursts = 2;
/** Requests of a burst, in those that were accepted at once before, and some more. */
const burstRequests = 1.5;
const moreRequests = 50;
const afterBurstSeconds = 1.3;
/** So many refusals one after the other end what is accepted at once. */
const fullAfter = 10;
/** Spacings of a bucket's tokens, and seconds, without an admission above which it is a window that is full. */
const windowGapTokens = 2.5;
const windowGapSeconds = 0.1;
/** Two measures of a burst that are no further apart than this agree. */
const alike = 1.2;

/**
 * Steps up from a rate until refusals come, takes a rough estimate, then holds about twice of it for `seconds`.
 * A window that slides accepts as evenly as a bucket under a steady probe: after a rest, a burst tells them apart.
 * @param start requests a second of the first step
 * @param rest sends nothing for so many seconds
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
  if (steady.length < planned * leastSent) {
    return { kind: "starved", sent: steady.length, planned: Math.round(planned) };
  }
  const estimate = estimateLimit(steady);
  if (estimate === undefined) return { kind: "limit", refusedAt, estimate };
  const { perSecond, windowSeconds = 0 } = estimate;
  const bucket = burstOf(inOrder(samples), perSecond);
  const known = Math.max(bucket, perSecond * windowSeconds);
  const wanted = Math.max(known, perSecond) * burstRequests + moreRequests;
  // The second burst begins in the other half of a window of a second.
  const halfASecondLater = (1.5 - ((wanted / highestRate + afterBurstSeconds) % 1)) % 1;
  let shape: Shape | undefined;
  for (let tries = 1; tries <= mostBursts; tries += 1) {
    await rest(tries === 1 ? restSeconds : restSeconds + halfASecondLater);
    const fast = await keep(highestRate, wanted / highestRate, "burst");
    const after = await keep(probeRate(perSecond), afterBurstSeconds, "burst");
    const seen = shapeOfBurst(inOrder([...fast, ...after]), estimate);
    // A window that turned in the middle of the burst accepted twice of what it holds.
    if (shape === undefined || (seen !== undefined && seen.burst < shape.burst)) shape = seen;
    if (shape === undefined || shape.burst <= known * alike) break;
  }
  // A bucket was full at the start only: its size shows over the whole probe.
  const fallback = estimate.kind === "bucket" ? { burst: bucket } : {};
  return { kind: "limit", refusedAt, estimate: { ...estimate, ...(shape ?? fallback) } };
}

type Shape = Pick<ProbeEstimate, "kind" | "burst" | "windowSeconds">;

/**
 * What a burst after a rest tells: it is accepted up to what bucket or window hold. A window then accepts nothing until
 * it turns, or until the first of the burst leaves it; a bucket goes on token by token. Undefined when all was accepted.
 */
function shapeOfBurst(
  samples: readonly ProbeSample[],
  { perSecond, kind, windowSeconds }: ProbeEstimate,
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
  if (kind === "window" && windowSeconds !== undefined && next !== undefined) {
    // A window that slides looks like a short one that turns, under a steady probe.
    const seen = (next - first) / 1000;
    return { kind, burst: block.length, windowSeconds: seen > 2 * windowSeconds ? seen : windowSeconds };
  }
  const leastGap = 1000 * Math.max(windowGapSeconds, windowGapTokens / perSecond);
  if (next !== undefined && next - last > leastGap) {
    return { kind: "window", burst: block.length, windowSeconds: (next - first) / 1000 };
  }
  // While the burst went on, tokens came.
  return { kind, burst: block.length - ((last - first) / 1000) * perSecond, windowSeconds };
}

/** The rate at which refusals came; undefined when none did. */
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

/** What a probe above the limit tells of a limiter. */
export interface ProbeEstimate {
  /** Requests a second that are accepted in the long run, with the interval that the samples allow. */
  readonly perSecond: number;
  readonly low: number;
  readonly high: number;
  /** Most requests accepted at once: what a full bucket holds, or a window. */
  readonly burst: number;
  /** A window accepts a block and then nothing until it turns; a bucket accepts evenly. */
  readonly kind: "window" | "bucket";
  /** Length of the window, with kind window. */
  readonly windowSeconds: number | undefined;
}

/** Median gap before a re-admission, in mean spacings, above which the limiter is a window: a bucket has about 1. */
const windowGap = 1.8;

/**
 * Estimates a limit from requests sent steadily above it. A re-admission is the first one accepted after
 * refusals: between two of them lie whole windows of a window, and whole tokens of a bucket, so the number
 * accepted between the first and the last, over the time, is the limit of either. Undefined when there are fewer
 * than two: nothing was refused, or the window is longer than the probe.
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
    // A window that slides is seen to open up to one spacing late, once a second or more seldom.
    high: (admitted + 1) / Math.max(seconds - spacing * Math.ceil(seconds), spacing),
    // A window accepts all that it has at once.
    burst: isWindow ? perSecond * windowSeconds : burstOf(samples, perSecond),
    kind: isWindow ? "window" : "bucket",
    windowSeconds: isWindow ? windowSeconds : undefined,
  };
}

interface Readmission {
  readonly index: number;
  readonly at: number;
  /** Milliseconds since the one accepted before. */
  readonly gap: number;
  /** Requests refused in between. */
  readonly refused: number;
}

/** Re-admissions after a usual run of refusals: shorter runs come of responses that overtook each other at a window's edge. */
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
  const usual = median(
    all.map((each) => each.refused).filter((run, _, runs) => run * 4 >= Math.max(...runs)),
  );
  return all.filter((each) => each.refused * 2 >= usual);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * Largest number accepted within any stretch of time beyond what the rate would: how much a full bucket holds.
 * The samples are in the order of time.
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
