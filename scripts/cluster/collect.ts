import type { RunSummary } from "../../scenarios/lib/summary.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { given } from "../../schemas/json.ts";
import { type ScenarioId, scenarioIds } from "../../schemas/scenarios.ts";
import { profileFingerprint, type RunConditions } from "../load/conditions.ts";
import { countOf } from "../load/figures.ts";
import { createEvidence, type LoadTarget } from "../load/load-evidence.ts";
import { k6ExitScriptException } from "../load/rules.ts";
import { loadResult } from "../load/run.ts";
import type { FoundResults, PodEntry } from "./frames.ts";
import { createMerger, type Merger } from "./merge.ts";
import { differencesBetween, type PlannedRun, ranBy } from "./planned-run.ts";
import type { PodLogs } from "./pod-logs.ts";

type KeptEvidence = NonNullable<LoadResult["evidence"]>;

/** A run assembled from the logs of its pods. */
export interface CollectedRun {
  readonly baseUrl: string;
  /** The id of the run. */
  readonly run: string;
  /** When the last pod ended. */
  readonly endedAt: string;
  readonly result: LoadResult;
}

/**
 * Merges the results of the pods that shared a run, and judges the whole. Verdicts of single pods are ignored. A run with
 * a missing or duplicate part, or with pods that ran something else than planned, is invalid, and the findings name it.
 *
 * @param planned What the pods should have run. Default: not compared
 * @returns undefined when no pod left a readable result.
 */
export function collectRun(
  logs: PodLogs,
  target: Omit<LoadTarget, "baseUrl">,
  planned?: PlannedRun,
): CollectedRun | undefined {
  const pods = runAmong(logs.whole, planned);
  const [first] = pods;
  if (first === undefined) return undefined;
  const unplanned = planned === undefined ? [] : unplannedAmong(first, pods.length, planned);
  const problems = [...unplanned, ...strangersAmong(logs, first), ...segmentProblems(logs, pods, first)];
  const counted = [...new Map(pods.map((pod) => [placeOf(pod.segment, ranBy(pod).pods), pod])).values()];
  const { summary, starved, totals } = merged(counted);
  const { profile, baseUrl } = first;
  // The scripts report an error only before they throw, and then there is nothing to judge.
  const code = logs.reported.length > 0 ? k6ExitScriptException : 0;
  const reported = [...logs.reported, ...problems];
  const exit = { code, interrupted: false, reported, errors: [] };
  const startedAt = Math.min(...counted.map(startOf));
  const judged = loadResult({
    scenario: scenarioOf(summary),
    profileName: summary.profile,
    profile,
    exit,
    summary,
    evidence: evidenceOf(logs, { ...target, baseUrl }),
    conditions: conditionsOfPods(first),
    starved,
  });
  const endedAt = Math.max(...counted.map(({ finishedAt }) => finishedAt));
  return {
    baseUrl,
    run: first.run,
    endedAt: new Date(endedAt).toISOString(),
    result: {
      ...judged,
      notes: [...judged.notes, totals],
      // Whatever else was measured does not concern the planned run, not even a failure of the target.
      ...(unplanned.length === 0 ? {} : { verdict: "invalid" as const, findings: problems }),
      startedAt: new Date(startedAt).toISOString(),
      seconds: (endedAt - startedAt) / 1000,
    },
  };
}

/** The summary of all pods, those that were short of CPU, and what each did. A late pod among many does not show in the sum. */
function merged(pods: readonly PodEntry[]): {
  readonly summary: RunSummary;
  readonly starved: readonly Finding[];
  readonly totals: Finding;
} {
  let merger: Merger | undefined;
  const starved: Finding[] = [];
  const late: number[] = [];
  const requests: number[] = [];
  for (const pod of pods) {
    const summary = pod.summary();
    if (merger === undefined) merger = createMerger(summary);
    else merger.add(summary);
    requests.push(countOf(summary, "http_reqs"));
    const expected = summary.thresholds.find(({ measure }) => measure === "schedule_lag")?.limit;
    const actual = summary.metrics.schedule_lag?.["p(95)"];
    if (actual === undefined || expected === undefined) continue;
    late.push(actual);
    if (actual > expected)
      starved.push({ code: "pod-starved", subject: pod.segment, actual, expected, unit: "ms" });
  }
  if (merger === undefined) throw new TypeError("no pod to merge");
  const rangeOf = (values: readonly number[]) => ({ least: Math.min(...values), most: Math.max(...values) });
  const lateMilliseconds = late.length === 0 ? undefined : rangeOf(late);
  const details = { requests: rangeOf(requests), ...given({ lateMilliseconds }) };
  const totals: Finding = { code: "pod-totals", seen: { count: pods.length, of: "pods" }, details };
  return { summary: merger.end(), starved, totals };
}

