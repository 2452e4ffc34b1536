import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Profile } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { startStubService } from "../../test/support/stub-service.ts";
import { type Calibration, writeCalibration } from "./calibration.ts";
import { runLoad } from "./run.ts";

export interface CalibrationOptions {
  readonly k6Path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Rates to try in requests per second, ascending. Default: 250 to 8,000 */
  readonly rates?: readonly number[];
}

const defaultRates = [250, 500, 1000, 2000, 4000, 8000];
const stepSeconds = 2;

/**
 * `load --calibrate`: sends rising rates to a server in this process until iterations start late, and stores the result
 * in the cache. An interrupted calibration is not stored.
 */
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
    virtualUsers: Math.min(200, rate),
    thresholds: {
      p95Milliseconds: 200,
      failedShare: 0,
      invalidShare: 0,
      droppedShare: 0.001,
      lagMilliseconds: 100,
    },
  };
}
