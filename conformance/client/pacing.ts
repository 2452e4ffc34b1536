import type { Target } from "./target.ts";

/** The time that a pacer works with, in milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after at least this long; rejects with the signal's reason when it is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The time by which requests must be sent, in milliseconds since 1970, and the error for those that would be later. */
export interface Deadline {
  readonly at: number;
  readonly error: () => Error;
}

/** The waits that 429 required since a request was last accepted; concurrent refusals count once. */
export interface WaitsInVain {
  readonly count: number;
  readonly milliseconds: number;
  /** When the first of them began. */
  readonly since: number;
}

/** Keeps the requests of one organization within its limit (spec, Limits: "Clients must respect Retry-After"). */
export interface Pacer {
  /** Resolves when the next request may leave. @throws the error of the deadline as soon as that would be later */
  turn(signal?: AbortSignal): Promise<void>;
  /** Records a response other than 429. */
  admitted(): void;
  /** Records a 429 with the wait that it asks for, to a request sent at this time (default: now). */
  refused(waitMilliseconds: number, sentAt?: number): void;
  /** Records a 429 to a request sent regardless of the limit: it shows how long to wait, and nothing about the pace. */
  exceeded(waitMilliseconds: number): void;
  /** Milliseconds until the next request may leave, as known now. */
  wait(): number;
  /** The part of these milliseconds that a 429 requires. */
  refusal(): number;
  /** Milliseconds between two requests, as learned so far. */
  interval(): number;
  waitsInVain(): WaitsInVain;
}

// A timer may fire a millisecond early, and two clocks may round differently. A request slightly late costs nothing;
// one slightly early breaks the promise to wait.
const marginMilliseconds = 60;
// Retry-After has whole seconds: a wait of 0 may be any part of a second.
const leastPrecision = 1000;
/** Windows without a 429 after which the pace is raised, at first; twice as many after each time that it was too fast. */
const windowsUntilFaster = 4;
/** The interval after such a time, as a share of the one before; below this many milliseconds it is none. */
const recovery = 0.5;
const leastInterval = 2;
/** After so many waits in vain, each is longer than announced, twice as much each time. */
export const waitsAsAnnounced = 3;
const firstExtension = 500;
/** After the last one a run gives up, so what still waits is not held back any longer. */
const mostExtensions = 5;
const noWaits: WaitsInVain = { count: 0, milliseconds: 0, since: 0 };
// The estimated rate stays below the accepted one, so that a paced run gets no second 429.
const caution = 0.9;

/**
 * Creates a pacer. It sends without delay until the first 429, never before Retry-After has passed, and then slightly
 * slower than the service accepted. Requests leave in the order of their `turn` calls.
 * @param leastGap milliseconds between two requests from the start
 */
