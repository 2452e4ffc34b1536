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

/** What a probe above the limit tells of a limiter. */
export interface ProbeEstimate {
  /** Requests a second that are accepted in the long run, with the interval that the samples allow. */
  readonly perSecond: number;
  readonly low: number;
  readonly high: number;
  /** Most requests accepted beyond the steady rate. */
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
  const samples = unordered.toSorted((a, b) => a.at - b.at);
  const readmissions = steadyReadmissions(samples);
  const first = readmissions[0];
  const last = readmissions.at(-1);
  if (first === undefined || last === undefined || readmissions.length < 2) return undefined;
  const seconds = (last.at - first.at) / 1000;
  const admitted = samples.slice(first.index, last.index).filter((sample) => sample.admitted).length;
  if (seconds <= 0 || admitted === 0) return undefined;
  const perSecond = admitted / seconds;
  const spacing = seconds / (last.index - first.index);
  const isWindow = median(readmissions.map(({ gap }) => gap)) * perSecond > windowGap * 1000;
  return {
    perSecond,
    low: Math.max(0, admitted - 1) / (seconds + spacing),
    // A window that slides is seen to open up to one spacing late, once a second or more seldom.
    high: (admitted + 1) / Math.max(seconds - spacing * Math.ceil(seconds), spacing),
    burst: burstOf(samples, perSecond),
    kind: isWindow ? "window" : "bucket",
    windowSeconds: isWindow ? seconds / (readmissions.length - 1) : undefined,
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
export function burstOf(samples: readonly ProbeSample[], perSecond: number): number {
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
