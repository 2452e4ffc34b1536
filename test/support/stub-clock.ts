interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export type StubClock = ReturnType<typeof stubClock>;

/** Creates a clock that shows this many milliseconds, and only moves when a test advances it. */
export function stubClock(start = 1_000_000) {
  let now = start;
  const sleepers = new Set<Sleeper>();
  const sleeps: number[] = [];
  let asleep = Promise.withResolvers<void>();

  return {
    now: () => now,
    /** The duration of each sleep in milliseconds, in the order in which they began. */
    sleeps,
    sleep(milliseconds: number, signal?: AbortSignal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { until: now + milliseconds, wake: resolve };
      sleepers.add(sleeper);
      sleeps.push(milliseconds);
      signal?.addEventListener("abort", () => {
        sleepers.delete(sleeper);
        reject(signal.reason);
      });
      asleep.resolve();
      return promise;
    },
    /** Resolves once something sleeps. */
    async untilAsleep() {
      if (sleepers.size > 0) return;
      asleep = Promise.withResolvers();
      await asleep.promise;
    },
    /** Advances by so many milliseconds and ends the sleeps that are due, in order. */
    async advance(milliseconds: number) {
      await settled();
      const end = now + milliseconds;
      for (let next = earliest(end); next !== undefined; next = earliest(end)) {
        now = Math.max(now, next.until);
        sleepers.delete(next);
        next.wake();
        // The code after a sleep may sleep again before the end.
        await settled();
      }
      now = end;
      await settled();
    },
  };

  function earliest(end: number): Sleeper | undefined {
    return [...sleepers].filter(({ until }) => until <= end).sort((a, b) => a.until - b.until)[0];
  }
}

/** Lets pending callbacks run for three turns of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
