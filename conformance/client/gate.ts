import type { Clock, Pacer } from "./pacing.ts";
import type { Target } from "./target.ts";

/** Keeps the requests of all keys within the limits that the config sets for a target. */
export interface Gate {
  /**
   * Resolves when a request may be sent. Call `left` once its response has arrived or failed.
   * @param pacer the pacer of the caller's organization; none for a request that ignores the target's rate limit
   * @param until the time by which it must be sent, in milliseconds since 1970; default: no limit
   * @throws WaitTooLong when it cannot be
   */
  enter(pacer: Pacer | undefined, signal: AbortSignal, until?: number): Promise<void>;
  /** Frees the place that `enter` took. */
  left(): void;
}

export function createGate(
  {
    maxRequestsPerSecond,
    maxConcurrency = Number.POSITIVE_INFINITY,
  }: Pick<Target, "maxRequestsPerSecond" | "maxConcurrency">,
  clock: Clock,
): Gate {
  const interval = maxRequestsPerSecond === undefined ? 0 : 1000 / maxRequestsPerSecond;
  const waiting = new Set<() => void>();
  let underWay = 0;
  let nextAt = 0;

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

  async function turn(pacer: Pacer | undefined, signal: AbortSignal, until?: number): Promise<void> {
    await pacer?.turn(signal, until);
    for (let left = nextAt - clock.now(); left > 0; left = nextAt - clock.now()) {
      await clock.sleep(left, signal);
      // A 429 that arrived in the meantime requires its own wait.
      if (pacer !== undefined && pacer.refusal() > 0) await pacer.turn(signal, until);
    }
    nextAt = Math.max(nextAt, clock.now()) + interval;
  }

  function left(): void {
    underWay--;
    const [next] = waiting;
    next?.();
  }

  return {
    async enter(pacer, signal, until) {
      await placeFree(signal);
      try {
        await turn(pacer, signal, until);
      } catch (error) {
        left();
        throw error;
      }
    },
    left,
  };
}
