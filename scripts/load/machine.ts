import { cpus } from "node:os";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { MachineUse } from "../../schemas/words/load.ts";

// How busy this machine was while it sent load: with no room left, its own delays are part of what was measured.

/** CPU time so far, in milliseconds of one core. */
export interface CpuTimes {
  readonly total: number;
  readonly idle: number;
  readonly load: number | undefined;
}

/** @param k6Seconds CPU time of k6 so far, if it is known. */
export function cpuTimes(k6Seconds: number | undefined): CpuTimes {
  const times = cpus().map((one) => one.times);
  const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
  const { user, system } = process.cpuUsage();
  return {
    total: sum(times.flatMap((one) => Object.values(one))),
    idle: sum(times.map(({ idle }) => idle)),
    load: k6Seconds === undefined ? undefined : k6Seconds * 1000 + (user + system) / 1000,
  };
}

export function useBetween(
  first: CpuTimes,
  last: CpuTimes,
  service: MachineUse["service"],
): MachineUse | undefined {
  const passed = last.total - first.total;
  if (passed <= 0) return undefined;
  const busy = Math.max(0, 1 - (last.idle - first.idle) / passed);
  const isKnown = last.load !== undefined && first.load !== undefined;
  // The two are read at different moments.
  const load = isKnown ? Math.min(busy, Math.max(0, (last.load - first.load) / passed)) : undefined;
  return { busy, load, service };
}

/** Periods at the end of a search in which the machine must have been able to generate the load. */
export const periodsLookedAt = 4;

/** Measures the machine after each period of a run; in a search, only its last periods count. */
export function watchMachine(isSearch: boolean, service: MachineUse["service"], times: () => CpuTimes) {
  let measured: readonly CpuTimes[] = [];
  return {
    look(): void {
      const all = [...measured, times()];
      measured = isSearch
        ? all.slice(-periodsLookedAt)
        : all.filter((_, at) => at === 0 || at === all.length - 1);
    },
    get use(): MachineUse | undefined {
      const [first, last] = [measured[0], measured.at(-1)];
      return first && last && useBetween(first, last, service);
    },
  };
}

const leastIdle = 0.1;

/** Whether so little of the CPU was idle that times may include this machine's delays. */
export function hasNoRoom(machine: MachineUse | undefined): boolean {
  return machine !== undefined && 1 - machine.busy < leastIdle;
}

/** That this machine was busy, where that could matter for what was measured. */
export function machineNote(machine: MachineUse | undefined): Finding | undefined {
  return machine !== undefined && hasNoRoom(machine) ? { code: "machine-busy", details: machine } : undefined;
}
