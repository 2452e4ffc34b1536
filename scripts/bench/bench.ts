/** Where a benchmark writes, and what stops it. */
export interface BenchIo {
  readonly stdout: { write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** One benchmark of `npm run bench`. */
export interface Bench {
  readonly summary: string;
  /** Its parts, some of which can be named after it; without any, all are measured. */
  readonly parts?: readonly string[];
  /** Numbers that can be named after it, for help. */
  readonly numbers?: string;
  /** Returns the exit code: 0 when every value is as promised, 1 when one is not. */
  readonly run: (io: BenchIo, words: readonly string[]) => Promise<number>;
}
