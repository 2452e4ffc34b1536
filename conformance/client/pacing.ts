import { setTimeout } from "node:timers/promises";
import type { Target } from "./target.ts";

/** The time that a run works with, in milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after at least this long; rejects with the signal's reason when it is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Keeps one organization within its limit (spec, Limits: "Clients must respect Retry-After"). */
export type Pacer = ReturnType<typeof createPacer>;

// A timer may fire a millisecond early, and clocks round differently: too early breaks the promise to wait.
const marginMilliseconds = 60;
// Retry-After has whole seconds: a wait of 0 may be any part of a second.
const leastPrecision = 1000;
/** Windows without a 429 after which the rate is doubled; each time, twice as many until the next. */
const windowsUntilFaster = 4;
/** Below this many milliseconds an interval is none. */
const leastInterval = 2;
/** After so many waits in vain, each is longer than announced, twice as much each time. */
const waitsAsAnnounced = 3;
const firstExtension = 500;
/** After the last one a run gives up, so what still waits is not held back any longer. */
const mostExtensions = 5;
// The estimated rate stays below the accepted one, so that a paced run gets no second 429.
const caution = 0.9;

/**
 * Sends without delay until the first 429, then never before Retry-After and a little slower than was
 * accepted.
 * @param leastGap milliseconds between two requests from the start
 */
export function createPacer(clock: Clock, leastGap = 0) {
  let interval = leastGap;
  let notBefore = 0;
  let refusedUntil = 0;
  let window = leastPrecision;
  let windowStart = clock.now();
  let admittedInWindow = 0;
  let patience = windowsUntilFaster;
  let inVain = { count: 0, milliseconds: 0 };
  let queue: Promise<void> = Promise.resolve();

  async function take(): Promise<void> {
    // A 429 that arrives during the sleep moves notBefore, so it is compared again.
    for (let left = notBefore - clock.now(); left > 0; left = notBefore - clock.now())
      await clock.sleep(left);
    notBefore = Math.max(notBefore, clock.now() + interval);
  }

  function beginWindow(length: number): void {
    window = length;
    windowStart = clock.now();
    admittedInWindow = 0;
  }

  /** Learns from the first 429 after a wait, and returns how much longer than announced the next wait is. */
  function learn(waitMilliseconds: number): number {
    const cycle = clock.now() + waitMilliseconds + marginMilliseconds - windowStart;
    // After Retry-After at least one request is accepted, so a longer interval gains nothing.
    const longest = Math.max(waitMilliseconds, leastPrecision);
    // Without an accepted request since, the limit was used up by others: that says nothing of its rate.
    if (admittedInWindow > 0)
      interval = Math.max(interval, Math.min(cycle / admittedInWindow / caution, longest));
    beginWindow(longest);
    const more = inVain.count - waitsAsAnnounced;
    return more >= 0 && more < mostExtensions ? firstExtension * 2 ** more : 0;
  }

  return {
    /** Resolves when the next request may leave, in the order of the calls. */
    turn(): Promise<void> {
      const mine = queue.then(take);
      queue = mine.catch(() => undefined);
      return mine;
    },
    /** Records a response other than 429. */
    admitted(): void {
      inVain = { count: 0, milliseconds: 0 };
      admittedInWindow++;
      // The limit may be wider than it was when others used it.
      if (interval === 0 || clock.now() - windowStart < patience * window) return;
      interval = interval / 2 < leastInterval ? 0 : interval / 2;
      patience *= 2;
      beginWindow(window);
    },
    /**
     * Records a 429 with the wait that it asks for.
     * @param sentAt of its request. None for one that ignored the limit, which says nothing of the pace
     */
    refused(waitMilliseconds: number, sentAt?: number): void {
      let wait = waitMilliseconds + marginMilliseconds;
      // A late 429 to what was on its way at an earlier one says nothing new: nothing leaves before the wait.
      if (sentAt !== undefined && sentAt >= refusedUntil) {
        wait += learn(waitMilliseconds);
        inVain = { count: inVain.count + 1, milliseconds: inVain.milliseconds + wait };
      }
      refusedUntil = Math.max(refusedUntil, clock.now() + wait);
      notBefore = Math.max(notBefore, refusedUntil);
    },
    /** Milliseconds until the waits that 429 required have passed. */
    refusal: () => Math.max(0, refusedUntil - clock.now()),
    /** Milliseconds between two requests, as learned so far. */
    interval: () => interval,
    /** The waits since a request was last accepted; concurrent refusals count once. */
    waitsInVain: () => inVain,
  };
}

/** Sends when the limits in the config and the pacer of the caller's organization allow it. */
export function createGate(
  { maxRequestsPerSecond, maxConcurrency = Number.POSITIVE_INFINITY }: Partial<Target>,
  clock: Clock,
): <T>(pacer: Pacer | undefined, send: () => Promise<T>) => Promise<T> {
  const own = createPacer(clock, maxRequestsPerSecond === undefined ? 0 : 1000 / maxRequestsPerSecond);
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (pacer, send) => {
    while (underWay >= maxConcurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    underWay++;
    try {
      do {
        await pacer?.turn();
        await own.turn();
        // A 429 that arrived in the meantime requires its own wait.
      } while (pacer !== undefined && pacer.refusal() > 0);
      return await send();
    } finally {
      underWay--;
      waiting.shift()?.();
    }
  };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    await setTimeout(Math.ceil(milliseconds), undefined, { ...(signal && { signal }) });
  },
};
