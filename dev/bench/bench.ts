/** Where a benchmark writes, and the signal that stops it. */
export interface BenchIo {
  readonly stdout: { write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** An empty folder, which is removed at the end. */
  readonly folder: string;
  /** Folder of another checkout, after `npm ci`, to measure in the same run. */
  readonly beside?: string;
}

/** One benchmark of `npm run bench`. */
export interface Bench {
  readonly summary: string;
  /** Its parts; arguments select some of them, otherwise all are measured. */
  readonly parts?: readonly string[];
  /** Whether it can measure another checkout, too. */
  readonly takesBeside?: true;
  /** Returns the exit code: 0 if every value is within its bound, otherwise 1. */
  readonly run: (io: BenchIo, words: readonly string[]) => Promise<number>;
}

/** Prints whether a value is within its limit, and returns it. */
export function held(stdout: BenchIo["stdout"], limit: string, holds: boolean): boolean {
  stdout.write(`  ${limit}: ${holds ? "yes" : "NO"}\n`);
  return holds;
}

/** A promise about load, and the measured value. */
export interface PromiseResult {
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** A table of promises, each with yes or NO. */
export function renderPromises(rows: readonly PromiseResult[]): string {
  const width = Math.max(0, ...rows.map(({ promise }) => promise.length));
  return rows
    .map(({ promise, measured, holds }) => `${holds ? "yes" : "NO "}  ${promise.padEnd(width)}  ${measured}`)
    .join("\n");
}
