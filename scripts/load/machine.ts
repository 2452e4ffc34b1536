import { cpus } from "node:os";
import type { MachineUse } from "../../schemas/words/load.ts";

// How busy this machine was: with no room left, its own delays are part of what was measured.

/** CPU time so far, in milliseconds of one core. @param k6Seconds CPU time of k6 so far, if it is known. */
function cpuTimes(k6Seconds: number | undefined) {
  const times = cpus().map((one) => one.times);
  const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
  const { user, system } = process.cpuUsage();
  return {
    total: sum(times.flatMap((one) => Object.values(one))),
    idle: sum(times.map(({ idle }) => idle)),
    load: k6Seconds === undefined ? undefined : k6Seconds * 1000 + (user + system) / 1000,
  };
}

/** Periods at the end of a search in which the machine must have been able to generate the load. */
export const periodsLookedAt = 4;

/** Measures the machine after each period of a run; in a search, only its last periods count. */
export function watchMachine(
  isSearch: boolean,
  service: MachineUse["service"],
  k6Seconds: () => number | undefined,
) {
  const measured: ReturnType<typeof cpuTimes>[] = [];
  return {
    look(): void {
      measured.push(cpuTimes(k6Seconds()));
    },
    get use(): MachineUse | undefined {
      const [first] = isSearch ? measured.slice(-periodsLookedAt) : measured;
      const last = measured.at(-1);
      if (first === undefined || last === undefined || last.total <= first.total) return undefined;
      const passed = last.total - first.total;
      const busy = Math.max(0, 1 - (last.idle - first.idle) / passed);
      const [before, after] = [first.load, last.load];
      // The two are read at different moments.
      const isKnown = before !== undefined && after !== undefined;
      const load = isKnown ? Math.min(busy, Math.max(0, (after - before) / passed)) : undefined;
      return { busy, load, service };
    },
  };
}

const leastIdle = 0.1;

/** Whether so little of the CPU was idle that times may include this machine's delays. */
export function hasNoRoom(machine: MachineUse | undefined): machine is MachineUse {
  return machine !== undefined && 1 - machine.busy < leastIdle;
}
