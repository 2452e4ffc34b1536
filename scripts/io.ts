/** Where text goes: stdout and stderr, or a buffer in a test. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything that the command line uses of its process, passed in by its entry or by a test. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** Deletes variables from the environment that child processes of libraries inherit. `env` keeps them. */
  readonly hideFromChildProcesses?: (names: readonly string[]) => void;
  readonly cwd: string;
  /** Arguments, without node and the script. */
  readonly argv?: readonly string[];
  /** Version of the running Node, such as `26.10.0`. */
  readonly nodeVersion: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => Date;
  /** Aborted by Ctrl-C and SIGTERM. Commands stop soon and keep their results. */
  readonly signal: AbortSignal;
}

/** A terminal replaces a line that passes by the next one; a pipe gets it as a line. */
export type Progress = (line: string, kind?: "passing") => void;

/** Progress on stderr. An empty line that passes clears the last one. */
export function progressOn({ stderr }: Pick<Io, "stderr">, redact: (text: string) => string): Progress {
  const clear = "\r\u001b[2K";
  let isOpen = false;
  return (line, kind) => {
    if (stderr.isTTY !== true) {
      if (line !== "") stderr.write(`${redact(line)}\n`);
      return;
    }
    // A line that is wider than the terminal could not be cleared.
    const shown =
      kind === undefined ? `${redact(line)}\n` : redact(line).slice(0, (stderr.columns ?? 80) - 1);
    stderr.write(`${isOpen ? clear : ""}${shown}`);
    isOpen = kind !== undefined && line !== "";
  };
}
