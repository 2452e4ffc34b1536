import type { Readable } from "node:stream";

/** Where text goes: stdout and stderr, or a buffer in a test. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** All that the command line touches of its surroundings, handed in by entry.ts or by a test. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** Takes variables out of the environment that programs inherit which a library starts; `env` keeps them. */
  readonly hideFromPrograms?: (names: readonly string[]) => void;
  readonly cwd: string;
  /** The command line, without node and the script. */
  readonly argv?: readonly string[];
  /** Version of the running Node, such as `26.10.0`. */
  readonly nodeVersion: string;
  /** Opens standard input. */
  readonly stdin?: () => Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => Date;
  /** Aborted by Ctrl-C and SIGTERM: stop soon, and keep what was learned. */
  readonly signal: AbortSignal;
}
