import { ChildProcess, spawn } from "node:child_process";
import { platform } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
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
  | { readonly kind: "not-started"; readonly code: string; readonly reason: string };

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Signal that asks the program to end. Default: SIGTERM */
  readonly endSignal?: "SIGINT" | "SIGTERM";
  /** Time between that signal and SIGKILL. Default: 3 000 */
  readonly graceMilliseconds?: number;
  /** When aborted, the program is killed at once. */
  readonly kill?: AbortSignal | undefined;
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
 *
 * @throws the signal's reason, when aborted.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramEnd> {
  options.signal?.throwIfAborted();
  const ended = await runToEnd(command, args, options);
  options.signal?.throwIfAborted();
  return ended;
}

/** Like `run`, but returns how the program ended even after an abort. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramEnd> {
  for (let attempt = 1; ; attempt++) {
    const ended = await runOnce(command, args, options);
    // A file that was just written is busy while a process that was forked in the meantime still holds its descriptor.
    const busy = ended.kind === "not-started" && ended.code === "ETXTBSY";
    if (!busy || attempt === 20) return ended;
    await delay(25);
  }
}

async function runOnce(command: string, args: readonly string[], options: RunOptions): Promise<ProgramEnd> {
  const { signal, kill, endSignal = "SIGTERM", graceMilliseconds = 3_000 } = options;
  const child = start(command, args, options);
  if (!(child instanceof ChildProcess)) return child;
  let killTimer: NodeJS.Timeout | undefined;
  const requestEnd = () => {
    signalGroup(child, endSignal);
    killTimer = setTimeout(() => signalGroup(child, "SIGKILL"), graceMilliseconds);
  };
  const killNow = () => signalGroup(child, "SIGKILL");
  if (signal?.aborted === true) requestEnd();
  signal?.addEventListener("abort", requestEnd, { once: true });
  if (kill?.aborted === true) killNow();
  kill?.addEventListener("abort", killNow, { once: true });
  process.once("exit", killNow);
  if (options.endsWhatItLeaves === true) {
    child.once("exit", () => {
      signalGroup(child, "SIGTERM");
      killTimer = setTimeout(killNow, leftMilliseconds);
    });
  }
  const guard = options.endsWithUs === true ? startGuard(child, options.env) : undefined;
  try {
    if (child.pid !== undefined) options.onStart?.(child.pid);
    return await ending(child, options.onLine);
  } finally {
    clearTimeout(killTimer);
    if (options.endsWhatItLeaves === true) killNow();
    signal?.removeEventListener("abort", requestEnd);
    kill?.removeEventListener("abort", killNow);
    process.off("exit", killNow);
    guard?.kill("SIGKILL");
  }
}

function start(command: string, args: readonly string[], options: RunOptions): ChildProcess | ProgramEnd {
  try {
    return spawn(command, args, {
      env: options.env,
      cwd: options.cwd,
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, so that signals also reach its child processes, such as compilers started by go.
      detached: platform() !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    // Node reports a missing file with an event, but throws for a busy file or one of another platform.
    return notStarted(error as NodeJS.ErrnoException);
  }
}

/**
 * The command of a process that ends the program when its standard input closes, which happens when our process ends, even
 * by SIGKILL. A shell, because another Node would take 40 MB for each k6. BusyBox knows `kill -INT` but not `kill -s INT --`.
 * Windows has no signals, so there the program ends at once.
 */
const guardCommand =
  platform() === "win32"
    ? [
        process.execPath,
        "-e",
        'process.stdin.resume().on("close", () => process.kill(Number(process.argv[1])))',
        "--",
      ]
    : ["/bin/sh", "-c", 'read -r _; kill -INT "-$0" && sleep 3 && kill -KILL "-$0"'];

function startGuard(
  { pid }: ChildProcess,
  { PATH, SystemRoot }: NodeJS.ProcessEnv,
): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const [command = "", ...args] = guardCommand;
  const guard = spawn(command, [...args, String(pid)], {
    // Without the key.
    env: platform() === "win32" ? { SystemRoot } : { PATH },
    stdio: ["pipe", "ignore", "ignore"],
    // A process group of its own, so that a signal to our group does not end it too early.
    detached: true,
    windowsHide: true,
  });
  // The program runs without it too.
  guard.on("error", () => undefined);
  guard.stdin?.on("error", () => undefined);
  guard.unref();
  return guard;
}

function notStarted(error: NodeJS.ErrnoException): ProgramEnd {
  const code = error.code ?? "unknown";
  const reason = getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message;
  return { kind: "not-started", code, reason };
}

async function ending(child: ChildProcess, onLine: RunOptions["onLine"]): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  const read = { stdout: "", stderr: "" };
  const reading = (["stdout", "stderr"] as const).map(async (name) => {
    const stream = child[name]?.setEncoding("utf8");
    if (stream === undefined) return;
    if (onLine !== undefined) {
      for await (const line of boundedLines(stream)) onLine(name, line);
      return;
    }
    for await (const text of stream) read[name] = (read[name] + String(text)).slice(-keptCharacters);
  });
  child.once("error", (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) resolve(notStarted(error));
  });
  child.once("close", (code, signal) => {
    const status = code === null ? `signal ${signal}` : `exit code ${code}`;
    const end = { code: code ?? undefined, signal: signal ?? undefined, status };
    // Wait until all output has been read.
    void Promise.allSettled(reading).then(() => resolve({ kind: "exited", ...end, ...read }));
  });
  return promise;
}

const longestLine = 4 * 1024 * 1024;

/**
 * Splits a stream of text into lines. A line of more than 4 million characters is dropped completely: an endless line must
 * not fill the memory, and cutting it could cut through a key that must be redacted.
 */
export async function* boundedLines(parts: AsyncIterable<unknown>): AsyncGenerator<string> {
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

function signalGroup(child: ChildProcess, signal: "SIGINT" | "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (platform() === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended already.
  }
}
