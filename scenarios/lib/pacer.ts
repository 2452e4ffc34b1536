/** One request of a polite client, as the pacer knows it. Times are milliseconds of one clock. */
export interface Sending {
  readonly sentAt: number;
  /** When its response came; undefined until then. */
  answeredAt: number | undefined;
}

/** Decides when a polite client may send. */
export interface PolitePacer {
  /** Milliseconds until the next request may be sent; 0 for now. Infinity until a response comes. */
  delay(now: number): number;
  /** Notes that a request is sent. */
  sent(now: number): Sending;
  /** Notes that it was accepted. */
  admitted(now: number, sending: Sending): void;
  /** Notes its refusal and the wait that this asked for. */
  refused(now: number, sending: Sending, waitSeconds: number): void;
  /** Requests a second that it holds to now. */
  rate(): number;
  readonly waits: PacerWaits;
}

/** What came of the refusals so far. */
export interface PacerWaits {
  /** Waits that were kept, and their seconds. */
  count: number;
  waitedSeconds: number;
  /** Waits after which the first request was refused again. */
  refusedAgain: number;
  /** Milliseconds from a refusal to the next admission, summed over the waits that ended so. */
  recoveryMilliseconds: number;
  recovered: number;
}

/** Of the estimate at the start. */
const margin = 0.99;
/** Growth a second, when nothing was refused for a while: shorter before the first refusal, which shows where the limit is. */
const growth = 0.009;
const settleMilliseconds = 3000;
const peaceMilliseconds = 90_000;
/**
 * A rate that was held this long before a refusal was not what was refused. Half of it is how long a step of growth takes
 * to send one request more: a window sees nothing of it before. Not much is lost by 8 s where that is longer still.
 */
const provenMilliseconds = (rate: number): number => Math.min(8000, Math.max(2000, 2000 / (growth * rate)));
/** Least decrease at a refusal; twice the last one when the next comes soon, as it does when the estimate was far too high. */
const leastDecrease = 0.015;
const largestDecrease = 0.08;
const soonMilliseconds = 15_000;
/**
 * How far the schedule may be behind and still be caught up, at 50 a second and more: timers come late. What a
 * longer stall cost is let go, since requests in a bunch are what a bucket refuses.
 */
const catchUpMilliseconds = 40;

/**
 * Paces requests evenly a little below the limit. A refusal of a window costs a wait of a second or more, in which
 * nothing is sent, whatever made it: so none may come of mere jitter. What a second's requests take, from the response to the
 * first to the sending of the last, is never shorter than the rate says, and no window sees more of them however
 * late some arrive.
 *
 * An estimate that is too low is grown out of, once; at the refusal that this ends in the rate goes back to what was
 * held before. After the wait a single scout goes first, and the rest follow when it is accepted.
 *
 * @param perSecond the estimated limit
 * @param demand requests a second that are wanted at most
 */
export function createPacer(perSecond: number, demand = Number.POSITIVE_INFINITY): PolitePacer {
  let rate = Math.min(demand, perSecond * margin);
  let nextAt: number | undefined;
  let waitUntil = 0;
  let scout: "none" | "due" | Sending = "none";
  let refusedAt: number | undefined;
  /** Since when nothing was refused, and until when it must stay so before the rate grows. */
  let peaceSince: number | undefined;
  let quietMilliseconds = settleMilliseconds;
  let decrease = 0;
  /** Rates that were left for a higher one, and when. */
  let outgrown: { until: number; rate: number }[] = [];
  /** The last second's requests but those refused, in the order of sending. */
  let recent: Sending[] = [];
  let shortestResponse = Number.POSITIVE_INFINITY;
  const waits: PacerWaits = {
    count: 0,
    waitedSeconds: 0,
    refusedAgain: 0,
    recoveryMilliseconds: 0,
    recovered: 0,
  };

  /** When one more request fits into any window of a second, whatever the delays on the way. */
  function windowOpensAt(): number {
    // Upwards, so that the stretch is never shorter than a second: of a quota in less, one more fits into a window.
    const quota = Math.ceil(rate);
    const first = recent.at(-quota);
    if (first === undefined) return 0;
    if (first.answeredAt === undefined) return Number.POSITIVE_INFINITY;
    // The next request takes the usual time on its way as well.
    return first.answeredAt - shortestResponse + (quota * 1000) / rate;
  }

  function beginWait(now: number, waitSeconds: number): void {
    waits.count += 1;
    waits.waitedSeconds += waitSeconds;
    refusedAt ??= now;
    const isSoon = decrease > 0 && now - (peaceSince ?? now) < soonMilliseconds;
    decrease = isSoon ? Math.min(largestDecrease, decrease * 2) : leastDecrease;
    const proven = outgrown.findLast(({ until }) => until < now - provenMilliseconds(rate)) ?? outgrown[0];
    rate = Math.min(rate * (1 - decrease), proven?.rate ?? rate);
    outgrown = [];
    quietMilliseconds = peaceMilliseconds;
  }

  function grow(now: number): void {
    const last = outgrown.at(-1)?.until ?? 0;
    if (now - (peaceSince ?? now) < quietMilliseconds || now - last < 1000 || rate >= demand) return;
    outgrown.push({ until: now, rate });
    rate = Math.min(demand, rate * (1 + growth));
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
      const isScout = scout === "due";
      const catchUp = isScout ? 0 : catchUpMilliseconds * Math.min(1, rate / 50);
      if (isScout) {
        scout = sending;
        peaceSince = now;
      }
      peaceSince ??= now;
      nextAt = Math.max(nextAt ?? now, now - catchUp) + 1000 / rate;
      recent.push(sending);
      if (recent.length > rate * 2 + 10) recent = recent.slice(-Math.ceil(rate + 1));
      return sending;
    },
    admitted(now, sending) {
      sending.answeredAt = now;
      shortestResponse = Math.min(shortestResponse, now - sending.sentAt);
      if (scout === sending) scout = "none";
      if (refusedAt !== undefined && sending.sentAt >= waitUntil) {
        waits.recovered += 1;
        waits.recoveryMilliseconds += now - refusedAt;
        refusedAt = undefined;
      }
      grow(now);
    },
    refused(now, sending, waitSeconds) {
      recent = recent.filter((each) => each !== sending);
      // Requests that were under way when the wait began are part of the same refusal.
      if (sending.sentAt >= waitUntil) {
        if (scout === sending) waits.refusedAgain += 1;
        beginWait(now, waitSeconds);
      }
      waitUntil = Math.max(waitUntil, now + waitSeconds * 1000);
      scout = "due";
    },
  };
}
