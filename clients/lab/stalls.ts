/** A time in which the observer stood still: what arrived in it was seen at its end. Milliseconds of the run. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

const everyMilliseconds = 10;
/** Timers are late by a few milliseconds on any machine. */
const leastMilliseconds = 20;
const mostStalls = 10_000;

/** Notes when a timer comes late. */
export function createStallWatch(now: () => number) {
  const seen: Stall[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  return {
    start() {
      last = now();
      timer = setInterval(() => {
        const to = now();
        if (to - last > everyMilliseconds + leastMilliseconds && seen.length < mostStalls)
          seen.push({ from: last, to });
        last = to;
      }, everyMilliseconds);
      timer.unref();
    },
    stop: () => clearInterval(timer),
    stalls: (): readonly Stall[] => seen,
  };
}

/** Length of the longest stall of which a part is between two moments. */
export function longestStall(
  stalls: readonly Stall[],
  { after, until }: { readonly after: number; readonly until: number } = {
    after: 0,
    until: Number.POSITIVE_INFINITY,
  },
): number {
  return stalls
    .filter(({ from, to }) => to > after && from < until)
    .reduce((longest, { from, to }) => Math.max(longest, to - from), 0);
}
