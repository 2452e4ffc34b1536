import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { longestSeconds, plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import { plannedOf } from "../../scenarios/lib/schedule.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";

/** Limits of a k6 process. If it exceeds one, it is stopped. */
export interface K6Bounds {
  readonly memoryBytes: number;
  /** Longest run time. */
  readonly seconds: number;
}

// k6 uses about 80 MB, a probe whose requests wait as much again, a virtual user 0.5 MB. The rest is for code
// that is loaded at an invalid response, for the bodies that it holds, and for large ones.
const baseBytes = 400e6;
const bytesAUser = 2e6;
/** k6 keeps every sample of several trend metrics in memory. */
const bytesARequest = 512;
const mostOfMachine = 0.8;

/** Memory available on this machine, or in this container, in bytes. */
export function grantedMemory(): number {
  // Without a limit it is 0, or more than there is.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

/** Limits of the k6 of a run, on a machine with `machineBytes` of memory. */
export function boundsOf(scenario: ScenarioId, profile: Profile, machineBytes: number): K6Bounds {
  const wanted =
    baseBytes +
    plannedVirtualUsers(scenario, profile) * bytesAUser +
    plannedOf(profile, scenario) * bytesARequest;
  return {
    memoryBytes: Math.min(wanted, machineBytes * mostOfMachine),
    seconds: longestSeconds(scenario, profile),
  };
}

/** Part of the memory limit above which Go collects garbage ever more often. */
const mostBeforeEffort = 0.85;

/**
 * The garbage collector of a k6 process. With few virtual users, k6 keeps so little that Go collects every
 * few hundred requests: a fifth of a request's CPU (`npm run bench -- load cpu`). GOGC, never below Go's own
 * 100 %, lets it allocate about 80 MB between two collections, beside the 20 MB that it keeps and 0.2 MB for
 * each response; GOMEMLIMIT makes it collect more often near the limit.
 * @param held.responses that the virtual users may hold at the same time: one each, except in volleys.
 * @param held.memoryBytes at which the process is stopped.
 */
export function collectorVariables(held: { readonly responses: number; readonly memoryBytes: number }): {
  readonly GOGC: string;
  readonly GOMEMLIMIT: string;
} {
  return {
    GOGC: String(Math.max(100, Math.round((100 * 80) / (20 + held.responses * 0.2)))),
    GOMEMLIMIT: `${Math.round(held.memoryBytes * mostBeforeEffort)}B`,
  };
}

/** In milliseconds since its start. Without resources where the system does not report them. */
export interface Sample {
  readonly at: number;
  readonly cpuSeconds?: number;
  readonly memoryBytes?: number;
}

/** CPU and memory that a load generator used. */
export interface GeneratorUse {
  readonly cpuSeconds: number;
  /** Share of the time, from 0 to 1, in which it used more than 90 % of the machine's CPU. */
  readonly saturatedShare: number;
  readonly memoryBytes: number;
}

/** Multiple of the memory limit above which k6 is killed rather than asked to stop. */
const farAbove = 1.15;
/** Longer than between two samples, because CPU time is counted in hundredths of a second. */
const cpuMilliseconds = 500;
const saturated = 0.9;

export type Supervisor = ReturnType<typeof supervise>;

/** Stops a process that exceeds its limits: first gracefully, then by force if its memory keeps growing. */
export function supervise(bounds: K6Bounds, cores = availableParallelism()) {
  const [stop, kill] = [new AbortController(), new AbortController()];
  let reason: Finding | undefined;
  let last: { readonly at: number; readonly cpuSeconds: number } | undefined;
  let [intervals, busy, peak] = [0, 0, 0];
  const end = (exceeded: Finding) => {
    reason ??= exceeded;
    stop.abort();
  };
  return {
    stop: stop.signal,
    kill: kill.signal,
    finish: () => stop.abort(),
    /** Why it was ended: the limit that it exceeded first, or that it has found what it was sent for. */
    get ending() {
      return { stopped: reason, finished: stop.signal.aborted && reason === undefined };
    },
    /** Undefined where the system does not report it. */
    get use(): GeneratorUse | undefined {
      const saturatedShare = busy / Math.max(1, intervals);
      return last && { cpuSeconds: last.cpuSeconds, saturatedShare, memoryBytes: peak };
    },
    /** Checks the limits. Samples are summed up and not kept: a run may take days. */
    look({ at, cpuSeconds, memoryBytes = 0 }: Sample): void {
      const seconds = at / 1000;
      peak = Math.max(peak, memoryBytes);
      if (memoryBytes > bounds.memoryBytes) {
        const measured = { expected: bounds.memoryBytes, actual: memoryBytes, unit: "bytes" } as const;
        end({ code: "k6-memory", ...measured, details: { seconds } });
        if (memoryBytes > bounds.memoryBytes * farAbove) kill.abort();
      } else if (seconds > bounds.seconds) {
        end({ code: "k6-overdue", expected: bounds.seconds, actual: seconds, unit: "s" });
      }
      const passed = at - (last?.at ?? Number.NEGATIVE_INFINITY);
      if (cpuSeconds === undefined || passed < cpuMilliseconds) return;
      intervals += last === undefined ? 0 : 1;
      const share = (1000 * (cpuSeconds - (last?.cpuSeconds ?? 0))) / passed / cores;
      busy += share > saturated ? 1 : 0;
      last = { at, cpuSeconds };
    },
  };
}

/** Short, because an endless body fills about 300 MB per second. */
const everyMilliseconds = 100;
const ticksPerSecond = 100;
const pageBytes = 4096;

/** Samples a process until the returned function is called. Resources need /proc, which only Linux has. */
export function watch(pid: number, look: Supervisor["look"]): () => void {
  const startedAt = performance.now();
  const timer = setInterval(async () => {
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
    const at = performance.now() - startedAt;
    // Fields are counted after the process name, which is in parentheses and may contain spaces.
    const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
    if (fields === undefined) return look({ at });
    const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    look({ at, cpuSeconds, memoryBytes: Number(fields[21]) * pageBytes });
  }, everyMilliseconds);
  return () => clearInterval(timer);
}

const mostSaturated = 0.2;

/** The generator had no CPU left, which makes a run invalid. Its memory is bounded before. */
export function starvedFindings({ saturatedShare: actual = 0 }: Partial<GeneratorUse> = {}): Finding[] {
  return actual > mostSaturated ? [{ code: "generator-starved", actual, unit: "share" }] : [];
}

// How busy this machine was: with no room left, its own delays are part of what was measured.

/** CPU time so far, in milliseconds of one core. */
function cpuTimes() {
  const times = cpus().map((one) => one.times);
  const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
  return {
    total: sum(times.flatMap((one) => Object.values(one))),
    idle: sum(times.map(({ idle }) => idle)),
  };
}

/** Periods at the end of a search in which the machine must have been able to generate the load. */
export const periodsLookedAt = 4;

/** Measures the machine after each period of a run; in a search, only its last periods count. */
export function watchMachine(isSearch: boolean) {
  const measured: ReturnType<typeof cpuTimes>[] = [];
  return {
    look(): void {
      measured.push(cpuTimes());
    },
    /** The share of the CPU that was in use. */
    get busy(): number | undefined {
      const [first] = isSearch ? measured.slice(-periodsLookedAt) : measured;
      const last = measured.at(-1);
      if (first === undefined || last === undefined || last.total <= first.total) return undefined;
      return Math.max(0, 1 - (last.idle - first.idle) / (last.total - first.total));
    },
  };
}

const leastIdle = 0.1;

/** Whether so little of the CPU was idle that times may include this machine's delays. */
export function hasNoRoom(busy: number): boolean {
  return 1 - busy < leastIdle;
}
