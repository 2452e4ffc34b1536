import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { given } from "../../schemas/json.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { profileFingerprint } from "../load/conditions.ts";
import { countOf } from "../load/figures.ts";
import { createEvidence, type LoadTarget } from "../load/load-evidence.ts";
import { k6ExitScriptException } from "../load/rules.ts";
import { loadResult } from "../load/run.ts";
import { mergedSummaries } from "./merge.ts";
import type { LoggedPod, PodLogs } from "./pod-logs.ts";

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
 * a missing or duplicate part is invalid, and the findings name it.
 *
 * @returns undefined when no pod left a readable result.
 */
export function collectRun(logs: PodLogs, target: Omit<LoadTarget, "baseUrl">): CollectedRun | undefined {
  // Of several runs, the one with the most pods.
  const runs = [...Map.groupBy(logs.pods, ({ run }) => run).values()];
  const [pods = []] = runs.toSorted((one, other) => other.length - one.length);
  const [first] = pods;
  if (first === undefined) return undefined;
  const { baseUrl, profile, sequence, summary: ofFirst } = first.result();
  const { scenario, profile: profileName, seed } = ofFirst;
  const borders = sequence.split(",");
  const segments = borders.slice(1).map((end, place) => `${borders[place]}:${end}`);
  const ran = Map.groupBy(pods, ({ segment }) => placeOf(segment, segments.length));
  const counted = [...ran.values()].flatMap(([one]) => one ?? []);
  const measured = counted.map(measuredBy);
  const problems = [...othersAmong(logs.pods, first), ...segmentProblems(segments, ran)];
  // The scripts report an error only before they throw, and then there is nothing to judge.
  const code = logs.reported.length > 0 ? k6ExitScriptException : 0;
  const evidence = createEvidence({ ...target, baseUrl });
  for (const line of logs.evidence) evidence.take(line);
  const result = loadResult({
    scenario: scenario as ScenarioId,
    profileName,
    profile,
    exit: { code, interrupted: false, reported: [...logs.reported, ...problems], errors: [] },
    summary: mergedSummaries(counted.map((pod) => () => pod.result().summary)),
    evidence: [...evidence.kept],
    // Runs of pods differ from runs on one machine, where the generator is another one.
    conditions: {
      profile: profileFingerprint(profile),
      seed: String(seed),
      shards: String(segments.length),
      host: "pods",
    },
    starved: measured.flatMap(({ starved }) => starved),
  });
  const startedAt = Math.min(...measured.map((one) => one.startedAt));
  const endedAt = Math.max(...measured.map((one) => one.endedAt));
  return {
    baseUrl,
    run: first.run,
    endedAt: new Date(endedAt).toISOString(),
    result: {
      ...result,
      notes: [...result.notes, totalsOf(measured)],
      startedAt: new Date(startedAt).toISOString(),
      seconds: (endedAt - startedAt) / 1000,
    },
  };
}

/** What one pod did, and whether it was short of CPU: a late pod among many does not show in the sum. */
function measuredBy({ segment, result }: LoggedPod) {
  const { summary, finishedAt: endedAt } = result();
  const expected = summary.thresholds.find(({ measure }) => measure === "schedule_lag")?.limit;
  const late = expected === undefined ? undefined : summary.metrics.schedule_lag?.["p(95)"];
  const starved: Finding[] =
    late === undefined || expected === undefined || late <= expected
      ? []
      : [{ code: "pod-starved", subject: segment, actual: late, expected, unit: "ms" }];
  const startedAt = endedAt - summary.durationMilliseconds;
  return { startedAt, endedAt, requests: countOf(summary, "http_reqs"), late, starved };
}

function totalsOf(measured: readonly ReturnType<typeof measuredBy>[]): Finding {
  const rangeOf = (values: readonly number[]) => ({ least: Math.min(...values), most: Math.max(...values) });
  const late = measured.flatMap((one) => one.late ?? []);
  const lateMilliseconds = late.length === 0 ? undefined : rangeOf(late);
  const requests = rangeOf(measured.map((one) => one.requests));
  const details = { requests, ...given({ lateMilliseconds }) };
  return { code: "pod-totals", seen: { count: measured.length, of: "pods" }, details };
}

/** A finding if there are pods of other runs. */
function othersAmong(all: readonly LoggedPod[], { run: subject }: LoggedPod): Finding[] {
  const runs = all.flatMap(({ run }) => (run === subject ? [] : [run]));
  if (runs.length === 0) return [];
  const seen = { count: runs.length, total: all.length, of: "pods" } as const;
  return [{ code: "pods-of-other-runs", subject, seen, details: { runs: [...new Set(runs)] } }];
}

/** Findings about segments that are missing, damaged or duplicate. */
function segmentProblems(
  segments: readonly string[],
  ran: ReadonlyMap<number, readonly LoggedPod[]>,
): Finding[] {
  return segments.flatMap((subject, place): Finding[] => {
    const actual = ran.get(place)?.length ?? 0;
    if (actual === 0) return [{ code: "pod-result-missing", subject }];
    return actual === 1 ? [] : [{ code: "pod-result-doubled", subject, actual }];
  });
}

/** The number of the pod that had a segment, from 0. k6 reduces only some fractions: `2/4:3/4` may be reported as `1/2:3/4`. */
function placeOf(segment: string, pods: number): number {
  const [over = 0, under = 1] = (segment.split(":")[0] ?? "").split("/").map(Number);
  return Math.round((over / under) * pods);
}
