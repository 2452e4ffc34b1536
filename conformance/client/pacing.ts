/** What a pacer needs from the outside; the clock is in milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after at least this long; rejects with the signal's reason when it is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Keeps the requests of one organization within its limit (spec, Limits: "Clients must respect Retry-After"). */
export interface Pacer {
  /** Resolves when the next request may leave. */
  turn(signal?: AbortSignal): Promise<void>;
  /** An answer other than 429 came. */
  admitted(): void;
  /** A 429 came that asks to wait this long. */
  refused(waitMilliseconds: number): void;
  /** Milliseconds until the next request may leave, as known now. */
  wait(): number;
  /** Of these, the milliseconds that a 429 asked for. */
  refusal(): number;
  /** Milliseconds between two requests, as learned so far. */
  interval(): number;
}

// A timer may fire a millisecond early and two clocks may differ in their rounding: a request that comes
// a hair too late costs nothing, one that comes a hair too early breaks the promise.
const marginMilliseconds = 60;
// How far the estimate stays below what was last admitted, so that a paced run meets no second 429.
const caution = 0.9;

/**
 * A pacer that sends freely until the first 429, then never before Retry-After has passed, and
 * from then on at a rate just below what the service admitted. Requests leave in the order of their `turn` calls.
 */
export function createPacer(clock: Clock): Pacer {
  let notBefore = 0;
  let refusedUntil = 0;
  let interval = 0;
  let windowStart = clock.now();
  let admittedInWindow = 0;
  let queue: Promise<void> = Promise.resolve();

  async function take(signal?: AbortSignal): Promise<void> {
    // A 429 that arrives during the sleep moves notBefore: look again.
    for (let left = notBefore - clock.now(); left > 0; left = notBefore - clock.now()) {
      await clock.sleep(left, signal);
    }
    notBefore = Math.max(notBefore, clock.now() + interval);
  }

  return {
    turn(signal) {
      const mine = queue.then(() => take(signal));
      queue = mine.catch(() => undefined);
      return mine;
    },
    admitted() {
      admittedInWindow++;
    },
    refused(waitMilliseconds) {
      const now = clock.now();
      const end = now + waitMilliseconds + marginMilliseconds;
      // Only the first refusal of a burst teaches: the others were under way already.
      if (end > notBefore + interval || interval === 0) {
        const cycle = end - windowStart;
        // After Retry-After one request at least is accepted, so a longer interval gains nothing.
        const learned = Math.min(cycle / Math.max(1, admittedInWindow) / caution, waitMilliseconds);
        interval = Math.max(interval, learned);
        windowStart = now;
        admittedInWindow = 0;
      }
      notBefore = Math.max(notBefore, end);
      refusedUntil = Math.max(refusedUntil, end);
    },
    wait: () => Math.max(0, notBefore - clock.now()),
    refusal: () => Math.max(0, refusedUntil - clock.now()),
    interval: () => interval,
  };
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    const { setTimeout } = await import("node:timers/promises");
    await setTimeout(Math.ceil(milliseconds), undefined, signal === undefined ? {} : { signal });
  },
};
