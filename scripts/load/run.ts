import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { peakRate, totalSeconds } from "../../scenarios/lib/schedule.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { rateLimitMode } from "../../scenarios/lib/workload.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Redaction } from "../../schemas/redaction.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { LoadFixtures, LoadResult, Profile } from "../../schemas/types.ts";
import { CannotRunError } from "../errors.ts";
import { calibrationWarning, readCalibration } from "./calibration.ts";
import { type Comparability, readComparability } from "./comparability.ts";
import { createEvidence } from "./evidence.ts";
import { judgeRun } from "./judge.ts";
import { probeK6 } from "./k6/version.ts";
import type { K6Exit } from "./k6-process.ts";
import { mergeSummaries } from "./merge.ts";
import { type LoadOverrides, overrideProfile } from "./overrides.ts";
import { runProcesses } from "./processes.ts";
import { starvedReasons } from "./resources.ts";
import { loadResult } from "./result.ts";
import { type RunFolder, readSummary, writeRunFolder } from "./run-folder.ts";
import { type LoadSeries, readRecordingFile, seriesOf, seriesPeriodSeconds } from "./series.ts";

/** One load run. */
export interface LoadRequest {
  readonly k6Path: string;
  readonly scenario: ScenarioId;
  readonly profileName: string;
  readonly profile: Profile;
  /** The key goes to k6 by the environment only. */
  readonly target: {
    readonly baseUrl: string;
    readonly key: string;
    /** A key of another organization: the probe looks whether one's limit touches the other. */
    readonly otherOrgKey?: string | undefined;
  };
  /** What k6 and the target say goes through it. Default: that of the target's keys here. */
  readonly redaction?: Redaction | undefined;
  readonly fixtures: LoadFixtures;
  /** The run's folder; everything is written below `load/<scenario>/` in it. */
  readonly outDir: string;
  readonly overrides?: LoadOverrides | undefined;
  /** Handed to k6 as they are. */
  readonly k6Args?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  /** Number of k6 processes on this machine that share the run. Default: 1 */
  readonly shards?: number | undefined;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** What k6 inherits. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Bundles the scenario, runs it under k6 and judges what came of it.
 *
 * @throws CannotRunError when k6 cannot be started or refuses its configuration.
 */
export async function runLoad(request: LoadRequest): Promise<LoadResult> {
  const { scenario, profileName, fixtures } = request;
  const profile = await withKnownLimit(request, overrideProfile(request.profile, request.overrides));
  const name = { scenario, profileName, profile };
  const missing = missingFixture(scenario, fixtures);
  if (missing !== undefined) {
    return loadResult(name, { verdict: "invalid", reasons: [missing] }, undefined, {});
  }
  const folder = await writeRunFolder(request.outDir, scenario, {
    fixtures,
    profile,
    shards: request.shards ?? 1,
  });
  const warning = calibrationWarning(
    await readCalibration(request.env ?? process.env),
    scenario === "rate-limit" ? 0 : peakRate(profile.stages),
  );
  if (warning !== undefined) request.progress(warning);
  const evidence = createEvidence(request.target.baseUrl);
  const { exits, uses } = await runProcesses(request, profile, folder, evidence, redactionOf(request));
  const exit = combinedExit(exits);
  const summary = await mergedSummary(folder);
  if (summary === undefined && !exit.interrupted) throwIfNotStarted(exit, folder);
  const judgement = judgeRun({ exit, summary, profile, starved: starvedReasons(uses) });
  const series = await seriesOfRun(folder, profile);
  const comparability = await comparabilityOfRun(request, profile, folder);
  return {
    ...loadResult(name, judgement, summary, { evidence: evidence.kept, uses, series }),
    comparability,
  };
}

function redactionOf({ redaction, target }: LoadRequest): Redaction {
  return (
    redaction ??
    redactionFor({
      primary: target.key,
      ...(target.otherOrgKey === undefined ? {} : { otherOrg: target.otherOrgKey }),
    })
  );
}

async function seriesOfRun(folder: RunFolder, profile: Profile): Promise<LoadSeries | undefined> {
  const periodSeconds = seriesPeriodSeconds(totalSeconds(profile.stages));
  const recordings = await Promise.all(
    folder.shards.map(({ timeSeries }) => readRecordingFile(timeSeries, periodSeconds)),
  );
  return seriesOf(
    recordings.filter((recording) => recording !== undefined),
    periodSeconds,
  );
}

async function comparabilityOfRun(
  request: LoadRequest,
  profile: Profile,
  folder: RunFolder,
): Promise<Comparability> {
  const { scenario, fixtures, k6Path, k6Args = [], seed = 1, shards = 1 } = request;
  const k6 = await probeK6(k6Path, request.env ?? process.env);
  return readComparability(folder.bundle, {
    scenario,
    profile,
    fixtures,
    k6: k6.kind === "fit" ? k6.version : "unknown",
    k6Args,
    seed,
    shards,
  });
}

/** Of several processes the one that ended worst; thresholds are judged on the merged summary, so 99 of a part is no more than 0. */
function combinedExit(exits: readonly K6Exit[]): K6Exit {
  const interrupted = exits.some((exit) => exit.interrupted);
  const errors = exits.flatMap((exit) => exit.errors);
  if (exits.length === 1) return { code: exits[0]?.code, interrupted, errors };
  const bad = exits.find(({ code }) => code !== 0 && code !== 99);
  return { code: bad === undefined ? 0 : bad.code, interrupted, errors };
}

/** The whole run's summary; undefined when a process wrote none. With several it is written beside theirs. */
async function mergedSummary(folder: RunFolder): Promise<RunSummary | undefined> {
  const summaries = await Promise.all(folder.shards.map((files) => readSummary(files.summary)));
  const [first, ...others] = summaries;
  if (first === undefined || others.includes(undefined)) return undefined;
  const merged = mergeSummaries([first, ...others.filter((summary) => summary !== undefined)]);
  if (others.length > 0) await writeFile(join(folder.path, "summary.json"), JSON.stringify(merged));
  return merged;
}

/** A polite run must know what to keep below: where nobody says, a short probe before it finds out. */
async function withKnownLimit(request: LoadRequest, profile: Profile): Promise<Profile> {
  const isPolite = request.scenario === "rate-limit" && rateLimitMode(profile) === "polite";
  if (!isPolite || profile.rateLimit?.perSecond !== undefined) return profile;
  request.progress("rate-limit: a short probe first, to learn the limit to keep below");
  const { rateLimit, verdict, reasons } = await runLoad({
    ...request,
    profileName: "probe",
    profile: profiles.probe,
    overrides: {},
    outDir: join(request.outDir, "load", "probe-before"),
  });
  const perSecond = rateLimit?.limit?.perSecond;
  if (perSecond === undefined) {
    throw new CannotRunError({
      what: "The limit to keep below was not found",
      where: verdict === "pass" ? "the probe before the polite run" : (reasons[0] ?? "the probe"),
      mend: "Set rateLimit.perSecond in the profile, or run the profile `probe` alone to see more.",
    });
  }
  return { ...profile, rateLimit: { mode: "polite", perSecond } };
}

/** What the scenario cannot do without, said before k6 is started. */
function missingFixture(scenario: ScenarioId, fixtures: LoadFixtures): string | undefined {
  if (fixtures.products.length === 0) {
    return "no product was discovered to ask for: name a category that has some (--category)";
  }
  const needsPages = scenario === "paging" || scenario === "mixed";
  if (needsPages && fixtures.categories.length === 0) {
    return "no category to walk through: name one (--category or SHELFCHECK_CATEGORIES)";
  }
  const needsBatch = scenario === "batch" || scenario === "mixed";
  if (needsBatch && fixtures.dialect.batchRequestField === undefined) {
    return "the batch request's field was not discovered: set batchRequestField in the target's dialect";
  }
  return undefined;
}

/** Without a summary the setup may have said why; any other end means that k6 never got going. */
function throwIfNotStarted({ code, errors }: K6Exit, folder: RunFolder): void {
  const log = folder.shards[0]?.log ?? folder.path;
  const setup = errors.find((line) => /target gone|key refused|not the service/.test(line));
  if (code === 107 && setup !== undefined) return;
  throw new CannotRunError({
    what: `k6 could not run the scenario (exit code ${code})`,
    where: errors[0]?.split("\n", 1)[0] ?? log,
    mend: `See ${log}; check --k6-arg and the profile.`,
  });
}
