import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Target } from "../conformance/client/target.ts";
import { sections } from "../conformance/requirements/requirement.ts";
import type { CheckResult } from "../schemas/contracts/results.ts";
import type { WireChange } from "../service/wire.ts";
import { type Fault, requirementOf } from "./changes/entry.ts";
import { type Candidate, combinationOf, drawPairs, scopeOf, type Variation } from "./combination.ts";
import { startProxy } from "./proxy.ts";
import { expectedOf, type Snapshot } from "./snapshot.ts";
import { entryOf, faults, variants } from "./table.ts";
import {
  asExpected,
  harnessError,
  judgeChecks,
  judgeFault,
  type PlannedVariation,
  type Trial,
  type TrialFinding,
} from "./trial.ts";

/** Which faults, variants and combinations to try. */
export interface ProofSelection {
  /** Names of faults, variants and combinations of them; all faults and variants when empty. */
  readonly only: readonly string[];
  readonly faults: boolean;
  readonly variants: boolean;
  /** Random pairs of a fault and a variant for each seed. */
  readonly pairs: number;
}

/** Why a selection cannot be tried. */
export type ProofMistake =
  | { readonly kind: "unknown name"; readonly name: string; readonly known: readonly string[] }
  /** What this name changes cannot be changed from outside the service. */
  | { readonly kind: "only on the reference service"; readonly name: string }
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

/** Everything that can be tried alone on the reference service. The unchanged service comes first. */
export const serviceCandidates: readonly Candidate[] = [
  { kind: "honest", name: "honest" },
  ...candidates("variant", variants.keys()),
  ...candidates("fault", faults.keys()),
];

/** The faults that the proxy can apply to any other target. */
export const targetCandidates: readonly Candidate[] = candidates(
  "fault",
  [...faults].flatMap(([name, fault]) => ("wire" in fault && fault.needsAllKey !== true ? [name] : [])),
);

/**
 * The trials on the reference service: the selection and the random pairs, for each seed.
 * @throws ProofSelectionError as selectCandidates
 */
export function planTrials(
  selection: ProofSelection,
  seeds: readonly number[],
  snapshot: Snapshot,
): PlannedVariation[] {
  const { only, pairs } = selection;
  const drawsOnly = pairs > 0 && only.length === 0 && !selection.faults && !selection.variants;
  const chosen = drawsOnly ? [] : selectCandidates(serviceCandidates, selection);
  const variations = seeds.flatMap((seed): Variation[] => [
    ...chosen.map((one) => ({ ...one, seed })),
    ...drawPairs(pairs, seed),
  ]);
  const planned = variations.map((variation) => ({
    ...variation,
    scope: scopeOf(variation),
    expected: expectedOf(snapshot, variation.name, variation.seed),
  }));
  // Long trials start first, so that all threads end at about the same time.
  return planned.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
}

function isLong({ scope, name }: PlannedVariation): boolean {
  return scope !== "without the rate limit" || name.split("+").includes("slow");
}

/**
 * The candidates of a selection.
 * @throws ProofSelectionError for an unknown name, a name that needs the reference service, and an empty selection
 */
export function selectCandidates(
  all: readonly Candidate[],
  { only, faults: onlyFaults, variants: onlyVariants }: Pick<ProofSelection, "only" | "faults" | "variants">,
): Candidate[] {
  const onService = all.some(({ kind }) => kind === "honest");
  const combinations = onService ? only.flatMap((name) => combinationOf(name) ?? []) : [];
  for (const name of only) mustBeKnown(name, [...all, ...combinations]);
  const either = !onlyFaults && !onlyVariants;
  const chosen = [...all, ...combinations].filter(
    ({ kind, name }) =>
      (only.length === 0 || only.includes(name)) &&
      (either || (kind === "fault" || kind === "pair" ? onlyFaults : onlyVariants)),
  );
  if (chosen.length > 0) return chosen;
  throw new ProofSelectionError({ kind: "nothing left" });
}

function mustBeKnown(name: string, all: readonly Candidate[]): void {
  const known = all.map((one) => one.name);
  if (known.includes(name)) return;
  const isElsewhere = serviceCandidates.some((one) => one.name === name) || combinationOf(name) !== undefined;
  throw new ProofSelectionError(
    isElsewhere ? { kind: "only on the reference service", name } : { kind: "unknown name", name, known },
  );
}

