import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { listChecksAtLimit } from "../conformance/suite/all.ts";
import type { Fault, Variant } from "./changes/entry.ts";
import { expectedOf, type Snapshot } from "./snapshot.ts";
import { faults, variants } from "./table.ts";
import { asExpected, type Candidate, type PlannedTrial, type Trial, type TrialScope } from "./trial.ts";

/** Which faults and variants to try. */
export interface ProofSelection {
  /** Names of faults and variants; all when empty. */
  readonly only: readonly string[];
  readonly faults: boolean;
  readonly variants: boolean;
}

/** Why a selection cannot be tried. */
export type ProofMistake =
  | { readonly kind: "unknown name"; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: "nothing left" };

/** The selection cannot be tried. */
export class ProofSelectionError extends Error {
  override readonly name = "ProofSelectionError";
  readonly mistake: ProofMistake;
  constructor(mistake: ProofMistake) {
    super("name" in mistake ? `${mistake.kind}: ${mistake.name}` : mistake.kind);
    this.mistake = mistake;
  }
}

const candidates = (kind: "fault" | "variant", names: Iterable<string>): Candidate[] =>
  [...names].map((name) => ({ kind, name }));

/** Everything that can be tried. The unchanged service comes first. */
export const allCandidates: readonly Candidate[] = [
  { kind: "honest", name: "honest" },
  ...candidates("variant", variants.keys()),
  ...candidates("fault", faults.keys()),
];

/**
 * The trials of a selection, for each seed.
 * @throws ProofSelectionError as selectCandidates
 */
export function planTrials(
  selection: ProofSelection,
  seeds: readonly number[],
  snapshot: Snapshot,
): PlannedTrial[] {
  const chosen = selectCandidates(selection);
  const planned = seeds.flatMap((seed) =>
    chosen.map((one) => ({
      ...one,
      seed,
      scope: scopeOf(one),
      expected: expectedOf(snapshot, one.name, seed),
    })),
  );
  // Long trials start first, so that all threads end at about the same time.
  return planned.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
}

function isLong({ scope, name }: PlannedTrial): boolean {
  return scope !== "without the rate limit" || name === "slow";
}

const checksAtLimit: ReadonlySet<string> = new Set(listChecksAtLimit());

/** Whether a fault or variant can be judged only when the rate limit is exceeded. */
function isAtLimit(entry: Fault | Variant): boolean {
  return entry.atLimit === true || ("fails" in entry && entry.fails.some((id) => checksAtLimit.has(id)));
}

/** The part of the suite that a trial runs: what its fault or variant can affect. */
function scopeOf({ kind, name }: Candidate): TrialScope {
  const entry = faults.get(name) ?? variants.get(name);
  return kind === "honest" || entry === undefined || isAtLimit(entry)
    ? "whole suite"
    : "without the rate limit";
}

/**
 * The candidates of a selection.
 * @throws ProofSelectionError for an unknown name and an empty selection
 */
export function selectCandidates({
  only,
  faults: onlyFaults,
  variants: onlyVariants,
}: ProofSelection): Candidate[] {
  const known = allCandidates.map(({ name }) => name);
  for (const name of only)
    if (!known.includes(name)) throw new ProofSelectionError({ kind: "unknown name", name, known });
  const either = !onlyFaults && !onlyVariants;
  const chosen = allCandidates.filter(
    ({ kind, name }) =>
      (only.length === 0 || only.includes(name)) &&
      (either || (kind === "fault" ? onlyFaults : onlyVariants)),
  );
  if (chosen.length > 0) return chosen;
  throw new ProofSelectionError({ kind: "nothing left" });
}

/**
 * Makes all planned trials, several at once. A busy machine may not manage to exceed the rate limit, so trials with an
 * unexpected or unproven outcome are repeated at the end, one at a time. The second attempt counts, and is marked.
 * @param onFirstAttempts called before the second attempts, which may take long, with the trials so far
 * @param attempt tries planned; in worker threads unless set
 * @returns One trial for each trial; fewer after an abort.
 */
export async function proveService(
  planned: readonly PlannedTrial[],
  {
    signal,
    progress,
    onFirstAttempts,
    attempt = tryAll,
  }: {
    signal: AbortSignal;
    progress: (trial: Trial) => void;
    onFirstAttempts: (trials: readonly Trial[]) => Promise<void>;
    attempt?: typeof tryAll;
  },
): Promise<Trial[]> {
  const trials: Trial[] = [];
  await attempt(planned, {
    threads: availableParallelism(),
    trialsInThread: 3,
    signal,
    done: (trial) => {
      trials.push(trial);
      progress(trial);
    },
  });
  const doubtful = trials.filter((trial) => !asExpected(trial) || trial.verdict === "unproven");
  const again = planned.filter((one) => doubtful.some((trial) => isSame(trial, one)));
  if (again.length > 0) await onFirstAttempts(trials);
  const second: Trial[] = [];
  const done = (trial: Trial) => {
    const failedBefore = trials.find((first) => isSame(first, trial))?.failed ?? [];
    second.push({ ...trial, failedBefore });
    progress({ ...trial, failedBefore });
  };
  await attempt(again, { threads: 1, trialsInThread: 1, signal, done });
  return trials.map((trial) => second.find((one) => isSame(one, trial)) ?? trial);
}

function isSame(one: Trial, other: Trial | PlannedTrial): boolean {
  return one.kind === other.kind && one.name === other.name && one.seed === other.seed;
}

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
 * Makes all planned trials in worker threads and calls `done` after each. An abort ends the threads at once; trials that
 * are done remain valid.
 */
export async function tryAll(planned: readonly PlannedTrial[], options: PoolOptions): Promise<void> {
  const waiting = [...planned];
  const threads = Math.min(options.threads, planned.length);
  await Promise.all(Array.from({ length: threads }, () => runThread(waiting, options)));
}

async function runThread(
  waiting: PlannedTrial[],
  { trialsInThread, signal, done }: PoolOptions,
): Promise<void> {
  if (signal.aborted) return;
  // A trial keeps every response: with V8's usual 16 MB, it copies them again and again.
  const worker = new Worker(workerFile, { resourceLimits: { maxYoungGenerationSizeMb: 64 } });
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
