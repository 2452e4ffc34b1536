import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { PlannedVariation, Trial } from "./trial.ts";

// Its name ends in .js in the package.
const workerFile = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

/** How many trials run at once, and who hears of each. */
export interface PoolOptions {
  readonly threads: number;
  /** Trials under way in one thread: most of a trial's time is the wait after the 429 that it provokes. */
  readonly trialsInThread: number;
  readonly signal: AbortSignal;
  readonly done: (trial: Trial) => void;
}

/**
 * Tries all variations in threads of their own, several at once, and hands each trial over as it ends. An abort
 * ends them at once; the trials handed over until then stand.
 */
export async function tryAll(variations: readonly PlannedVariation[], options: PoolOptions): Promise<void> {
  const waiting = [...variations];
  const threads = Math.min(options.threads, variations.length);
  await Promise.all(Array.from({ length: threads }, () => runThread(waiting, options)));
}

async function runThread(
  waiting: PlannedVariation[],
  { trialsInThread, signal, done }: PoolOptions,
): Promise<void> {
  if (signal.aborted) return;
  const worker = new Worker(workerFile);
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => resolve();
  signal.addEventListener("abort", abort, { once: true });
  let underWay = 0;
  const next = () => {
    const variation = waiting.shift();
    if (variation !== undefined) {
      underWay++;
      worker.postMessage(variation);
    } else if (underWay === 0) resolve();
  };
  worker.on("message", (trial: Trial) => {
    underWay--;
    done(trial);
    next();
  });
  worker.on("error", reject);
  for (let count = 0; count < trialsInThread; count++) next();
  try {
    await finished;
  } finally {
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  }
}
