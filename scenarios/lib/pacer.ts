/** One request of a polite client. Times are milliseconds of one clock. */
export interface Sending {
  readonly sentAt: number;
}

/** The initial rate as a share of the limit: a few requests that arrive late, and together, still fit. */
const margin = 0.97;
/** Each refusal lowers the rate by this share. */
const decrease = 0.025;
/**
 * Longest delay that is caught up, because timers fire late. What a longer stall missed is not sent later,
 * since a bucket refuses bursts.
 */
const catchUpMilliseconds = 5;

/**
 * Decides when a polite client may send: evenly, a little below the limit, because a refusal costs a wait of
 * a second or more without any request. The rate never grows: looking for a higher one ends in a refusal,
 * whose wait costs more than it finds. After a wait one request is sent, and the others follow once it is
 * accepted.
 *
 * @param perSecond the limit, as measured by a probe or as configured
 * @param demand highest rate, in requests a second
 */
export function createPacer(perSecond: number, demand = Number.POSITIVE_INFINITY) {
  let rate = Math.min(demand, perSecond * margin);
  let nextAt: number | undefined;
  let waitUntil = 0;
  let scout: "due" | Sending | undefined;
  /** Waits, their seconds, and those after which the first request was refused again. */
  const waits = { count: 0, waitedSeconds: 0, refusedAgain: 0 };

  return {
    waits,
    /** Milliseconds until the next request; Infinity if it depends on a response that has not arrived. */
    delay(now: number): number {
      if (now < waitUntil) return waitUntil - now;
      return typeof scout === "object" ? Number.POSITIVE_INFINITY : Math.max(0, (nextAt ?? now) - now);
    },
    /** Records that a request is sent. */
    sent(now: number): Sending {
      const sending: Sending = { sentAt: now };
      nextAt = Math.max(nextAt ?? now, now - (scout === "due" ? 0 : catchUpMilliseconds)) + 1000 / rate;
      if (scout === "due") scout = sending;
      return sending;
    },
    admitted(sending: Sending): void {
      if (scout === sending) scout = undefined;
    },
    refused(now: number, sending: Sending, waitSeconds: number): void {
      // Requests in flight when the wait began belong to the same refusal.
      if (sending.sentAt >= waitUntil) {
        if (scout === sending) waits.refusedAgain += 1;
        waits.count += 1;
        waits.waitedSeconds += waitSeconds;
        rate *= 1 - decrease;
      }
      waitUntil = Math.max(waitUntil, now + waitSeconds * 1000);
      scout = "due";
    },
  };
}
