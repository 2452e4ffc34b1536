import type { Clock } from "../client/pacing.ts";

/** A clock that stands still until a test moves it. */
export interface StubClock extends Clock {
  /** Moves on by this many milliseconds and wakes who has slept enough, in the order of their waking. */
  advance(milliseconds: number): Promise<void>;
  /** Resolves as soon as somebody sleeps. */
  untilAsleep(): Promise<void>;
  /** How long each sleep was meant to last, in the order of their beginnings. */
  readonly sleeps: readonly number[];
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Starts at the given number of milliseconds. */
export function stubClock(start = 1_000_000): StubClock {
  let now = start;
  const sleepers = new Set<Sleeper>();
  const sleeps: number[] = [];
  let watchers: (() => void)[] = [];

  return {
    now: () => now,
    sleeps,
    sleep(milliseconds, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { until: now + milliseconds, wake: resolve };
      sleepers.add(sleeper);
      sleeps.push(milliseconds);
      signal?.addEventListener("abort", () => {
        sleepers.delete(sleeper);
        reject(signal.reason);
      });
      for (const watcher of watchers) watcher();
      watchers = [];
      return promise;
    },
    async untilAsleep() {
      if (sleepers.size > 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.push(resolve);
      await promise;
    },
    async advance(milliseconds) {
      await settled();
      const end = now + milliseconds;
      for (let next = earliest(end); next !== undefined; next = earliest(end)) {
        now = Math.max(now, next.until);
        sleepers.delete(next);
        next.wake();
        // Whoever woke may sleep again before the end.
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

/** Lets everything run that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
