import { ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { getSystemErrorMap } from "node:util";

/** How a child process ended. `status` is "exit code 2" or "signal SIGKILL"; texts hold at most the last 64 KiB. */
export type Ended =
  | {
      readonly kind: "exited";
      readonly code: number | undefined;
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
  readonly timeoutMilliseconds: number;
}

const keptCharacters = 64 * 1024;
const graceMilliseconds = 3_000;

/**
 * Runs a program to its end without a shell. On abort or time-out the program and all that it started are ended, first
 * asked, then killed; the promise settles only when they are gone.
 *
 * @throws the signal's reason, when aborted.
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  for (let attempt = 1; ; attempt++) {
    const ended = await runOnce(command, args, options);
    // A file just written is "busy" while any process forked meanwhile, by any thread, still holds its descriptor.
    const busy = ended.kind === "not-started" && ended.code === "ETXTBSY";
    if (!busy || attempt === 20) return ended;
    await delay(25);
  }
}

async function runOnce(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  options.signal?.throwIfAborted();
  const child = start(command, args, options);
  if (!(child instanceof ChildProcess)) return child;
  const timeout = AbortSignal.timeout(options.timeoutMilliseconds);
  const stop = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  let killTimer: NodeJS.Timeout | undefined;
  const askToEnd = () => {
    signalGroup(child, "SIGTERM");
    killTimer = setTimeout(() => signalGroup(child, "SIGKILL"), graceMilliseconds);
  };
  const killNow = () => signalGroup(child, "SIGKILL");
  stop.addEventListener("abort", askToEnd, { once: true });
  process.once("exit", killNow);
  try {
    const ended = await ending(child);
    options.signal?.throwIfAborted();
    return timeout.aborted && ended.kind === "exited" && ended.code !== 0 ? { kind: "timed-out" } : ended;
  } finally {
    clearTimeout(killTimer);
    stop.removeEventListener("abort", askToEnd);
    process.off("exit", killNow);
  }
}

function start(command: string, args: readonly string[], options: RunOptions): ChildProcess | Ended {
  try {
    return spawn(command, args, {
      env: options.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, so that compilers that `go` started go down with it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    // Node reports a missing file by event, but throws for a busy or foreign one.
    return notStarted(error as NodeJS.ErrnoException);
  }
}

function notStarted(error: NodeJS.ErrnoException): Ended {
  const code = error.code ?? "unknown";
  const reason = getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message;
  return { kind: "not-started", code, reason };
}

function ending(child: ChildProcess): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout = (stdout + text).slice(-keptCharacters);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-keptCharacters);
  });
  child.once("error", (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) resolve(notStarted(error));
  });
  child.once("close", (code, signal) => {
    const status = code === null ? `signal ${signal}` : `exit code ${code}`;
    resolve({ kind: "exited", code: code ?? undefined, status, stdout, stderr });
  });
  return promise;
}

function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Gone already: that is what was wanted.
  }
}
