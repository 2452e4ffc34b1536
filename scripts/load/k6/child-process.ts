import { type ChildProcess, spawn } from "node:child_process";
import { platform } from "node:os";
import { getSystemErrorMap } from "node:util";

/** How a child process ended. `status` is "exit code 2" or "signal SIGKILL"; `stdout` and `stderr` hold the last 64 KiB at most. */
export type ProgramEnd =
  | {
      readonly kind: "exited";
      readonly code: number | undefined;
      readonly signal: NodeJS.Signals | undefined;
      readonly status: string;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "not-started"; readonly reason: string };

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Signal that asks the program to end. Default: SIGTERM */
  readonly endSignal?: "SIGINT" | "SIGTERM";
  /** Time between that signal and SIGKILL. Default: 3 000 */
  readonly graceMilliseconds?: number;
  /** Whether the program ends within seconds after this process ends, even by SIGKILL. Default: false */
  readonly endsWithUs?: boolean;
  /** Whether processes that it leaves behind are ended once it has ended. Default: false */
  readonly endsWhatItLeaves?: boolean;
  readonly onStart?: ((pid: number) => void) | undefined;
  /** Called with each line as it arrives. An overlong line is replaced by a remark. */
  readonly onLine?: (stream: "stdout" | "stderr", line: string) => void;
}

/** Time that processes get which a program leaves behind. */
const leftMilliseconds = 1000;
const keptCharacters = 64 * 1024;

/**
 * Runs a program without a shell until it ends. On abort, the program and its child processes get a signal to end,
 * then killed. The promise settles only when they have ended.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramEnd> {
  const { env, cwd, signal, endSignal = "SIGTERM", graceMilliseconds = 3_000, endsWhatItLeaves } = options;
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      env,
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, so that signals also reach its child processes, such as compilers started by go.
      detached: platform() !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    // Node reports a missing file with an event, but throws for a busy file or one of another platform.
    return notStarted(error as NodeJS.ErrnoException);
  }
  const ended = ending(child, options.onLine);
  const killNow = () => signalGroup(child.pid, "SIGKILL");
  let killTimer: NodeJS.Timeout | undefined;
  const end = (first: "SIGINT" | "SIGTERM", milliseconds: number, then = killNow) => {
    clearTimeout(killTimer);
    signalGroup(child.pid, first);
    killTimer = setTimeout(then, milliseconds);
  };
  const onAbort = () => end(endSignal, graceMilliseconds);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort);
  process.once("exit", killNow);
  if (endsWhatItLeaves === true) {
    child.once("exit", () =>
      end("SIGTERM", leftMilliseconds, () => {
        killNow();
        // What left the group may keep the pipes open.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }),
    );
  }
  const guard = options.endsWithUs === true ? startGuard(child, env) : undefined;
  try {
    if (child.pid !== undefined) options.onStart?.(child.pid);
    return await ended;
  } finally {
    clearTimeout(killTimer);
    if (endsWhatItLeaves === true) killNow();
    signal?.removeEventListener("abort", onAbort);
    process.off("exit", killNow);
    guard?.kill("SIGKILL");
  }
}

/**
 * A process that ends the program when its standard input closes, which happens when our process ends, even by SIGKILL. A
 * shell, because another Node would take 40 MB. BusyBox knows `kill -INT` but not `kill -s INT --`. Windows has no groups to signal.
 */
function startGuard({ pid }: ChildProcess, { PATH }: NodeJS.ProcessEnv): ChildProcess | undefined {
  if (pid === undefined || platform() === "win32") return undefined;
  const command = 'read -r _; kill -INT "-$0" && sleep 3 && kill -KILL "-$0"';
  const guard = spawn("/bin/sh", ["-c", command, String(pid)], {
    // Without the key.
    env: { PATH },
    stdio: ["pipe", "ignore", "ignore"],
    // A process group of its own, so that a signal to our group does not end it too early.
    detached: true,
  });
  // The program runs without it too.
  guard.on("error", () => undefined);
  guard.stdin?.on("error", () => undefined);
  guard.unref();
  return guard;
}

function notStarted(error: NodeJS.ErrnoException): ProgramEnd {
  const reason = getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message;
  return { kind: "not-started", reason };
}

async function ending(child: ChildProcess, onLine: RunOptions["onLine"]): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  const read = { stdout: "", stderr: "" };
  const reading = (["stdout", "stderr"] as const).map(async (name) => {
    const stream = child[name]?.setEncoding("utf8") ?? [];
    if (onLine === undefined)
      for await (const text of stream) read[name] = (read[name] + String(text)).slice(-keptCharacters);
    else for await (const line of boundedLines(stream)) onLine(name, line);
  });
  const allRead = Promise.allSettled(reading);
  child.once("error", (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) resolve(notStarted(error));
  });
  child.once("close", (code, signal) => {
    const status = code === null ? `signal ${signal}` : `exit code ${code}`;
    const end = { code: code ?? undefined, signal: signal ?? undefined, status };
    // Wait until all output has been read.
    void allRead.then(() => resolve({ kind: "exited", ...end, ...read }));
  });
  return promise;
}

const longestLine = 4 * 1024 * 1024;

/**
 * Splits a stream of text into lines. A line of more than 4 million characters is dropped completely: an endless line must
 * not fill the memory, and cutting it could cut through a key that must be redacted.
 */
export async function* boundedLines(
  parts: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  let rest = "";
  let isTooLong = false;
  const finished = (line: string) =>
    isTooLong ? `(a line of more than ${longestLine} characters was left out)` : line.replace(/\r$/, "");
  for await (const part of parts) {
    const [first = "", ...others] = String(part).split("\n");
    rest += isTooLong ? "" : first;
    for (const next of others) {
      yield finished(rest);
      rest = next;
      isTooLong = false;
    }
    if (rest.length <= longestLine) continue;
    isTooLong = true;
    rest = "";
  }
  if (rest !== "" || isTooLong) yield finished(rest);
}

/** Signals a process and those that it started. Without such a process, nothing happens. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(platform() === "win32" ? pid : -pid, signal);
  } catch {
    // It has ended already.
  }
}
