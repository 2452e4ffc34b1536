import { getCompileCacheDir } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, extname } from "node:path";
import { Worker } from "node:worker_threads";
import { listChecksAtLimit } from "../conformance/suite/all.ts";
import { expectedOf, type Snapshot } from "./snapshot.ts";
import { faults, variants } from "./table.ts";
import { asExpected, type Candidate, type PlannedTrial, type Trial } from "./trial.ts";

const candidates = (kind: "fault" | "variant", names: Iterable<string>): Candidate[] =>
  [...names].map((name) => ({ kind, name }));

/** Everything that can be tried. The unchanged service comes first. */
export const allCandidates: readonly Candidate[] = [
  { kind: "honest", name: "honest" },
  ...candidates("variant", variants.keys()),
  ...candidates("fault", faults.keys()),
];

/** @param only Names of faults and variants; all when empty. */
export function planTrials(only: readonly string[], snapshot: Snapshot): PlannedTrial[] {
  return allCandidates
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .map((one) => {
      const scope = needsAll(one) ? "whole suite" : "without the rate limit";
      return { ...one, scope, expected: expectedOf(snapshot, one.name) };
    });
}

const checksAtLimit: ReadonlySet<string> = new Set(listChecksAtLimit());

/** Whether only the whole suite shows a fault or variant: exceeding the rate limit takes seconds. */
function needsAll({ name }: Candidate): boolean {
  const entry = faults.get(name) ?? variants.get(name);
  if (entry === undefined || entry.whole === true) return true;
  return "fails" in entry && entry.fails.some((id) => checksAtLimit.has(id));
}

/**
 * Makes all planned trials, several at once. A busy machine may not manage to exceed the rate limit, so
 * unexpected or unproven outcomes are repeated at the end, one at a time; the second attempt counts, and is
 * marked.
 * @param attempt tries planned; in worker threads unless set
 * @returns One trial for each; fewer after an abort.
 */
export async function proveService(
  planned: readonly PlannedTrial[],
  {
    signal,
    progress,
    attempt = tryAll,
  }: {
    signal: AbortSignal;
    progress: (trial: Trial) => void;
    attempt?: typeof tryAll;
  },
): Promise<Trial[]> {
  const trials = new Map<string, Trial>();
  const done = (trial: Trial) => {
    const failedBefore = trials.get(trial.name)?.failed;
    const marked = failedBefore === undefined ? trial : { ...trial, failedBefore };
    trials.set(trial.name, marked);
    progress(marked);
  };
  await attempt(planned, { threads: availableParallelism(), trialsInThread: 3, signal, done });
  const again = planned.filter((one) => {
    const trial = trials.get(one.name);
    return trial !== undefined && (!asExpected(trial) || trial.verdict === "unproven");
  });
  await attempt(again, { threads: 1, trialsInThread: 1, signal, done });
  return [...trials.values()];
}

// In the package, the extension is .js.
const workerFile = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

interface PoolOptions {
  readonly threads: number;
  /** Concurrent trials in one thread. Trials that exceed the rate limit wait most of the time. */
  readonly trialsInThread: number;
  readonly signal: AbortSignal;
  readonly done: (trial: Trial) => void;
}

/** In worker threads, with `done` after each. An abort ends them at once; finished trials remain valid. */
export async function tryAll(planned: readonly PlannedTrial[], options: PoolOptions): Promise<void> {
  // One thread makes one trial after the other, whatever it is.
  const isLong = ({ scope, name }: PlannedTrial) =>
    options.threads > 1 && (scope === "whole suite" || name === "slow");
  const { long = [], short = [] } = Object.groupBy(planned, (one) => (isLong(one) ? "long" : "short"));
  const threads = Math.min(options.threads, short.length);
  await Promise.all([
    // In a thread of their own: what keeps it busy would keep them from exceeding a rate limit.
    ...(long.length === 0 ? [] : [runThread(long, options)]),
    ...Array.from({ length: threads }, () => runThread(short, options)),
  ]);
}

async function runThread(waiting: PlannedTrial[], options: PoolOptions): Promise<void> {
  const { trialsInThread, signal, done } = options;
  if (signal.aborted) return;
  const cache = getCompileCacheDir();
  const worker = new Worker(workerFile, {
    // A trial keeps every response: with V8's usual 16 MB, it copies them again and again.
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
    // By itself a thread does not use the cache of its process.
    ...(cache !== undefined && { env: { NODE_COMPILE_CACHE: dirname(cache) } }),
  });
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => resolve();
  signal.addEventListener("abort", abort, { once: true });
  let underWay = 0;
  const next = () => {
    const planned = waiting.shift();
    if (planned !== undefined) {
      underWay++;
      worker.postMessage(planned);
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
