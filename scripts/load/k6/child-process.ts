import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { platform } from "node:os";
import { getSystemErrorMap } from "node:util";

/** How a program ended. `status` is "exit code 2" or "signal SIGKILL". */
type ProgramEnd =
  | {
      readonly kind: "exited";
      readonly code: number | undefined;
      readonly signal: NodeJS.Signals | undefined;
      readonly status: string;
      /** Whether this process killed it. */
      readonly isKilled: boolean;
    }
  | { readonly kind: "not-started"; readonly reason: string };

interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Ends the program at once, by SIGKILL. */
  readonly kill?: AbortSignal;
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

/** Runs a program without a shell until its group has ended, which on abort gets a signal, then is killed. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramEnd> {
  const { env, cwd, signal, kill, endSignal = "SIGTERM", graceMilliseconds = 3_000, onLine } = options;
  let child: ChildProcess | undefined;
  let [guard, timer]: [ChildProcess?, NodeJS.Timeout?] = [];
  let isKilled = false;
  const killNow = () => {
    isKilled = true;
    signalGroup(child?.pid, "SIGKILL");
  };
  const end = (first: "SIGINT" | "SIGTERM", milliseconds: number, then = killNow) => {
    clearTimeout(timer);
    signalGroup(child?.pid, first);
    timer = setTimeout(then, milliseconds);
  };
  const onAbort = () => end(endSignal, graceMilliseconds);
  try {
    // A process group of its own: signals also reach its child processes, such as compilers started by go.
    const detached = platform() !== "win32";
    child = spawn(command, args, {
      env,
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      detached,
      windowsHide: true,
    });
    const { stdout, stderr, pid } = child;
    const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const read = Object.entries({ stdout, stderr } as const).map(async ([name, stream]) => {
      const lines = boundedLines(stream?.setEncoding("utf8") ?? []);
      for await (const line of lines) onLine?.(name as "stdout" | "stderr", line);
    });
    signal?.addEventListener("abort", onAbort);
    kill?.addEventListener("abort", killNow);
    process.once("exit", killNow);
    if (signal?.aborted === true) onAbort();
    if (options.endsWhatItLeaves === true) {
      child.once("exit", () =>
        end("SIGTERM", leftMilliseconds, () => {
          killNow();
          // What left the group may keep the pipes open.
          stdout?.destroy();
          stderr?.destroy();
        }),
      );
    }
    if (pid !== undefined && options.endsWithUs === true) guard = startGuard(pid, env);
    if (pid !== undefined) options.onStart?.(pid);
    const [[code, endedBy]] = await Promise.all([closed, Promise.allSettled(read)]);
    const status = code === null ? `signal ${endedBy}` : `exit code ${code}`;
    return { kind: "exited", code: code ?? undefined, signal: endedBy ?? undefined, status, isKilled };
  } catch (error) {
    // Node reports a missing file with an event, but throws for a busy file or one of another platform.
    const { errno = 0, message } = error as NodeJS.ErrnoException;
    return { kind: "not-started", reason: getSystemErrorMap().get(errno)?.[1] ?? message };
  } finally {
    clearTimeout(timer);
    if (options.endsWhatItLeaves === true) killNow();
    signal?.removeEventListener("abort", onAbort);
    process.off("exit", killNow);
    guard?.kill("SIGKILL");
  }
}

/**
 * Ends the program when its own standard input closes, as it does when our process ends, even by SIGKILL. A
 * shell: Node would take 40 MB. BusyBox knows `kill -INT` but not `kill -s INT --`. Windows has no groups.
 */
function startGuard(pid: number, { PATH }: NodeJS.ProcessEnv): ChildProcess | undefined {
  if (platform() === "win32") return undefined;
  const command = 'read -r _; kill -INT "-$0" && sleep 3 && kill -KILL "-$0"';
  // Without the key, and in a process group of its own, so that a signal to ours does not end it early.
  const stdio: ["pipe", "ignore", "ignore"] = ["pipe", "ignore", "ignore"];
  const guard = spawn("/bin/sh", ["-c", command, String(pid)], { env: { PATH }, stdio, detached: true });
  // The program runs without it too.
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  guard.unref();
  return guard;
}

const longestLine = 4 * 1024 * 1024;

/**
 * Splits text into lines. One of more than 4 million characters is dropped: it must not fill the memory, and
 * a cut could go through a key that must be redacted.
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
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(platform() === "win32" ? pid : -pid, signal);
  } catch {
    // It has ended already.
  }
}
