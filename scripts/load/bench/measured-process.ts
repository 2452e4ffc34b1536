import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setInterval } from "node:timers/promises";

/** What a command used. */
export interface Measured {
  readonly code: number | null;
  /** User and system time of it and its children. */
  readonly cpuSeconds: number;
  /** Resident memory, once a second. */
  readonly memoryBytes: readonly number[];
  readonly output: string;
}

const pageBytes = 4096;

/** Runs a command to its end under bash's `time`, which counts CPU to the end of the process; Linux only. */
export async function measure(
  command: readonly string[],
  { env, cwd, signal }: { env: NodeJS.ProcessEnv; cwd: string; signal: AbortSignal },
): Promise<Measured> {
  const child = spawn("bash", ["-c", 'TIMEFORMAT="bench-cpu %U %S"; time "$@"', "bash", ...command], {
    env,
    cwd,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const stopping = new AbortController();
  const memory = sampleMemory(child.pid ?? 0, stopping.signal);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  stopping.abort();
  const [, user, system] = /bench-cpu ([0-9.]+) ([0-9.]+)/.exec(output) ?? [];
  return { code, cpuSeconds: Number(user) + Number(system), memoryBytes: await memory, output };
}

async function sampleMemory(shell: number, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  try {
    for await (const _ of setInterval(1000, undefined, { signal })) samples.push(await memoryBelow(shell));
  } catch {
    // Over.
  }
  return samples;
}

/** Resident memory of the shell's child. */
async function memoryBelow(shell: number): Promise<number> {
  try {
    const children = await readFile(`/proc/${shell}/task/${shell}/children`, "utf8");
    const [first = ""] = children.trim().split(" ");
    const [, pages] = (await readFile(`/proc/${first}/statm`, "utf8")).split(" ");
    return Number(pages) * pageBytes;
  } catch {
    return 0;
  }
}

/** True where the system shows what is measured here. */
export async function canMeasure(): Promise<boolean> {
  const files: string[] = await readdir("/proc/self").catch(() => []);
  return files.includes("statm");
}
