/** Decides when a polite client may send. All times are milliseconds of one clock. */
export interface Pacer {
  /** Milliseconds until the next request may be sent; 0 for now. Infinity while a scout's answer is awaited. */
  delay(now: number): number;
  /** Notes that a request is sent. */
  sent(now: number): void;
  /** Notes that a request that was sent at `sentAt` was let in. */
  admitted(now: number, sentAt: number): void;
  /** Notes a refusal and the wait that it asked for. */
  refused(now: number, sentAt: number, waitSeconds: number): void;
  /** Requests a second that it holds to now. */
  rate(): number;
  readonly waits: PacerWaits;
}

/** What came of the refusals so far. */
export interface PacerWaits {
  /** Waits that were kept, and their seconds as told. */
  count: number;
  toldSeconds: number;
  /** Waits after which the first request was refused again. */
  refusedAgain: number;
  /** Milliseconds from a refusal to the next admission, summed over the waits that ended so. */
  recoveryMilliseconds: number;
  recovered: number;
}

/** Below the estimate by this much at the start: room for the error of the estimate and of the timers. */
const margin = 0.985;
const slowerOnRefusal = 0.975;
const fasterOnPeace = 1.005;
/** Of a rate that was refused: as far up as the rate may grow again. */
const belowRefused = 0.98;
const peaceMilliseconds = 15_000;
/**
 * How far the schedule may be behind and still be caught up, at 50 a second and more: timers come late. What a
 * longer stall cost is let go, since requests in a bunch are what a limit refuses.
 */
const catchUpMilliseconds = 20;

/**
 * Paces requests evenly a little below the limit. After a refusal nothing is sent until the wait has
 * passed; then a single scout goes first, and the rest follow when it is let in. The rate gives way at
 * each refusal, and grows slowly, but never back to one that was refused.
 *
 * @param perSecond the estimated limit
 */
export function createPacer(perSecond: number): Pacer {
  let rate = perSecond * margin;
  let ceiling = perSecond * 1.2;
  let nextAt: number | undefined;
  let waitUntil = 0;
  let scout: "none" | "due" | { sentAt: number } = "none";
  let refusedAt: number | undefined;
  let peaceSince = 0;
  const waits: PacerWaits = {
    count: 0,
    toldSeconds: 0,
    refusedAgain: 0,
    recoveryMilliseconds: 0,
    recovered: 0,
  };

  function beginWait(now: number, waitSeconds: number): void {
    waits.count += 1;
    waits.toldSeconds += waitSeconds;
    refusedAt ??= now;
    ceiling = Math.min(ceiling, rate * belowRefused);
    rate *= slowerOnRefusal;
    peaceSince = now;
  }

  return {
    waits,
    rate: () => rate,
    delay(now) {
      if (now < waitUntil) return waitUntil - now;
      if (typeof scout === "object") return Number.POSITIVE_INFINITY;
      return Math.max(0, (nextAt ?? now) - now);
    },
    sent(now) {
      const catchUp = scout === "due" ? 0 : catchUpMilliseconds * Math.min(1, rate / 50);
      if (scout === "due") scout = { sentAt: now };
      nextAt = Math.max(nextAt ?? now, now - catchUp) + 1000 / rate;
    },
    admitted(now, sentAt) {
      if (typeof scout === "object" && scout.sentAt === sentAt) {
        scout = "none";
      }
      if (refusedAt !== undefined && sentAt >= waitUntil) {
        waits.recovered += 1;
        waits.recoveryMilliseconds += now - refusedAt;
        refusedAt = undefined;
      }
      if (now - peaceSince > peaceMilliseconds) {
        rate = Math.min(ceiling, rate * fasterOnPeace);
        peaceSince = now;
      }
    },
    refused(now, sentAt, waitSeconds) {
      const until = now + waitSeconds * 1000;
      // Requests that were under way when the wait began are part of the same refusal.
      if (sentAt >= waitUntil) {
        if (typeof scout === "object" && scout.sentAt === sentAt) waits.refusedAgain += 1;
        beginWait(now, waitSeconds);
      }
      waitUntil = Math.max(waitUntil, until);
      scout = "due";
    },
  };
}