function evidenceOf({ evidence }: PodLogs, target: LoadTarget): KeptEvidence {
  const collected = createEvidence(target);
  for (const line of evidence) collected.take(line);
  return [...collected.kept];
}

function scenarioOf({ scenario }: RunSummary): ScenarioId {
  return scenarioIds.find((id) => id === scenario) ?? "mixed";
}

function startOf({ finishedAt, facts }: PodEntry): number {
  return finishedAt - facts.durationMilliseconds;
}

/** The pods of one run: the planned one, or else that with the most pods; if several have as many, the latest one. */
function runAmong(results: readonly PodEntry[], planned: PlannedRun | undefined): readonly PodEntry[] {
  const isPlanned = ([pod]: readonly PodEntry[]) =>
    Number(pod !== undefined && planned !== undefined && differencesBetween(pod, planned).length === 0);
  const latest = (pods: readonly PodEntry[]) => Math.max(...pods.map(({ finishedAt }) => finishedAt));
  const runs = [...Map.groupBy(results, (pod) => JSON.stringify(ranBy(pod))).values()].toSorted(
    (a, b) => isPlanned(b) - isPlanned(a) || b.length - a.length || latest(b) - latest(a),
  );
  return runs[0] ?? [];
}

/** A finding if the pods of a run, of which one is given, did something else than planned. */
function unplannedAmong(pod: PodEntry, count: number, planned: PlannedRun): Finding[] {
  const differs = differencesBetween(pod, planned);
  if (differs.length === 0) return [];
  const seen = { count, total: count, of: "pods" } as const;
  return [{ code: "pod-not-as-planned", subject: pod.segment, details: { differs }, seen }];
}

/** Findings about pods of other runs, with the properties in which they differ. */
function strangersAmong({ whole, torn }: FoundResults, first: PodEntry): Finding[] {
  const expected = ranBy(first);
  const differing = whole.flatMap((result): Finding[] => {
    const differs = differencesBetween(result, expected);
    if (differs.length === 0) return [];
    return [{ code: "pod-not-as-planned", subject: result.segment, details: { differs } }];
  });
  const tornStrangers = torn
    .filter(({ run }) => run !== first.run)
    .map(
      ({ segment }): Finding => ({
        code: "pod-not-as-planned",
        subject: segment,
        details: { differs: ["run"] },
      }),
    );
  return [...differing, ...tornStrangers];
}

/** Findings about segments that are missing, damaged or duplicate. */
function segmentProblems({ torn }: FoundResults, pods: readonly PodEntry[], first: PodEntry): Finding[] {
  const borders = bordersOf(first);
  const planned = borders.length - 1;
  const ran = Map.groupBy(pods, ({ segment }) => placeOf(segment, planned));
  return borders.slice(1).flatMap((end, place): Finding[] => {
    const subject = `${borders[place]}:${end}`;
    const count = ran.get(place)?.length ?? 0;
    if (count === 1) return [];
    if (count > 1) return [{ code: "pod-result-doubled", subject, actual: count }];
    const damaged = torn.find(({ run, segment }) => run === first.run && placeOf(segment, planned) === place);
    if (damaged === undefined) return [{ code: "pod-result-missing", subject }];
    const { lost, total } = damaged;
    return [{ code: "pod-result-missing", subject, seen: { count: lost, total, of: "lines" } }];
  });
}

/** Runs of pods differ from runs on one machine, where the generator is another one. */
function conditionsOfPods(pod: PodEntry): RunConditions {
  const { facts, profile } = pod;
  return {
    profile: profileFingerprint(profile),
    seed: String(facts.seed),
    shards: String(ranBy(pod).pods),
    host: "pods",
  };
}

/** The borders of the segments of a run, one more than it has pods, as k6 writes them: `0,1/3,2/3,1`. */
function bordersOf({ sequence }: PodEntry): string[] {
  return sequence.split(",");
}

/** The number of the pod that had a segment, from 0. k6 reduces only some fractions: `2/4:3/4` may be reported as `1/2:3/4`. */
function placeOf(segment: string, pods: number): number {
  const [over = 0, under = 1] = (segment.split(":")[0] ?? "").split("/").map(Number);
  return Math.round((over / under) * pods);
}
