import { mkdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism, hostname } from "node:os";
import { dirname, join } from "node:path";
import { cacheFolder } from "./k6/cache.ts";

/** What this machine can generate. */
export interface Calibration {
  readonly host: string;
  readonly cores: number;
  /** Highest rate of fully checked lookups, per second, at which all iterations started on time. */
  readonly lookupsPerSecond: number;
  /** CPU time of the generator per lookup, in microseconds; 0 where the system does not report it. */
  readonly cpuMicroseconds: number;
  readonly measuredAt: string;
}

/** The stored calibration; undefined when there is none, or when it is from another machine. */
export async function readCalibration(env: NodeJS.ProcessEnv): Promise<Calibration | undefined> {
  try {
    const kept = JSON.parse(await readFile(calibrationFile(env), "utf8")) as Calibration;
    return kept.host === hostname() && kept.cores === availableParallelism() ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a calibration for later runs. */
export async function writeCalibration(env: NodeJS.ProcessEnv, calibration: Calibration): Promise<void> {
  const file = calibrationFile(env);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(calibration, undefined, 2)}\n`);
}

function calibrationFile(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), "calibration.json");
}

/** The warning before a run whose peak rate exceeds the calibrated one; undefined when it does not. */
export function calibrationWarning(
  calibration: Calibration | undefined,
  peakRate: number,
): string | undefined {
  if (calibration === undefined || peakRate <= calibration.lookupsPerSecond) return undefined;
  return `the peak rate of the profile, ${peakRate}/s, is above the rate that this machine reached in calibration, ${calibration.lookupsPerSecond}/s: iterations may be dropped, and the run may be invalid`;
}

/** The calibration as a sentence for the console. */
export function renderCalibration({ cores, lookupsPerSecond, cpuMicroseconds }: Calibration): string {
  const cost = cpuMicroseconds === 0 ? "" : `, at ${cpuMicroseconds} µs of CPU each`;
  return lookupsPerSecond === 0
    ? "This machine is too busy to generate load on time.\n"
    : `This machine (${cores} cores) can send at least ${lookupsPerSecond} checked lookups per second on time${cost}.\n`;
}
