import { mkdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism, homedir, hostname } from "node:os";
import { dirname, join } from "node:path";

/** What this machine can generate. */
export interface Calibration {
  readonly host: string;
  readonly cores: number;
  /** Highest rate of fully checked lookups a second that came on time. */
  readonly lookupsPerSecond: number;
  /** CPU of the generator for one of them, in microseconds; 0 where the system does not show it. */
  readonly cpuMicroseconds: number;
  readonly measuredAt: string;
}

/** The kept calibration of this machine; undefined when there is none. */
export async function readCalibration(env: NodeJS.ProcessEnv): Promise<Calibration | undefined> {
  try {
    const kept = JSON.parse(await readFile(calibrationFile(env), "utf8")) as Calibration;
    return kept.host === hostname() && kept.cores === availableParallelism() ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps it for the runs to come. */
export async function writeCalibration(env: NodeJS.ProcessEnv, calibration: Calibration): Promise<void> {
  const file = calibrationFile(env);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(calibration, undefined, 2)}\n`);
}

function calibrationFile(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME ?? homedir(), ".cache");
  return join(cache, "shelfcheck", "calibration.json");
}

/** The warning before a run that asks for more than this machine has generated; undefined when it does not. */
export function calibrationWarning(
  calibration: Calibration | undefined,
  peakRate: number,
): string | undefined {
  if (calibration === undefined || peakRate <= calibration.lookupsPerSecond) return undefined;
  return `the profile's peak of ${peakRate}/s is above the rate this machine reached in calibration (${calibration.lookupsPerSecond}/s): expect dropped iterations and an invalid run`;
}

/** The calibration for a person. */
export function renderCalibration({ cores, lookupsPerSecond, cpuMicroseconds }: Calibration): string {
  const cost = cpuMicroseconds === 0 ? "" : `, ${cpuMicroseconds} us of CPU each`;
  return lookupsPerSecond === 0
    ? "This machine is too busy to generate load on time.\n"
    : `This machine (${cores} cores) generates at least ${lookupsPerSecond} checked lookups a second on time${cost}.\n`;
}