/**
 * Tries all variations, several at once. A busy machine may not manage to exceed the rate limit, so trials with an
 * unexpected or unproven outcome are repeated at the end, one at a time. The second attempt counts, and is marked.
 * @param onFirstAttempts called before the second attempts, which may take long, with the trials so far
 * @param attempt tries variations; in worker threads unless set
 * @returns One trial for each variation; fewer after an abort.
 */
export async function proveService(
  variations: readonly PlannedVariation[],
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
  await attempt(variations, {
    threads: availableParallelism(),
    trialsInThread: 3,
    signal,
    done: (trial) => {
      trials.push(trial);
      progress(trial);
    },
  });
  const doubtful = trials.filter((trial) => !asExpected(trial) || trial.verdict === "unproven");
  const again = variations.filter((variation) => doubtful.some((trial) => isSame(trial, variation)));
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

function isSame(one: Trial, other: Trial | PlannedVariation): boolean {
  return one.kind === other.kind && one.name === other.name && one.seed === other.seed;
}

/** What a proof on a target other than the reference service needs. */
export interface TargetProof {
  readonly target: Target;
  readonly maxRequests: number;
  /** Longest time of each trial. */
  readonly maxSeconds: number;
  readonly signal: AbortSignal;
  readonly done: (trial: Trial) => void;
}

/**
 * Tries one fault after the other with a proxy between the suite and a target. Checks that fail without a fault are
 * ignored, and a check that does not pass without one cannot prove anything. To keep the load on the target low, only
 * the sections of the checks that must fail run. If these checks do not fail, the whole suite runs.
 */
export async function proveTarget(names: readonly string[], proof: TargetProof): Promise<void> {
  const { target, done, ...bounds } = proof;
  const before = await judgeChecks(target, bounds);
  const verdictBefore = new Map(before.checks.map(({ id, verdict }) => [id, verdict]));

  async function attempt(fault: Fault, wire: WireChange, only: readonly string[]) {
    const fails = fault.fails.filter((id) => verdictBefore.get(id) === "pass");
    const isNews = ({ id, verdict }: CheckResult) =>
      fails.some((one) => one === id) || verdict !== verdictBefore.get(id);
    await using proxy = await startProxy(target, wire);
    const { checks, requests } = await judgeChecks(
      { ...target, baseUrl: proxy.baseUrl },
      { selection: { only, skip: [] }, ...bounds },
    );
    const judgement = judgeFault({ fails }, checks.filter(isNews));
    return { ...judgement, requests, applied: proxy.hasChanged() };
  }

  async function tryFault(fault: Fault, wire: WireChange) {
    const notTried = fault.fails.flatMap((check): TrialFinding[] => {
      const verdict = verdictBefore.get(check);
      return verdict === "pass" ? [] : [{ problem: "not-tried", check, ...(verdict && { verdict }) }];
    });
    if (notTried.length === fault.fails.length) {
      return {
        verdict: "unproven",
        failed: [],
        findings: notTried,
        requests: 0,
        scope: "selected checks",
      } as const;
    }
    const only = [...new Set(fault.fails.map((id) => sectionKeyOf(id)))];
    const narrow = await attempt(fault, wire, only);
    const isEnough = narrow.verdict !== "missed";
    const { applied, requests, ...judgement } = isEnough ? narrow : await attempt(fault, wire, []);
    const made = {
      scope: isEnough ? "selected checks" : "whole suite",
      requests: isEnough ? requests : requests + narrow.requests,
    } as const;
    if (judgement.verdict === "missed" && !applied) {
      return { ...made, verdict: "unproven", failed: [], findings: [{ problem: "not-applied" }] } as const;
    }
    return { ...made, ...judgement, findings: [...judgement.findings, ...notTried] };
  }

  for (const name of names) {
    const fault = entryOf(faults, name);
    if (!("wire" in fault)) continue;
    const started = performance.now();
    const frame = { kind: "fault", name } as const;
    const took = () => Math.round(performance.now() - started);
    try {
      done({ ...frame, ...(await tryFault(fault, fault.wire)), milliseconds: took() });
    } catch (error) {
      bounds.signal.throwIfAborted();
      const scope = "selected checks";
      done({ ...frame, ...harnessError(error), scope, requests: 0, milliseconds: took() });
    }
  }
}

function sectionKeyOf(id: string): string {
  const [key = ""] = requirementOf(id).split(".");
  return key in sections ? key : id;
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
