import { availableParallelism } from "node:os";
import { tryAll } from "./pool.ts";
import { asExpected, type Trial } from "./trial.ts";
import type { Variation } from "./try-variant.ts";

/**
 * Tries all variations, several at once. A rate limit cannot be met on a machine that is too busy to exceed it, so
 * what did not come out as expected is tried once more at the end, one at a time; the second attempt counts and
 * says that it is one.
 * @returns The trials that count, as many as were made before an abort.
 */
export async function proveService(
  variations: readonly Variation[],
  { signal, progress }: { signal: AbortSignal; progress: (trial: Trial) => void },
): Promise<Trial[]> {
  const trials: Trial[] = [];
  const threads = availableParallelism();
  await tryAll(variations, {
    threads,
    trialsInThread: 3,
    signal,
    done: (trial) => {
      trials.push(trial);
      progress(trial);
    },
  });
  const unexpected = trials.filter((trial) => !asExpected(trial));
  const again = unexpected.map(({ kind, name, seed }): Variation => ({ kind, name, seed }));
  const second: Trial[] = [];
  const done = (trial: Trial) => {
    second.push({ ...trial, attempts: 2 });
    progress({ ...trial, attempts: 2 });
  };
  await tryAll(again, { threads: 1, trialsInThread: 1, signal, done });
  return trials.map((trial) => second.find((one) => isSame(one, trial)) ?? trial);
}

function isSame(one: Trial, other: Trial): boolean {
  return one.kind === other.kind && one.name === other.name && one.seed === other.seed;
}
