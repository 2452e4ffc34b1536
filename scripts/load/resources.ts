import { readFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { setInterval } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Finding } from "../../schemas/contracts/finding.ts";

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
  // Without a limit it is 0, or more than there is.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

/**
 * Gives back the memory that discovery and bundling used. Beside k6 almost nothing is allocated, so V8 would not collect it
 * for hours. Node has no function for it without a flag.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  // Also returns pages that V8 would keep for later.
  collect({ type: "major", flavor: "last-resort" });
}

/**
 * Keeps the part of the heap for new objects from growing, in the whole process. Otherwise V8 doubles it several times while
 * the reports are written, and holds 10 to 20 MB more. To be called before `collectGarbage`, which shrinks it.
 */
export function limitNewSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
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
  const cores = availableParallelism();
  let tally: UsageTally | undefined;
  const watching = (async () => {
    try {
      for await (const _ of setInterval(everyMilliseconds, undefined, { signal: stopping.signal })) {
        const sample = await sampleOf(pid);
        onLook(sample?.memoryBytes);
        if (sample === undefined) continue;
        tally = tallied(tally, sample, cores);
      }
    } catch {
      // Stopped.
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
      return useOf(tally, grantedMemory());
    },
  };
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

/** The samples of a process summed up: a run may take days, so they are not kept. */
interface UsageTally {
  /** The latest sample of the CPU. */
  readonly last: Sample;
  /** Intervals between samples of the CPU, and those in which the process used nearly all of it. */
  readonly intervals: number;
  readonly busy: number;
  readonly memoryBytes: number;
}

/** Adds a sample to those before, on a machine with `cores` cores. */
export function tallied(before: UsageTally | undefined, sample: Sample, cores: number): UsageTally {
  if (before === undefined) return { last: sample, intervals: 0, busy: 0, memoryBytes: sample.memoryBytes };
  const memoryBytes = Math.max(before.memoryBytes, sample.memoryBytes);
  const { last } = before;
  const milliseconds = sample.at - last.at;
  if (milliseconds < cpuMilliseconds) return { ...before, memoryBytes };
  const share = (sample.cpuSeconds - last.cpuSeconds) / (milliseconds / 1000) / cores;
  const busy = before.busy + (share > saturated ? 1 : 0);
  return { last: sample, intervals: before.intervals + 1, busy, memoryBytes };
}

/** The use of a process, on a machine with `memory` bytes; undefined without samples. */
export function useOf(tally: UsageTally | undefined, memory: number): GeneratorUse | undefined {
  if (tally === undefined) return undefined;
  const { last, intervals, busy, memoryBytes } = tally;
  return {
    cpuSeconds: last.cpuSeconds,
    saturatedShare: intervals === 0 ? 0 : busy / intervals,
    memoryBytes,
    memoryShare: memoryBytes / memory,
  };
}

const mostSaturated = 0.2;
const mostMemory = 0.85;

/** Findings for resources that the generator ran out of, which make a run invalid. */
export function starvedFindings(use: GeneratorUse | undefined): Finding[] {
  if (use === undefined) return [];
  const { saturatedShare: busy, memoryShare: memory } = use;
  return [
    ...(busy > mostSaturated ? [{ code: "generator-cpu", actual: busy, unit: "share" } as const] : []),
    ...(memory > mostMemory ? [{ code: "generator-memory", actual: memory, unit: "share" } as const] : []),
  ];
}
