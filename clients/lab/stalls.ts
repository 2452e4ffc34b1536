/** A time in which the observer stood still: what arrived in it was seen at its end. Milliseconds of the run. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

const everyMilliseconds = 10;
/** Timers are late by a few milliseconds on any machine. */
const leastMilliseconds = 20;

/** Notes when a timer comes late. */
export function createStallWatch(now: () => number) {
  const stalls: Stall[] = [];
  let last = now();
  const timer = setInterval(() => {
    const to = now();
    if (to - last > everyMilliseconds + leastMilliseconds) stalls.push({ from: last, to });
    last = to;
  }, everyMilliseconds);
  timer.unref();
  return { stalls, stop: () => clearInterval(timer) };
}

/** Length of the longest stall of which a part is between two moments. */
export function longestStall(stalls: readonly Stall[], after: number, until: number): number {
  return Math.max(0, ...stalls.map(({ from, to }) => (to > after && from < until ? to - from : 0)));
}
