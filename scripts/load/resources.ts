import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, platform, totalmem } from "node:os";
import { setInterval } from "node:timers/promises";
import { promisify } from "node:util";
import type { Finding } from "../../schemas/types.ts";

/** CPU and memory that a load generator used. */
export interface GeneratorUse {
  /** Total CPU time. */
  readonly cpuSeconds: number;
  /** Share of the time, from 0 to 1, in which it used more than 90 % of the machine's CPU. */
  readonly saturatedShare: number;
  readonly memoryBytes: number;
  readonly memoryShare: number;
}

interface Sample {
  readonly at: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Short, because an endless body fills about 300 MB per second. */
const everyMilliseconds = 100;
/** Longer, because CPU time is counted in hundredths of a second. */
const cpuMilliseconds = 500;
const saturated = 0.9;
const ticksPerSecond = 100;
const pageBytes = 4096;

/** Memory available on this machine, or in this container, in bytes. */
export function grantedMemory(): number {
  return process.constrainedMemory() || totalmem();
}

/**
 * Samples the resources of a process until stopped. The result needs /proc, so it is undefined except on Linux.
 *
 * @param onLook Called at each sample with the memory in bytes, or undefined where the system does not report it.
 */
export function watchGenerator(
  pid: number,
  onLook: (memoryBytes: number | undefined) => void = () => undefined,
): { stop(): Promise<GeneratorUse | undefined> } {
  const stopping = new AbortController();
  const samples: Sample[] = [];
  let mostMemory = 0;
  const watching = (async () => {
    try {
      for await (const _ of setInterval(everyMilliseconds, undefined, { signal: stopping.signal })) {
        const sample = await sampleOf(pid);
        const memoryBytes = sample?.memoryBytes ?? (await memoryByPs(pid));
        onLook(memoryBytes);
        if (sample === undefined) continue;
        mostMemory = Math.max(mostMemory, sample.memoryBytes);
        const before = samples.at(-1);
        if (before === undefined || sample.at - before.at >= cpuMilliseconds) samples.push(sample);
      }
    } catch {
      // Stopped.
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
      const use = useOf(samples, availableParallelism(), grantedMemory());
      return use && { ...use, memoryBytes: mostMemory, memoryShare: mostMemory / grantedMemory() };
    },
  };
}

/** Memory of a process in bytes, from `ps`, for systems without /proc; undefined on Windows, and when the process is gone. */
export async function memoryByPs(pid: number): Promise<number | undefined> {
  if (platform() === "win32") return undefined;
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
    return Number(stdout) * 1024;
  } catch {
    return undefined;
  }
}

async function sampleOf(pid: number): Promise<Sample | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // Fields are counted after the process name, which is in parentheses and may contain spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      at: performance.now(),
      cpuSeconds: ticks / ticksPerSecond,
      memoryBytes: Number(fields[21]) * pageBytes,
    };
  } catch {
    return undefined;
  }
}

/** Sums up samples, on a machine with `cores` cores and `memory` bytes; undefined without samples. */
export function useOf(samples: readonly Sample[], cores: number, memory: number): GeneratorUse | undefined {
  const last = samples.at(-1);
  if (last === undefined) return undefined;
  let busy = 0;
  for (const [place, sample] of samples.entries()) {
    const before = samples[place - 1];
    if (before === undefined) continue;
    const share = (sample.cpuSeconds - before.cpuSeconds) / ((sample.at - before.at) / 1000) / cores;
    if (share > saturated) busy += 1;
  }
  const memoryBytes = Math.max(...samples.map((sample) => sample.memoryBytes));
  return {
    cpuSeconds: last.cpuSeconds,
    saturatedShare: samples.length < 2 ? 0 : busy / (samples.length - 1),
    memoryBytes,
    memoryShare: memoryBytes / memory,
  };
}

const mostSaturated = 0.2;
const mostMemory = 0.85;

/** Findings for resources that the generators ran out of, which make a run invalid. */
export function starvedFindings(uses: readonly GeneratorUse[]): Finding[] {
  const memory = uses.reduce((sum, use) => sum + use.memoryShare, 0);
  const busiest = Math.max(0, ...uses.map(({ saturatedShare }) => saturatedShare));
  return [
    ...(busiest > mostSaturated ? [{ code: "generator-cpu", actual: busiest, unit: "share" } as const] : []),
    ...(memory > mostMemory ? [{ code: "generator-memory", actual: memory, unit: "share" } as const] : []),
  ];
}
