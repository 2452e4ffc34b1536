import { ChildProcess, spawn } from "node:child_process";
import { platform } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { getSystemErrorMap } from "node:util";

/** How a child process ended. `status` is "exit code 2" or "signal SIGKILL"; texts hold at most the last 64 KiB. */
export type ProgramEnd =
  | {
      readonly kind: "exited";
      readonly code: number | undefined;
      readonly signal: NodeJS.Signals | undefined;
      readonly status: string;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "not-started"; readonly code: string; readonly reason: string }
  | { readonly kind: "timed-out" };

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly signal?: AbortSignal | undefined;
  /** Default: it may take as long as it takes. */
  readonly timeoutMilliseconds?: number;
  /** How the program is asked to end. Default: SIGTERM */
  readonly endSignal?: "SIGINT" | "SIGTERM";
  /** How long it may take to end before it is killed. Default: 3 000 */
  readonly graceMilliseconds?: number;
  /** Aborted, it kills the program at once. */
  readonly kill?: AbortSignal | undefined;
  /** Whether the program ends within seconds when this process is gone, in whichever way. Default: false */
  readonly endsWithUs?: boolean;
  readonly onStart?: (pid: number) => void;
  /** Takes each line as it comes; one that is far too long comes as a remark in its place. */
  readonly onLine?: (stream: "stdout" | "stderr", line: string) => void;
}

const keptCharacters = 64 * 1024;

/**
 * Runs a program to its end without a shell. On abort or time-out the program and all that it started are ended, first
 * asked, then killed; the promise settles only when they are gone.
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

/** The same, but after an abort it tells how the program ended. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramEnd> {
  for (let attempt = 1; ; attempt++) {
    const ended = await runOnce(command, args, options);
    // A file just written is "busy" while any process forked meanwhile, by any thread, still holds its descriptor.
    const busy = ended.kind === "not-started" && ended.code === "ETXTBSY";
    if (!busy || attempt === 20) return ended;
    await delay(25);
  }
}

async function runOnce(command: string, args: readonly string[], options: RunOptions): Promise<ProgramEnd> {
  const { signal, kill, timeoutMilliseconds, endSignal = "SIGTERM", graceMilliseconds = 3_000 } = options;
  const child = start(command, args, options);
  if (!(child instanceof ChildProcess)) return child;
  const timeout = timeoutMilliseconds === undefined ? undefined : AbortSignal.timeout(timeoutMilliseconds);
  const stop = AbortSignal.any([signal, timeout].filter((one) => one !== undefined));
  let killTimer: NodeJS.Timeout | undefined;
  const askToEnd = () => {
    signalGroup(child, endSignal);
    killTimer = setTimeout(() => signalGroup(child, "SIGKILL"), graceMilliseconds);
  };
  const killNow = () => signalGroup(child, "SIGKILL");
  if (stop.aborted) askToEnd();
  stop.addEventListener("abort", askToEnd, { once: true });
  if (kill?.aborted === true) killNow();
  kill?.addEventListener("abort", killNow, { once: true });
  process.once("exit", killNow);
  const guard = options.endsWithUs === true ? startGuard(child, options.env) : undefined;
  try {
    if (child.pid !== undefined) options.onStart?.(child.pid);
    const ended = await ending(child, options.onLine);
    const isLate = timeout?.aborted === true && signal?.aborted !== true;
    return isLate && ended.kind === "exited" && ended.code !== 0 ? { kind: "timed-out" } : ended;
  } finally {
    clearTimeout(killTimer);
    stop.removeEventListener("abort", askToEnd);
    kill?.removeEventListener("abort", killNow);
    process.off("exit", killNow);
    guard?.kill("SIGKILL");
  }
}

function start(command: string, args: readonly string[], options: RunOptions): ChildProcess | ProgramEnd {
  try {
    return spawn(command, args, {
      env: options.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, so that compilers that `go` started go down with it.
      detached: platform() !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    // Node reports a missing file by event, but throws for a busy or foreign one.
    return notStarted(error as NodeJS.ErrnoException);
  }
}

/**
 * Waits for the end of its input, which comes when the process that started it is gone, even by SIGKILL; then it ends
 * the program. Its argument is a process id, and its environment holds no key.
 */
const guardSource = `
const target = Number(process.argv[1]);
const end = (signal) => {
  try { process.kill(target, signal); } catch { process.exit(); }
};
process.stdin.resume().on("close", () => {
  end("SIGINT");
  setTimeout(() => { end("SIGKILL"); process.exit(); }, 3000);
});
`;

function startGuard({ pid }: ChildProcess, { SystemRoot }: NodeJS.ProcessEnv): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const target = platform() === "win32" ? pid : -pid;
  const guard = spawn(process.execPath, ["-e", guardSource, "--", String(target)], {
    env: SystemRoot === undefined ? {} : { SystemRoot },
    stdio: ["pipe", "ignore", "ignore"],
    // In a group of its own, so that what ends ours does not end it before its work.
    detached: true,
    windowsHide: true,
  });
  // Without it the program still runs.
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
    // Only now is all read.
    void Promise.allSettled(reading).then(() => resolve({ kind: "exited", ...end, ...read }));
  });
  return promise;
}

const longestLine = 4 * 1024 * 1024;

/**
 * The lines of a text that comes in parts. A line beyond 4 million characters is left out whole, so that one without an
 * end fills no memory, and no cut falls into a key.
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
    // Gone already: that is what was wanted.
  }
}
