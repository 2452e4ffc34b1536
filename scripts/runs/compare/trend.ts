import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../../schemas/contracts/results.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { UsageError } from "../../errors.ts";
import { type AnyResults, type EarlierRun, listFolders, readAnyResults } from "../read-run.ts";
import { valueAt } from "./latency.ts";

/** A folder without a readable run. */
interface SkippedRun {
  readonly name: string;
  readonly reason: string;
}

/** The last runs of one target, oldest first, and the folders that could not be read. */
interface History {
  readonly target: string;
  readonly runs: readonly NamedRun[];
  readonly skipped: readonly SkippedRun[];
}

/**
 * Reads the last runs of a target in a reports folder.
 * @param target Default: the target of the newest run
 * @throws UsageError when there is no run, or none of that target.
 */
export async function readHistory(
  out: string,
  { target, last }: { readonly target?: string | undefined; readonly last: number },
): Promise<History> {
  const runs: NamedRun[] = [];
  const skipped: SkippedRun[] = [];
  const targets = new Set<string>();
  let wanted = target;
  for (const name of (await listFolders(out)).reverse()) {
    if (runs.length === last) break;
    // The folder of a proof, which is not a run of a target.
    if (existsSync(join(out, name, "proof.json"))) continue;
    const results = await readOr(join(out, name), (reason) => skipped.push({ name, reason }));
    // The run of a client is no run of a target either.
    if (results === undefined || results.command === "client") continue;
    targets.add(results.target.name);
    wanted ??= results.target.name;
    if (results.target.name === wanted) runs.unshift({ name, results });
  }
  if (wanted === undefined || runs.length === 0) throw none(out, wanted, [...targets]);
  // By start time, since a folder may have been renamed.
  return { target: wanted, runs: runs.toSorted((one, other) => startOf(one) - startOf(other)), skipped };
}

function startOf({ results }: NamedRun): number {
  return Date.parse(results.startedAt);
}

async function readOr(folder: string, skip: (reason: string) => void): Promise<AnyResults | undefined> {
  if (!existsSync(join(folder, "results.json"))) {
    skip("It has no results.json");
    return undefined;
  }
  try {
    return await readAnyResults(folder);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    skip(error.what);
    return undefined;
  }
}

function none(out: string, target: string | undefined, targets: readonly string[]): UsageError {
  if (target === undefined || targets.length === 0) {
    return new UsageError({
      what: "There are no runs to show",
      where: out,
      fix: "Run conformance, load or gate first, or name another folder with --out.",
    });
  }
  return new UsageError({
    what: `There is no run of the target ${JSON.stringify(target)}`,
    where: out,
    fix: didYouMean(target, targets),
  });
}

export type NamedRun = Pick<EarlierRun, "name" | "results">;

/** The last runs of a target, oldest first. */
export interface Trend {
  readonly target: string;
  readonly runs: readonly TrendRun[];
  /** 95th percentile of successful responses in each run. */
  readonly latency: readonly LatencyTrend[];
}

export interface TrendRun {
  readonly name: string;
  readonly startedAt: string;
  readonly command: Results["command"];
  readonly verdict: Results["verdict"];
  readonly exitCode: Results["exitCode"];
  readonly summary: Results["summary"];
  /** Number of requests of conformance and load, and to both deployments of a comparison. */
  readonly requests: number;
  /** Requirements that fail, including waived ones. */
  readonly failing: readonly string[];
  /** Those of `failing` that do not count as failed: a waiver covers each check that failed or was not judged. */
  readonly waived: readonly string[];
  /** Requirements that passed, or passed with a warning. */
  readonly passing: readonly string[];
  /** Failed requirements that passed when an earlier run in the trend last judged them; not waived ones. */
  readonly newlyFailing: readonly string[];
  /** Passing requirements that failed when an earlier run in the trend last judged them. */
  readonly fixed: readonly string[];
  readonly load: readonly Pick<LoadResult, "scenario" | "profile" | "verdict">[];
}

