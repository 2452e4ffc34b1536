import { readFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { setInterval } from "node:timers/promises";
import type { Finding } from "../../schemas/types.ts";

/** What a generator used. */
export interface GeneratorUse {
  /** Seconds of CPU in all. */
  readonly cpuSeconds: number;
  /** Share of the time, from 0 to 1, in which it used more than nine tenths of the machine's CPU. */
  readonly saturatedShare: number;
  readonly memoryBytes: number;
  readonly memoryShare: number;
}

interface Sample {
  readonly at: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

const everyMilliseconds = 500;
const saturated = 0.9;
const ticksPerSecond = 100;
const pageBytes = 4096;

/** Watches a process until stopped. Where the system does not show it (only Linux does, under /proc), undefined. */
export function watchGenerator(pid: number): { stop(): Promise<GeneratorUse | undefined> } {
  const stopping = new AbortController();
  const samples: Sample[] = [];
  const watching = (async () => {
    try {
      for await (const _ of setInterval(everyMilliseconds, undefined, { signal: stopping.signal })) {
        const sample = await sampleOf(pid);
        if (sample !== undefined) samples.push(sample);
      }
    } catch {
      // Stopped.
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
      return useOf(samples, availableParallelism(), process.constrainedMemory() || totalmem());
    },
  };
}

async function sampleOf(pid: number): Promise<Sample | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold spaces: the fields are counted after it.
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

/** What the samples say, on a machine with so many cores and so much memory. */
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

/** What the generators lacked, so that their run says nothing. */
export function starvedFindings(uses: readonly GeneratorUse[]): Finding[] {
  const memory = uses.reduce((sum, use) => sum + use.memoryShare, 0);
  const busiest = Math.max(0, ...uses.map(({ saturatedShare }) => saturatedShare));
  return [
    ...(busiest > mostSaturated ? [{ code: "generator-cpu", actual: busiest, unit: "share" } as const] : []),
    ...(memory > mostMemory ? [{ code: "generator-memory", actual: memory, unit: "share" } as const] : []),
  ];
}
