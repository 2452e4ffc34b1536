import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { piecesOf } from "./key-pieces.ts";

/** A process of this machine, as /proc shows it. */
export interface SystemProcess {
  readonly pid: number;
  /** The program that runs in it. */
  readonly program: string;
  readonly commandLine: string;
  /** Variables, separated by NUL. */
  readonly environment: string;
}

/** Observations of a command and of the processes that it started. */
export interface Watched {
  /** Most memory of all of them together, in bytes. */
  readonly memoryBytes: number;
  /** Where in a command line or an environment a piece of a key was found. */
  readonly leaks: readonly string[];
  /** Programs that still ran some seconds after the command had ended. */
  readonly orphans: readonly string[];
}

export interface WatchOptions {
  /** A text in the environment of the command and of the processes that it started. */
  readonly mark: string;
  readonly pieces: ReturnType<typeof piecesOf>;
  /** Whether the process needs a key in its environment. */
  readonly needsKey: (one: SystemProcess) => boolean;
}

const roundMilliseconds = 100;
/** Each scan reads the whole process table, hence a longer period than that of the memory. */
const roundsBetweenScans = 3;
/** k6 may take 5 seconds to notice that the process that started it is gone, and longer on a busy machine. */
const graceMilliseconds = 20_000;
const pageBytes = 4096;

/** Watches the process `root`, and all below it, until `end` is called. */
export function watchProcesses(
  root: number,
  { mark, pieces, needsKey }: WatchOptions,
): { end(): Promise<Watched> } {
  const stop = new AbortController();
  const leaks = new Set<string>();
  const seen = new Set<string>();
  let current: readonly number[] = [root];
  let most = 0;
  const watching = watch();

  async function watch(): Promise<void> {
    for (let round = 0; !stop.signal.aborted; round++) {
      if (round % roundsBetweenScans === 0) await scan();
      const sizes = await Promise.all(current.map(memoryOf));
      const together = sizes.reduce((sum, size) => sum + size, 0);
      most = Math.max(most, together);
      await sleep(roundMilliseconds, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  async function scan(): Promise<void> {
    current = await processTree(root);
    const own = await readProcess(root);
    for (const pid of current.slice(1)) {
      const found = await readProcess(pid);
      // A process with the command line of its parent was just forked, and has not started its program yet.
      if (found === undefined || found.commandLine === own?.commandLine) continue;
      const id = `${pid} ${found.commandLine}`;
      if (seen.has(id)) continue;
      seen.add(id);
      if (await pieces.find(found.commandLine)) leaks.add(`arguments of ${found.program}`);
      if (!needsKey(found) && (await pieces.find(withoutProxies(found.environment))))
        leaks.add(`environment of ${found.program}`);
    }
  }

  /** What the command started and still runs. What has ended and is still in the process table has no variables. */
  async function left(): Promise<SystemProcess[]> {
    const running = (await pids()).map(async (pid) =>
      (await textOf(pid, "environ")).includes(mark) ? await readProcess(pid) : undefined,
    );
    return (await Promise.all(running)).filter((one) => one !== undefined);
  }

  return {
    async end() {
      stop.abort();
      await watching;
      const until = performance.now() + graceMilliseconds;
      let orphans = await left();
      while (orphans.length > 0 && performance.now() < until) {
        await sleep(250);
        orphans = await left();
      }
      const killed = orphans.filter(({ pid }) => isKilled(pid));
      return { memoryBytes: most, leaks: [...leaks], orphans: killed.map(({ program }) => program) };
    },
  };
}

/** Ends a process; false if it has ended meanwhile. */
function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

/** Every program inherits the proxies of the environment, with their credentials, and tools need them to download. */
function withoutProxies(environment: string): string {
  const variables = environment.split("\0");
  return variables.filter((one) => !/^https?_proxy=/i.test(one)).join("\0");
}

/** The table of processes by their parents; the rows that run at the same time share it. */
let table: { readonly at: number; readonly byParent: ReturnType<typeof readTable> } | undefined;
const tableMilliseconds = 200;

async function readTable() {
  const all = (await pids()).map(async (pid) => ({ pid, parent: await parentOf(pid) }));
  return Map.groupBy(await Promise.all(all), ({ parent }) => parent);
}

/** The ids of a process and of all that it started and that still run below it. */
async function processTree(root: number): Promise<number[]> {
  const now = performance.now();
  if (table === undefined || now - table.at > tableMilliseconds) table = { at: now, byParent: readTable() };
  const children = await table.byParent;
  const found = [root];
  for (const parent of found) found.push(...(children.get(parent) ?? []).map(({ pid }) => pid));
  return found;
}

/**
 * Reads a process; undefined when it is gone. The command line is read first: what is read after it belongs to the same
 * program or to a later one.
 */
async function readProcess(pid: number): Promise<SystemProcess | undefined> {
  const commandLine = (await textOf(pid, "cmdline")).replaceAll("\0", " ").trim();
  const environment = await textOf(pid, "environ");
  const path = await readlink(`/proc/${pid}/exe`).catch(() => undefined);
  if (path === undefined) return undefined;
  return { pid, program: path.split("/").at(-1) ?? path, commandLine, environment };
}

/** Resident memory in bytes, 0 when the process is gone. */
async function memoryOf(pid: number): Promise<number> {
  return Number((await textOf(pid, "statm")).split(" ")[1] ?? 0) * pageBytes;
}

async function pids(): Promise<number[]> {
  return (await readdir("/proc")).map(Number).filter(Number.isInteger);
}

/** Undefined for a process that has ended. */
async function parentOf(pid: number): Promise<number | undefined> {
  // The name is in parentheses and may contain any character.
  const [state = "Z", parent] = (await textOf(pid, "stat")).split(") ").at(-1)?.split(" ") ?? [];
  return "ZX".includes(state) ? undefined : Number(parent);
}

function textOf(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "");
}