export interface LatencyTrend {
  readonly scenario: string;
  readonly profile: string;
  readonly endpoint: string;
  /** Milliseconds for each run; null where it was not measured, or from too few responses. */
  readonly p95: readonly (number | null)[];
  /** Limit in each run, in milliseconds; null where there was none. */
  readonly limit: readonly (number | null)[];
}

/** The trend of the runs of one target, which are given oldest first. */
export function trendOf(target: string, runs: readonly NamedRun[]): Trend {
  const last = new Map<string, "failing" | "passing">();
  return { target, runs: runs.map((run) => trendRun(run, last)), latency: latencyTrends(runs) };
}

// `last` holds the last verdict of each requirement. A run that did not judge a requirement does not change it.
function trendRun({ name, results }: NamedRun, last: Map<string, "failing" | "passing">): TrendRun {
  const { startedAt, command, verdict, exitCode, summary, requirements, load } = results;
  const ofLoad = load.map(({ metrics }) => metrics.http_reqs?.count ?? 0);
  const ofTwins = results.twin === undefined ? [] : Object.values(results.twin.requests);
  const states = requirements.flatMap((one) => {
    const state = stateOf(one);
    return state === undefined ? [] : [{ id: one.id, state, verdict: one.verdict, before: last.get(one.id) }];
  });
  for (const { id, state } of states) last.set(id, state);
  const ids = (wanted: (one: (typeof states)[number]) => boolean) =>
    states.filter(wanted).map(({ id }) => id);
  return {
    name,
    startedAt,
    command,
    verdict,
    exitCode,
    summary,
    requests: [...ofLoad, ...ofTwins].reduce((sum, count) => sum + count, results.requests.total),
    failing: ids(({ state }) => state === "failing"),
    waived: ids(({ state, verdict }) => state === "failing" && verdict !== "fail"),
    passing: ids(({ state }) => state === "passing"),
    newlyFailing: ids(
      ({ state, verdict, before }) => state === "failing" && verdict === "fail" && before === "passing",
    ),
    fixed: ids(({ state, before }) => state === "passing" && before === "failing"),
    load: load.map((one) => ({ scenario: one.scenario, profile: one.profile, verdict: one.verdict })),
  };
}

function stateOf({ verdict, checks }: RequirementResult): "failing" | "passing" | undefined {
  // A waived failure has the verdict warning, but still fails.
  if (verdict === "fail" || checks.some(({ waiver }) => waiver !== undefined)) return "failing";
  return verdict === "pass" || verdict === "warn" ? "passing" : undefined;
}

function latencyTrends(runs: readonly NamedRun[]): LatencyTrend[] {
  const measured = runs.flatMap(({ results: { load } }, place) =>
    load.flatMap(({ scenario, profile, ...result }) =>
      p95ByEndpoint(result).map(([endpoint, value]) => {
        const limit = limitOf(result, endpoint);
        return { scenario, profile, endpoint, value, limit, place };
      }),
    ),
  );
  const lines = Map.groupBy(measured, ({ scenario, profile, endpoint }) =>
    JSON.stringify([scenario, profile, endpoint]),
  );
  return [...lines.values()].flatMap((points) => {
    const [first] = points;
    if (first === undefined) return [];
    const { scenario, profile, endpoint } = first;
    const of = (place: number) => points.find((point) => point.place === place);
    const p95 = runs.map((_run, place) => of(place)?.value ?? null);
    const limit = runs.map((_run, place) => of(place)?.limit ?? null);
    return [{ scenario, profile, endpoint, p95, limit }];
  });
}

function limitOf({ thresholds }: Pick<LoadResult, "thresholds">, endpoint: string): number | undefined {
  return thresholds.find(
    ({ crossing, request, statistic }) =>
      crossing === "latency-over-limit" && request === endpoint && statistic === "p95",
  )?.limit;
}

function p95ByEndpoint({ percentiles = [] }: Pick<LoadResult, "percentiles">): [string, number][] {
  return percentiles.flatMap((curve): [string, number][] => {
    const value = valueAt(curve, 95);
    return value === undefined ? [] : [[curve.endpoint, value]];
  });
}
