import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { responsesHeld } from "../../scenarios/lib/options.ts";
import { rateLimitMode, totalSeconds } from "../../scenarios/lib/schedule.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { jsonIn } from "../../schemas/json.ts";
import type { Progress } from "../io.ts";
import { bundleScenario } from "./bundle/bundle.ts";
import { hasAnswer } from "./capacity.ts";
import { environmentForTarget, k6Environment } from "./connection-variables.ts";
import { type LoadTarget, runK6 } from "./k6-process.ts";
import { createJudge } from "./limits.ts";
import type { LoadPlan } from "./plan.ts";
import {
  createRecording,
  followLines,
  type LiveFigures,
  renderProgress,
  seriesPeriodSeconds,
  seriesTag,
} from "./recording.ts";
import { boundsOf, collectorVariables, grantedMemory, supervise, watchMachine } from "./supervision.ts";

/** What the k6 of a run is started with. */
export interface LoadStart {
  readonly plan: LoadPlan;
  readonly target: LoadTarget;
  readonly fixtures: LoadFixtures;
  /** The version is recorded with the run, because figures depend on it. Default: "unknown" */
  readonly k6: { readonly path: string; readonly version?: string };
  /** Environment that k6 inherits. */
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the run. Everything is written to `load/<scenario>/` below it. */
  readonly outDir: string;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/** Sends the load of a plan with one k6 process, which uses all cores, and reports progress. */
export async function sendLoad(start: LoadStart) {
  const { plan, target, env, signal } = start;
  const { scenario, profile, k6Args } = plan;
  const folder = await writeRunFolder(start);
  const periodSeconds = seriesPeriodSeconds(totalSeconds(profile.stages));
  const bounds = boundsOf(scenario, profile, grantedMemory());
  const supervisor = supervise(bounds);
  const recording = createRecording(periodSeconds);
  const isSearch = profile.findsCapacity === true;
  const isJudged = profile.untilJudged === true ? createJudge(profile) : () => false;
  // Whether the run has found what it was sent for.
  const isDone = ({ failed, requests, refused, seconds }: LiveFigures) =>
    isSearch
      ? hasAnswer(profile, recording.series())
      : isJudged({ count: failed, total: requests - refused, seconds });
  const machine = watchMachine(isSearch);
  const follower = followLines(folder.timeSeries, (line) => {
    if (!recording.take(line) || supervisor.ending.finished) return;
    const { now } = recording;
    // Starting k6 takes all cores, and is no part of the load.
    if (now.seconds > 0) machine.look();
    if (isDone(now)) supervisor.finish();
  });
  const reporter = reportProgress(start, () => recording.now);
  const startedAt = new Date();
  try {
    const { evidence, ...exit } = await runK6({
      path: start.k6.path,
      args: ["run", ...runArguments, ...k6Args, folder.bundle],
      env: {
        ...collectorVariables({ ...bounds, responses: responsesHeld(scenario, profile) }),
        ...environmentOf(start, folder, periodSeconds),
        ...(await environmentForTarget(target, env, folder.path)),
      },
      logFile: folder.log,
      target,
      signal,
      supervisor,
    });
    await follower.stop();
    return {
      exit,
      summary: await readSummary(folder.summary),
      use: supervisor.use,
      busy: machine.busy,
      series: recording.series(),
      counted: recording.now,
      evidence,
      log: folder.log,
      startedAt: startedAt.toISOString(),
      seconds: (Date.now() - startedAt.getTime()) / 1000,
    };
  } finally {
    reporter.stop();
    await follower.stop();
  }
}

/** Writes the files that k6 needs to `<outDir>/load/<scenario>/`, after deleting what is there. */
async function writeRunFolder({ outDir, plan: { scenario, profile }, fixtures }: LoadStart) {
  const path = join(outDir, "load", scenario);
  const folder = {
    path,
    fixtures: join(path, "fixtures.json"),
    profile: join(path, "profile.json"),
    summary: join(path, "summary.json"),
    log: join(path, "k6.log"),
    timeSeries: join(path, "time-series.ndjson"),
    dashboard: join(path, "dashboard.html"),
  };
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  await writeFile(folder.fixtures, `${JSON.stringify(fixtures, undefined, 2)}\n`);
  await writeFile(folder.profile, `${JSON.stringify(profile, undefined, 2)}\n`);
  return { ...folder, bundle: await bundleScenario(scenario, path) };
}

/** Reads the summary that k6 wrote; undefined without a whole one. */
async function readSummary(path: string): Promise<RunSummary | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  return jsonIn(text) as RunSummary | undefined;
}

// The REST API on a free port, since another k6 may run on this machine.
const runArguments = ["--quiet", "--no-usage-report", "--log-format=json", "--address=127.0.0.1:0"];

function environmentOf(
  { env, target: { keys, keyVariables }, plan }: LoadStart,
  folder: Awaited<ReturnType<typeof writeRunFolder>>,
  periodSeconds: number,
): NodeJS.ProcessEnv {
  const usesOtherOrg = plan.scenario === "rate-limit" || plan.scenario === "tenants";
  return {
    ...k6Environment(env),
    SHELFCHECK_API_KEY: keys.primary,
    SHELFCHECK_API_KEY_NAME: keyVariables.primary,
    SHELFCHECK_OTHER_ORG_API_KEY_NAME: keyVariables.otherOrg,
    ...(usesOtherOrg ? { SHELFCHECK_OTHER_ORG_API_KEY: keys.otherOrg } : {}),
    SHELFCHECK_FIXTURES: folder.fixtures,
    SHELFCHECK_PROFILE: folder.profile,
    SHELFCHECK_SUMMARY: folder.summary,
    SHELFCHECK_SEED: String(plan.seed),
    // k6's dashboard, served only on a port of the user: it writes a page, and a series for the progress.
    K6_WEB_DASHBOARD: "true",
    K6_WEB_DASHBOARD_PORT: env.K6_WEB_DASHBOARD_PORT || "-1",
    K6_WEB_DASHBOARD_PERIOD: `${periodSeconds}s`,
    K6_WEB_DASHBOARD_TAGS: seriesTag,
    K6_WEB_DASHBOARD_RECORD: folder.timeSeries,
    K6_WEB_DASHBOARD_EXPORT: folder.dashboard,
  };
}

/** Reports progress every few seconds: about twenty lines per run, at least one per minute. */
function reportProgress(
  { plan: { scenario, profile }, progress }: LoadStart,
  figures: () => LiveFigures,
): { stop(): void } {
  const seconds = totalSeconds(profile.stages);
  const isProbe = scenario === "rate-limit" && rateLimitMode(profile) === "probe";
  const end = isProbe ? undefined : { seconds, isMost: profile.untilJudged === true };
  const every = Math.min(60, Math.max(2, seconds / 20)) * 1000;
  const timer = setInterval(() => {
    const now = figures();
    if (now.requests === 0) return;
    progress(renderProgress(scenario, now, end), "passing");
  }, every);
  return { stop: () => clearInterval(timer) };
}
