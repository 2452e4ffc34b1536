import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { PlannedVariation, Trial } from "./trial.ts";

// In the package, the extension is .js.
const workerFile = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

/** How many trials run at once, and what is called after each. */
export interface PoolOptions {
  readonly threads: number;
  /** Concurrent trials in one thread. Trials that exceed the rate limit wait most of the time. */
  readonly trialsInThread: number;
  readonly signal: AbortSignal;
  readonly done: (trial: Trial) => void;
}

/**
 * Tries all variations in worker threads and calls `done` after each. An abort ends the threads at once; trials that
 * are done remain valid.
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
