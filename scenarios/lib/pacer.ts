/** One request of a polite client. Times are milliseconds of one clock. */
export interface Sending {
  readonly sentAt: number;
  /** The time of its response; undefined before it. */
  answeredAt: number | undefined;
}

/** The initial rate as a share of the limit, which is known to about a hundredth. */
const margin = 0.99;
/** Each refusal lowers the rate by this share. */
const decrease = 0.025;
/**
 * Longest delay that is caught up, at 50 a second and more, because timers fire late. What a longer stall
 * missed is not sent later, since a bucket refuses bursts.
 */
const catchUpMilliseconds = 40;

/**
 * Decides when a polite client may send: evenly, a little below the limit. A refusal costs a wait of a second
 * or more without any request, so jitter alone must not cause one: from the response to the first of a
 * second's requests to the sending of the last takes at least what the rate requires. No window then contains
 * more of them, however late some arrive.
 *
 * The rate never grows: looking for a higher one ends in a refusal, whose wait costs more than it finds.
 * After a wait one request is sent, and the others follow once it is accepted.
 *
 * @param perSecond the limit, as measured by a probe or as configured
 * @param demand highest rate, in requests a second
 */
export function createPacer(perSecond: number, demand = Number.POSITIVE_INFINITY) {
  let rate = Math.min(demand, perSecond * margin);
  let nextAt: number | undefined;
  let waitUntil = 0;
  let scout: "due" | Sending | undefined;
  /** The requests of the last second that were not refused, in order of sending. */
  let recent: Sending[] = [];
  let shortestResponse = Number.POSITIVE_INFINITY;
  /** Waits, their seconds, and those after which the first request was refused again. */
  const waits = { count: 0, waitedSeconds: 0, refusedAgain: 0 };

  /** The time at which one more request fits into any window of a second, whatever the network delays. */
  function windowOpensAt(): number {
    // Rounded up, the period is at least a second: in a shorter one, a window could contain one request more.
    const quota = Math.ceil(rate);
    const first = recent.at(-quota);
    if (first === undefined) return 0;
    if (first.answeredAt === undefined) return Number.POSITIVE_INFINITY;
    // The next request takes at least the shortest response time as well.
    return first.answeredAt - shortestResponse + (quota * 1000) / rate;
  }

  return {
    waits,
    /** The current rate in requests a second. */
    rate: () => rate,
    /** Milliseconds until the next request; Infinity if it depends on a response that has not arrived. */
    delay(now: number): number {
      if (now < waitUntil) return waitUntil - now;
      if (typeof scout === "object") return Number.POSITIVE_INFINITY;
      return Math.max(0, (nextAt ?? now) - now, windowOpensAt() - now);
    },
    /** Records that a request is sent. */
    sent(now: number): Sending {
      const sending: Sending = { sentAt: now, answeredAt: undefined };
      const behind = scout === "due" ? 0 : catchUpMilliseconds * Math.min(1, rate / 50);
      if (scout === "due") scout = sending;
      nextAt = Math.max(nextAt ?? now, now - behind) + 1000 / rate;
      recent.push(sending);
      if (recent.length > rate + 1) recent.shift();
      return sending;
    },
    admitted(now: number, sending: Sending): void {
      sending.answeredAt = now;
      shortestResponse = Math.min(shortestResponse, now - sending.sentAt);
      if (scout === sending) scout = undefined;
    },
    refused(now: number, sending: Sending, waitSeconds: number): void {
      recent = recent.filter((each) => each !== sending);
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