export function createPacer(clock: Clock, deadline?: Deadline, leastGap = 0): Pacer {
  let interval = leastGap;
  let notBefore = 0;
  let refusedUntil = 0;
  let windowStart = clock.now();
  let window = leastPrecision;
  let patience = windowsUntilFaster;
  let isRecovering = false;
  let burstEnds = Number.NEGATIVE_INFINITY;
  let admittedInWindow = 0;
  let inVain = noWaits;
  let queue: Promise<void> = Promise.resolve();

  async function take(signal: AbortSignal | undefined): Promise<void> {
    // A 429 that arrives during the sleep moves notBefore, so it is compared again.
    for (let left = notBefore - clock.now(); left > 0; left = notBefore - clock.now()) {
      if (deadline !== undefined && notBefore >= deadline.at) throw deadline.error();
      await clock.sleep(left, signal);
    }
    notBefore = Math.max(notBefore, clock.now() + interval);
  }

  function waitUntil(end: number): void {
    notBefore = Math.max(notBefore, end);
    refusedUntil = Math.max(refusedUntil, end);
  }

  return {
    turn(signal) {
      const mine = queue.then(() => take(signal));
      queue = mine.catch(() => undefined);
      return mine;
    },
    admitted() {
      inVain = noWaits;
      admittedInWindow++;
      // The limit may be wider than it was when others used it: without a 429 for long enough, the pace is raised.
      if (interval === 0 || clock.now() - windowStart < patience * window) return;
      interval = interval * recovery < leastInterval ? 0 : interval * recovery;
      isRecovering = true;
      windowStart = clock.now();
      admittedInWindow = 0;
    },
    refused(waitMilliseconds, sentAt = clock.now()) {
      const now = clock.now();
      let end = now + waitMilliseconds + marginMilliseconds;
      // Only the first 429 of a burst changes the estimate: the other requests were on their way when it arrived, since
      // none leaves before its wait has passed. Their responses may arrive much later.
      const isOfEarlierBurst = sentAt < burstEnds;
      if (!isOfEarlierBurst) {
        const more = inVain.count - waitsAsAnnounced;
        if (more >= 0 && more < mostExtensions) end += firstExtension * 2 ** more;
        burstEnds = end;
        inVain = {
          count: inVain.count + 1,
          milliseconds: inVain.milliseconds + end - now,
          since: inVain.count === 0 ? now : inVain.since,
        };
      }
      if (!isOfEarlierBurst && end > notBefore + interval) {
        // Without an accepted request since, the limit was used up by others: that says nothing of its rate.
        if (admittedInWindow > 0) {
          const cycle = end - windowStart;
          // After Retry-After at least one request is accepted, so a longer interval gains nothing.
          const longest = Math.max(waitMilliseconds, leastPrecision);
          interval = Math.max(interval, Math.min(cycle / admittedInWindow / caution, longest));
        }
        if (isRecovering) patience *= 2;
        isRecovering = false;
        window = Math.max(waitMilliseconds, leastPrecision);
        windowStart = now;
        admittedInWindow = 0;
      }
      waitUntil(end);
    },
    exceeded(waitMilliseconds) {
      waitUntil(clock.now() + waitMilliseconds + marginMilliseconds);
    },
    wait: () => Math.max(0, notBefore - clock.now()),
    refusal: () => Math.max(0, refusedUntil - clock.now()),
    interval: () => interval,
    waitsInVain: () => inVain,
  };
}

/** Keeps the requests of all keys within the limits that the config sets for a target. */
export interface Gate {
  /**
   * Resolves when a request may be sent. Call `left` once its response has arrived or failed.
   * @param pacer the pacer of the caller's organization; none for a request that ignores the target's rate limit
   * @throws the error of the deadline when it cannot be sent by then
   */
  enter(pacer: Pacer | undefined, signal: AbortSignal): Promise<void>;
  /** Frees the place that `enter` took. */
  left(): void;
}

export function createGate(
  {
    maxRequestsPerSecond,
    maxConcurrency = Number.POSITIVE_INFINITY,
  }: Pick<Target, "maxRequestsPerSecond" | "maxConcurrency">,
  clock: Clock,
  deadline?: Deadline,
): Gate {
  const leastGap = maxRequestsPerSecond === undefined ? 0 : 1000 / maxRequestsPerSecond;
  const own = createPacer(clock, deadline, leastGap);
  const waiting = new Set<() => void>();
  let underWay = 0;

  async function placeFree(signal: AbortSignal): Promise<void> {
    while (underWay >= maxConcurrency) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stop = (): void => reject(signal.reason);
      waiting.add(resolve);
      signal.addEventListener("abort", stop, { once: true });
      await promise.finally(() => {
        waiting.delete(resolve);
        signal.removeEventListener("abort", stop);
      });
    }
    underWay++;
  }

  function left(): void {
    underWay--;
    const [next] = waiting;
    next?.();
  }

  return {
    async enter(pacer, signal) {
      await placeFree(signal);
      try {
        do {
          await pacer?.turn(signal);
          await own.turn(signal);
          // A 429 that arrived in the meantime requires its own wait.
        } while (pacer !== undefined && pacer.refusal() > 0);
        if (deadline !== undefined && clock.now() >= deadline.at) throw deadline.error();
      } catch (error) {
        left();
        throw error;
      }
    },
    left,
  };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    const { setTimeout } = await import("node:timers/promises");
    await setTimeout(Math.ceil(milliseconds), undefined, { signal: signal ?? undefined });
  },
};
