/** A response of the probe; times in Unix milliseconds, the wait in seconds. */
export interface ProbeResponse {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly admitted: boolean;
  readonly waitSeconds: number;
}

/** The end of the wait that the last refusals announced. */
export interface AnnouncedWait {
  readonly until: number;
  readonly waitSeconds: number;
  /**
   * Whether no other request can have used the limit since: the last request was refused, no response after its sending
   * was an acceptance, and its wait is at least a second.
   */
  readonly isolated: boolean;
}

/** Keeps what is needed to know how long to wait for. */
export function createWaitLog(): {
  add(response: ProbeResponse): void;
  /** Undefined before the first refusal. */
  current(): AnnouncedWait | undefined;
} {
  let refusal: ProbeResponse | undefined;
  let lastAdmission = Number.NEGATIVE_INFINITY;
  let until = 0;
  return {
    add(response) {
      const { sentAt, receivedAt, admitted, waitSeconds } = response;
      if (admitted) {
        lastAdmission = Math.max(lastAdmission, receivedAt);
        until = 0;
        return;
      }
      if (refusal === undefined || sentAt >= refusal.sentAt) refusal = response;
      until = Math.max(until, receivedAt + waitSeconds * 1000);
    },
    current() {
      if (refusal === undefined) return undefined;
      const { sentAt, receivedAt, waitSeconds } = refusal;
      return {
        until: Math.max(until, receivedAt + waitSeconds * 1000),
        waitSeconds,
        isolated: lastAdmission < sentAt && waitSeconds >= 1,
      };
    },
  };
}

/** What trying the announced waits needs; times in milliseconds. */
export interface WaitActions {
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Sends a request that was refused, once, and returns its status. */
  readonly ask: () => Promise<number>;
  /** Exceeds the limit again, and resolves when all responses have arrived. */
  readonly exceed: () => Promise<void>;
  readonly current: () => AnnouncedWait | undefined;
}

/** Results of the tries. `broken`: refused after the wait, although nothing else was sent. */
export interface TriedWaits {
  readonly tried: number;
  readonly kept: number;
  readonly broken: number;
}

const usualTries = 3;
/** A ban may have begun before the first try, which then shows nothing, and more tries make chance less likely. */
const triesWhenBroken = 5;
const longestWaitSeconds = 30;
/** For clocks and timers; the suite adds as much. */
const slackMilliseconds = 100;
const mostRecoveryWaits = 3;
const recoveryMilliseconds = 1000;
/** No wait ends later than this after the start. */
const mostMilliseconds = 100_000;

/**
 * Several times: waits for Retry-After, sends one request, then exceeds the limit again. A request that is refused is sent
 * again after the wait that its own refusal announced.
 */
export async function tryWaits(actions: WaitActions): Promise<TriedWaits> {
  const { now, pause, ask, exceed, current } = actions;
  const end = now() + mostMilliseconds;
  let [tried, kept, broken] = [0, 0, 0];

  /** The status of one request after the wait; undefined where the wait is too long. */
  async function askAfterWait(leastMilliseconds = 0): Promise<number | undefined> {
    const wait = current();
    const until = Math.max((wait?.until ?? 0) + slackMilliseconds, now() + leastMilliseconds);
    if (wait === undefined || wait.waitSeconds > longestWaitSeconds || until > end) return undefined;
    await pause(until - now());
    return await ask();
  }

  let isStillRefused = false;
  while (tried < (broken > 0 ? triesWhenBroken : usualTries)) {
    const isolated = current()?.isolated === true;
    let status = await askAfterWait(isStillRefused ? recoveryMilliseconds : 0);
    if (status === undefined) break;
    // Until a request is accepted, a wait that cannot be told from the one before is part of it.
    const isNew = !isStillRefused || (isolated && status === 429);
    if (isNew) {
      tried += 1;
      if (status !== 429) kept += 1;
      else if (isolated) broken += 1;
    }
    for (let waits = 0; status === 429 && waits < mostRecoveryWaits; waits += 1)
      status = await askAfterWait(recoveryMilliseconds);
    if (status === undefined) break;
    isStillRefused = status === 429;
    if (!isStillRefused && tried < (broken > 0 ? triesWhenBroken : usualTries)) await exceed();
  }
  return { tried, kept, broken };
}
