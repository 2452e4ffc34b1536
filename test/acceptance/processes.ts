import { readdir, readFile, readlink } from "node:fs/promises";

/** A process of this machine, as /proc shows it. */
export interface SystemProcess {
  readonly pid: number;
  /** When it started, in ticks since the system started: distinguishes it from a later process with the same id. */
  readonly startedAt: string;
  /** The program that runs in it. */
  readonly program: string;
  readonly commandLine: string;
  /** Variables, separated by NUL. */
  readonly environment: string;
}

const pageBytes = 4096;

/** The table of processes by their parents; the rows that run at the same time share it. */
let table: { readonly at: number; readonly byParent: ReturnType<typeof readTable> } | undefined;
const tableMilliseconds = 200;

async function readTable() {
  const all = (await pids()).map(async (pid) => ({ pid, parent: (await statOf(pid))?.parent }));
  return Map.groupBy(await Promise.all(all), ({ parent }) => parent);
}

/** The ids of a process and of all that it started and that still run below it. */
export async function processTree(root: number): Promise<number[]> {
  const now = performance.now();
  if (table === undefined || now - table.at > tableMilliseconds) table = { at: now, byParent: readTable() };
  const children = await table.byParent;
  const found = [root];
  for (const parent of found) found.push(...(children.get(parent) ?? []).map(({ pid }) => pid));
  return found;
}

/** All processes whose environment contains `text`. */
export async function processesWith(text: string): Promise<SystemProcess[]> {
  const all: SystemProcess[] = [];
  for (const pid of await pids()) {
    if (!(await textOf(pid, "environ")).includes(text)) continue;
    const found = await readProcess(pid);
    if (found !== undefined) all.push(found);
  }
  return all;
}

/**
 * Reads a process; undefined when it is gone. The command line is read first: what is read after it belongs to the same
 * program or to a later one.
 */
export async function readProcess(pid: number): Promise<SystemProcess | undefined> {
  const commandLine = (await textOf(pid, "cmdline")).replaceAll("\0", " ").trim();
  const environment = await textOf(pid, "environ");
  const path = await readlink(`/proc/${pid}/exe`).catch(() => undefined);
  const startedAt = (await statOf(pid))?.startedAt;
  if (path === undefined || startedAt === undefined) return undefined;
  return { pid, startedAt, program: path.split("/").at(-1) ?? path, commandLine, environment };
}

/** Whether the same process still runs. A process that has ended and is still in the process table does not. */
export async function isRunning({
  pid,
  startedAt,
}: Pick<SystemProcess, "pid" | "startedAt">): Promise<boolean> {
  return (await statOf(pid))?.startedAt === startedAt;
}

/** Resident memory in bytes, 0 when the process is gone. */
export async function memoryOf(pid: number): Promise<number> {
  return Number((await textOf(pid, "statm")).split(" ")[1] ?? 0) * pageBytes;
}

async function pids(): Promise<number[]> {
  return (await readdir("/proc")).map(Number).filter(Number.isInteger);
}

/** Undefined for a process that has ended. */
async function statOf(pid: number): Promise<{ parent: number; startedAt: string } | undefined> {
  // The name is in parentheses and may contain any character.
  const [state = "Z", parent, ...rest] = (await textOf(pid, "stat")).split(") ").at(-1)?.split(" ") ?? [];
  const startedAt = rest[17];
  return "ZX".includes(state) || startedAt === undefined ? undefined : { parent: Number(parent), startedAt };
}

function textOf(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "");
}
