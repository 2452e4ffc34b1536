/** A response of the probe; times in Unix milliseconds, the wait in seconds. */
export interface ProbeResponse {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly admitted: boolean;
  readonly waitSeconds: number;
}

/** Keeps what is needed to know how long to wait for. */
export function createWaitLog() {
  let refusal: ProbeResponse | undefined;
  let lastAdmission = Number.NEGATIVE_INFINITY;
  let until = 0;
  return {
    add(response: ProbeResponse): void {
      const { sentAt, receivedAt, admitted, waitSeconds } = response;
      if (admitted) [lastAdmission, until] = [Math.max(lastAdmission, receivedAt), 0];
      else until = Math.max(until, receivedAt + waitSeconds * 1000);
      if (!admitted && sentAt >= (refusal?.sentAt ?? 0)) refusal = response;
    },
    /**
     * The end of the wait that refusals announced since the last acceptance, if any. It is sure if the last
     * refused request was sent after that, with a wait of at least a second.
     */
    current() {
      if (refusal === undefined) return undefined;
      const { sentAt, receivedAt, waitSeconds } = refusal;
      const isSure = lastAdmission < sentAt && waitSeconds >= 1;
      return { until: Math.max(until, receivedAt + waitSeconds * 1000), waitSeconds, isSure };
    },
  };
}

/** What trying the announced waits needs; times in milliseconds. */
interface WaitActions {
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Sends a request that was refused, once, and returns its status. */
  readonly ask: () => Promise<number>;
  /** Exceeds the limit again, and resolves when all responses have arrived. */
  readonly exceed: () => Promise<void>;
  readonly current: ReturnType<typeof createWaitLog>["current"];
}

const usualTries = 3;
/** A ban may have begun before the first try, which then shows nothing. */
const triesWhenBroken = 5;
const longestWaitSeconds = 30;
/** For clocks and timers; the suite adds as much. */
const slackMilliseconds = 100;
const recoveryMilliseconds = 1000;
/** No wait ends later than this after the start. */
const mostMilliseconds = 100_000;

/**
 * Several times: waits for Retry-After, sends one request, then exceeds the limit again. A refused request is
 * sent again after its own wait until one is accepted, so that a ban is over first. A wait is broken if a
 * request is refused after it, although nothing else was sent. What is accepted after a broken one is counted
 * apart: it makes no service right whose first wait is broken.
 */
export async function tryWaits({ now, pause, ask, exceed, current }: WaitActions) {
  const end = now() + mostMilliseconds;
  let [tried, kept, broken, keptAgain] = [0, 0, 0, 0];
  let isStillRefused = false;
  while (tried < (broken > 0 ? triesWhenBroken : usualTries)) {
    if (tried > 0 && !isStillRefused) await exceed();
    const wait = current();
    const recovered = now() + (isStillRefused ? recoveryMilliseconds : 0);
    // 0 is no rounded time.
    const slack = wait?.waitSeconds === 0 ? 0 : slackMilliseconds;
    const until = Math.max((wait?.until ?? 0) + slack, recovered);
    if (wait === undefined || wait.waitSeconds > longestWaitSeconds || until > end) break;
    await pause(until - now());
    const status = await ask();
    // What failed was decided by no limit.
    if (status === 0 || status >= 500) break;
    const isRefused = status === 429;
    // Until a request is accepted, a wait that cannot be told from the one before is part of it.
    if (!isStillRefused || (isRefused && wait.isSure)) tried += 1;
    if (isRefused && wait.isSure) broken += 1;
    if (!isRefused && !isStillRefused) kept += 1;
    if (!isRefused && isStillRefused && wait.isSure) keptAgain += 1;
    isStillRefused = isRefused;
  }
  return { tried, kept, broken, keptAgain };
}
