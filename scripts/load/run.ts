import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rateLimitMode } from "../../scenarios/lib/options.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { LoadFixtures, LoadResult, Profile } from "../../schemas/types.ts";
import { type BundleName, bundleScenario } from "../bundle/bundle.ts";
import { CannotRunError } from "../errors.ts";
import { judgeRun } from "./judge.ts";
import { type K6Exit, runK6 } from "./k6-process.ts";
import { type LoadOverrides, overrideProfile } from "./overrides.ts";
import { loadResult } from "./result.ts";

/** One load run. */
export interface LoadRequest {
  readonly k6Path: string;
  readonly scenario: BundleName;
  readonly profileName: string;
  readonly profile: Profile;
  /** The key goes to k6 by the environment only. */
  readonly target: {
    readonly baseUrl: string;
    readonly key: string;
    /** A key of another organization: the probe looks whether one's limit touches the other. */
    readonly otherOrgKey?: string | undefined;
  };
  readonly fixtures: LoadFixtures;
  /** The run's folder; everything is written below `load/<scenario>/` in it. */
  readonly outDir: string;
  readonly overrides?: LoadOverrides | undefined;
  /** Handed to k6 as they are. */
  readonly k6Args?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** What k6 inherits. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

interface Folder {
  readonly path: string;
  readonly summary: string;
  readonly log: string;
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
    return loadResult(name, { verdict: "invalid", reasons: [missing] }, undefined);
  }
  const path = join(request.outDir, "load", scenario);
  const folder = { path, summary: join(path, "summary.json"), log: join(path, "k6.log") };
  await mkdir(path, { recursive: true });
  await rm(folder.summary, { force: true });
  const exit = await startK6(request, profile, folder);
  const summary = await readSummary(folder.summary);
  if (summary === undefined && !exit.interrupted) throwIfNotStarted(exit, folder);
  return loadResult(name, judgeRun({ exit, summary, profile }), summary);
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

async function startK6(request: LoadRequest, profile: Profile, folder: Folder): Promise<K6Exit> {
  const { scenario, target } = request;
  const fixturesPath = join(folder.path, "fixtures.json");
  const profilePath = join(folder.path, "profile.json");
  await writeFile(fixturesPath, `${JSON.stringify(request.fixtures, undefined, 2)}\n`);
  await writeFile(profilePath, `${JSON.stringify(profile, undefined, 2)}\n`);
  const bundle = await bundleScenario(scenario, folder.path);
  return runK6({
    path: request.k6Path,
    args: ["run", "--quiet", "--no-usage-report", "--log-format=json", ...(request.k6Args ?? []), bundle],
    env: {
      ...(request.env ?? process.env),
      SHELFCHECK_BASE_URL: target.baseUrl,
      SHELFCHECK_API_KEY: target.key,
      ...(target.otherOrgKey === undefined ? {} : { SHELFCHECK_OTHER_ORG_API_KEY: target.otherOrgKey }),
      SHELFCHECK_FIXTURES: fixturesPath,
      SHELFCHECK_PROFILE: profilePath,
      SHELFCHECK_SUMMARY: folder.summary,
      SHELFCHECK_SEED: String(request.seed ?? 1),
    },
    logFile: folder.log,
    secrets: [target.key, target.otherOrgKey ?? ""].filter((secret) => secret !== ""),
    signal: request.signal,
  });
}

/** What the scenario cannot do without, said before k6 is started. */
function missingFixture(scenario: BundleName, fixtures: LoadFixtures): string | undefined {
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

async function readSummary(path: string): Promise<RunSummary | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as RunSummary;
  } catch {
    return undefined;
  }
}

/** Without a summary the setup may have said why; any other end means that k6 never got going. */
function throwIfNotStarted({ code, errors }: K6Exit, { log }: Folder): void {
  const setup = errors.find((line) => /target gone|key refused|not the service/.test(line));
  if (code === 107 && setup !== undefined) return;
  throw new CannotRunError({
    what: `k6 could not run the scenario (exit code ${code})`,
    where: errors[0]?.split("\n", 1)[0] ?? log,
    mend: `See ${log}; check --k6-arg and the profile.`,
  });
}
