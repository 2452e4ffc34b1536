/** One request of a polite client. Times are milliseconds of one clock. */
export interface Sending {
  readonly sentAt: number;
  /** The time of its response; undefined before it. */
  answeredAt: number | undefined;
}

/** Decides when a polite client may send. */
export interface PolitePacer {
  /** Milliseconds until the next request may be sent; Infinity if it depends on a response that has not arrived. */
  delay(now: number): number;
  /** Records that a request is sent. */
  sent(now: number): Sending;
  /** Records that it was accepted. Returns the milliseconds since the first refusal, if this ends a wait. */
  admitted(now: number, sending: Sending): number | undefined;
  /** Records that it was refused, and the required wait. */
  refused(now: number, sending: Sending, waitSeconds: number): void;
  /** The current rate in requests a second. */
  rate(): number;
  readonly waits: PacerWaits;
}

/** Statistics of the refusals so far. */
interface PacerWaits {
  /** Number of waits, and the sum of their seconds. */
  count: number;
  waitedSeconds: number;
  /** Waits after which the first request was refused again. */
  refusedAgain: number;
}

/** The initial rate as a share of the limit, which is known to about a hundredth. */
const margin = 0.99;
/** Each refusal lowers the rate by this share. */
const decrease = 0.025;
/**
 * Longest delay of the schedule that is caught up, at 50 a second and more, because timers fire late. Requests missed in
 * a longer stall are not sent later, since a bucket refuses bursts.
 */
const catchUpMilliseconds = 40;

/**
 * Paces requests evenly a little below the limit. A refusal costs a wait of a second or more without any request, so
 * jitter alone must not cause one: the time from the response to the first of a second's requests to the sending of the
 * last is at least what the rate requires. No window then contains more of them, however late some arrive.
 *
 * The rate never grows: looking for a higher one ends in a refusal, whose wait costs more than it finds. After a wait one
 * request is sent, and the others follow once it is accepted.
 *
 * @param perSecond the limit, as measured by a probe or as configured
 * @param demand highest rate, in requests a second
 */
export function createPacer(perSecond: number, demand = Number.POSITIVE_INFINITY): PolitePacer {
  let rate = Math.min(demand, perSecond * margin);
  let nextAt: number | undefined;
  let waitUntil = 0;
  let scout: "due" | Sending | undefined;
  let refusedAt: number | undefined;
  /** The requests of the last second that were not refused, in order of sending. */
  let recent: Sending[] = [];
  let shortestResponse = Number.POSITIVE_INFINITY;
  const waits: PacerWaits = { count: 0, waitedSeconds: 0, refusedAgain: 0 };

  /** The time at which one more request fits into any window of a second, whatever the network delays. */
  function windowOpensAt(): number {
    // Rounded up, so that the period is at least a second: in a shorter one, a window could contain one request more.
    const quota = Math.ceil(rate);
    const first = recent.at(-quota);
    if (first === undefined) return 0;
    if (first.answeredAt === undefined) return Number.POSITIVE_INFINITY;
    // The next request takes at least the shortest response time as well.
    return first.answeredAt - shortestResponse + (quota * 1000) / rate;
  }

  return {
    waits,
    rate: () => rate,
    delay(now) {
      if (now < waitUntil) return waitUntil - now;
      if (typeof scout === "object") return Number.POSITIVE_INFINITY;
      return Math.max(0, (nextAt ?? now) - now, windowOpensAt() - now);
    },
    sent(now) {
      const sending: Sending = { sentAt: now, answeredAt: undefined };
      const behind = scout === "due" ? 0 : catchUpMilliseconds * Math.min(1, rate / 50);
      if (scout === "due") scout = sending;
      nextAt = Math.max(nextAt ?? now, now - behind) + 1000 / rate;
      recent.push(sending);
      if (recent.length > rate * 2 + 10) recent = recent.slice(-Math.ceil(rate + 1));
      return sending;
    },
    admitted(now, sending) {
      sending.answeredAt = now;
      shortestResponse = Math.min(shortestResponse, now - sending.sentAt);
      if (scout === sending) scout = undefined;
      if (refusedAt === undefined || sending.sentAt < waitUntil) return undefined;
      const recovery = now - refusedAt;
      refusedAt = undefined;
      return recovery;
    },
    refused(now, sending, waitSeconds) {
      recent = recent.filter((each) => each !== sending);
      // Requests in flight when the wait began belong to the same refusal.
      if (sending.sentAt >= waitUntil) {
        if (scout === sending) waits.refusedAgain += 1;
        waits.count += 1;
        waits.waitedSeconds += waitSeconds;
        refusedAt ??= now;
        rate *= 1 - decrease;
      }
      waitUntil = Math.max(waitUntil, now + waitSeconds * 1000);
      scout = "due";
    },
  };
}
