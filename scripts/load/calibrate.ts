import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, homedir, hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Profile } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { runLoad } from "./run.ts";
import { startStubService } from "./stub-service.ts";

export interface CalibrationOptions {
  readonly k6Path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Rates to try, rising. Default: 250 to 8,000 */
  readonly rates?: readonly number[];
}

const defaultRates = [250, 500, 1000, 2000, 4000, 8000];
const stepSeconds = 2;

/** `load --calibrate`: rising rates against a constant server in this process, until iterations come late. The result is kept in the cache. */
export async function calibrate({
  k6Path,
  env,
  progress,
  signal,
  rates = defaultRates,
}: CalibrationOptions): Promise<Calibration> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-calibrate-"));
  const service = await startStubService();
  let best = { rate: 0, cpuMicroseconds: 0 };
  try {
    for (const rate of rates) {
      if (signal?.aborted === true) break;
      const { verdict, findings, metrics } = await runLoad({
        k6Path,
        env,
        signal,
        scenario: "lookup",
        profileName: "calibrate",
        profile: stepProfile(rate),
        target: { baseUrl: service.baseUrl, key: "calibration" },
        fixtures: sampleFixtures(),
        outDir: folder,
        progress: () => undefined,
      });
      const why = findings.map((finding) => findingText(finding, defaultWords)).slice(0, 1);
      progress(`calibrate: ${rate}/s ${verdict === "pass" ? "on time" : `not on time: ${why.join()}`}`);
      if (verdict !== "pass") break;
      best = {
        rate,
        cpuMicroseconds: Math.round(((metrics.generator?.cpuSeconds ?? 0) * 1e6) / (rate * stepSeconds)),
      };
    }
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const calibration = {
    host: hostname(),
    cores: availableParallelism(),
    lookupsPerSecond: best.rate,
    cpuMicroseconds: best.cpuMicroseconds,
    measuredAt: new Date().toISOString(),
  };
  if (signal?.aborted !== true) await writeCalibration(env, calibration);
  return calibration;
}

function stepProfile(rate: number): Profile {
  return {
    ...profiles.smoke,
    stages: constantRate(rate, stepSeconds),
    virtualUsers: 200,
    thresholds: {
      p95Milliseconds: 200,
      failedShare: 0,
      invalidShare: 0,
      droppedShare: 0.001,
      lagMilliseconds: 100,
    },
  };
}

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
  return `the profile's peak of ${peakRate}/s is above what this machine generated when calibrated (${calibration.lookupsPerSecond}/s): expect dropped iterations and an invalid run`;
}

/** The calibration for a person. */
export function renderCalibration({ cores, lookupsPerSecond, cpuMicroseconds }: Calibration): string {
  const cost = cpuMicroseconds === 0 ? "" : `, ${cpuMicroseconds} us of CPU each`;
  return lookupsPerSecond === 0
    ? "This machine is too busy to generate load on time.\n"
    : `This machine (${cores} cores) generates at least ${lookupsPerSecond} checked lookups a second on time${cost}.\n`;
}
