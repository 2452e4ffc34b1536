/** Retry-After in milliseconds is the usual reason for a wait of hours. */
export const millisecondsFactor = 1000;
/** From here on a wait is so long that no run can keep it. */
const tooLongSeconds = 120;
/** When to try, unless the wait is in milliseconds. The last one is the longest that a run waits to learn this. */
const [early, latest] = [16, 31];
/** A try comes at most after this part of the wait: a service may round it up, or be careful. */
const longBefore = 10;
/** Requests that must be accepted: a single place may come free by chance. */
export const leastAcceptedEarly = 3;

/** Whether a wait is so long that a run tries whether the limit opens long before, instead of waiting. */
export function isTooLong(waitSeconds: number): boolean {
  return waitSeconds > tooLongSeconds;
}

/** Whether a limit that opened after so many seconds may have given its wait in milliseconds. */
export function isInMilliseconds(waitSeconds: number, openedAfter: number): boolean {
  return openedAfter <= asMilliseconds(waitSeconds);
}

/** Whether so many seconds are long enough for a try, and long before the end of a wait of hours. */
export function isEarly(waitSeconds: number, seconds: number): boolean {
  return seconds >= Math.min(early, asMilliseconds(waitSeconds)) && seconds * longBefore <= waitSeconds;
}

/** How to try; the pause in milliseconds. */
export interface EarlyTry {
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly isAccepted: () => Promise<boolean>;
}

/**
 * Tries a few times, long before a wait of hours is over, whether requests are accepted again and again. Returns after how
 * many seconds they were; undefined if they are refused, or the wait is a usual one.
 */
export async function opensEarly(
  waitSeconds: number,
  { pause, isAccepted }: EarlyTry,
): Promise<number | undefined> {
  let [waited, accepted] = [0, 0];
  const times = new Set([asMilliseconds(waitSeconds), early, latest].toSorted((a, b) => a - b));
  for (const at of times) {
    if (!isTooLong(waitSeconds) || at > latest || !isEarly(waitSeconds, at)) break;
    await pause((at - waited) * 1000);
    waited = at;
    while (await isAccepted()) {
      accepted += 1;
      if (accepted === leastAcceptedEarly) return at;
    }
  }
  return undefined;
}

function asMilliseconds(waitSeconds: number): number {
  return Math.ceil(waitSeconds / millisecondsFactor) + 1;
}
