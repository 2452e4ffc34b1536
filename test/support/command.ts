import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { main } from "../../scripts/cli/main.ts";
import type { RunningService } from "../../service/start.ts";

const script = fileURLToPath(new URL("../../scripts/cli/shelfcheck.cjs", import.meta.url));
/** Compiled modules, kept between processes: many of them start. */
const compileCache = fileURLToPath(new URL("../../node_modules/.cache/node", import.meta.url));

/** Exit code and output of a finished command line. */
export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of every command line, without SHELFCHECK_ variables of the developer. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME = homedir(), XDG_CACHE_HOME, K6_BIN, NODE_COMPILE_CACHE } = process.env;
  const optional = { XDG_CACHE_HOME, K6_BIN, NODE_COMPILE_CACHE };
  const set = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { PATH, HOME, NO_COLOR: "1", ...Object.fromEntries(set) };
}

interface HereOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The command's clock. */
  readonly now?: () => Date;
  /** Interrupts the command, as Ctrl-C does. */
  readonly signal?: AbortSignal;
  /** Called when a line on stdout is complete, with all of stdout so far. */
  readonly onLine?: (stdout: string) => void;
  /** The same for stderr. */
  readonly onErrorLine?: (stderr: string) => void;
}

/** Runs the command line to its end in this process, which is faster. */
export async function runHere(argv: readonly string[], options: HereOptions): Promise<Finished> {
  const { cwd, env = {}, now = () => new Date(), signal = new AbortController().signal } = options;
  const texts = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof texts, listen?: (all: string) => void) => ({
    write(text: string) {
      texts[name] += text;
      if (text.includes("\n")) listen?.(texts[name]);
    },
  });
  const exitCode = await main(argv, {
    env: { ...cleanEnvironment(), ...env },
    cwd,
    stdout: stream("stdout", options.onLine),
    stderr: stream("stderr", options.onErrorLine),
    nodeVersion: process.versions.node,
    now,
    signal,
  });
  return { exitCode, ...texts };
}

/** `serve` in this process, with its flags, in the working directory `cwd`; stopped by `await using`. */
export async function serveHere(
  flags: readonly string[],
  cwd: string,
): Promise<AsyncDisposable & { readonly ready: ReadyLine }> {
  const stop = new AbortController();
  const { promise: readyLine, resolve, reject } = Promise.withResolvers<string>();
  const finished = runHere(["serve", ...flags], { cwd, signal: stop.signal, onLine: resolve });
  finished.then(({ stderr }) => reject(new Error(`serve ended before it was ready: ${stderr}`)), reject);
  const ready: ReadyLine = JSON.parse(await readyLine);
  return {
    ready,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await finished;
    },
  };
}

/** Runs any program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env: NodeJS.ProcessEnv },
): Promise<Finished> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const [stdout, stderr, [exitCode]] = await ended;
  return { exitCode, stdout, stderr };
}

/** Runs the real command line to its end in its own process. */
export function runCommand(
  argv: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Finished> {
  const all = { NODE_COMPILE_CACHE: compileCache, ...cleanEnvironment(), ...env };
  return runProgram(process.execPath, [script, ...argv], { cwd, env: all });
}

/** The line that `serve` prints when it is ready. */
interface ReadyLine {
  readonly base_url: string;
  readonly keys: { readonly primary: string; readonly same_org: string; readonly other_org: string };
  readonly categories: readonly string[];
}

/** Environment for a command line whose target is a service started by `serve`. */
export function environmentOf({ base_url, keys, categories }: ReadyLine): NodeJS.ProcessEnv {
  return {
    SHELFCHECK_BASE_URL: base_url,
    SHELFCHECK_API_KEY: keys.primary,
    SHELFCHECK_SAME_ORG_API_KEY: keys.same_org,
    SHELFCHECK_OTHER_ORG_API_KEY: keys.other_org,
    SHELFCHECK_CATEGORIES: categories.join(","),
  };
}

/** The same for a service that a test started itself. */
export function environmentFor({ baseUrl, keys, categories }: RunningService): NodeJS.ProcessEnv {
  const { primary, sameOrg, otherOrg } = keys;
  const ready = { base_url: baseUrl, keys: { primary, same_org: sameOrg, other_org: otherOrg }, categories };
  return environmentOf(ready);
}
