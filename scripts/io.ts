import type { Readable } from "node:stream";

/** Where text goes: stdout and stderr, or a buffer in a test. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything that the command line uses of its process, passed in by entry.ts or by a test. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** Deletes variables from the environment that child processes of libraries inherit. `env` keeps them. */
  readonly hideFromChildProcesses?: (names: readonly string[]) => void;
  readonly cwd: string;
  /** Arguments, without node and the script. */
  readonly argv?: readonly string[];
  /** Version of the running Node, such as `26.10.0`. */
  readonly nodeVersion: string;
  readonly stdin?: () => Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => Date;
  /** Aborted by Ctrl-C and SIGTERM. Commands stop soon and keep their results. */
  readonly signal: AbortSignal;
}
