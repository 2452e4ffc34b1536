import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { type JudgedLimit, measuredOf, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import { type RequestKindId, requestKinds } from "../../schemas/scenarios.ts";
import type { Finding, LoadComparison, LoadResult, Profile, Threshold, Waiver } from "../../schemas/types.ts";
import type { K6Exit } from "./k6-process.ts";

/** What is known of a run when it has ended. */
export interface EndedRun {
  readonly scenario: string;
  readonly profile: Profile;
  readonly exit: K6Exit;
  /** Undefined when k6 wrote none. */
  readonly summary: RunSummary | undefined;
  /** What the generators lacked. */
  readonly starved?: readonly Finding[];
}

/** What a run is held against, beside the thresholds of its profile. */
export interface Standards {
  /** Waivers in force; those of thresholds are taken. */
  readonly waivers?: readonly Waiver[] | undefined;
  /** Its latency against recorded runs. */
  readonly comparison?: LoadComparison | undefined;
}

export type Judgement = Pick<LoadResult, "verdict" | "findings" | "notes" | "thresholds" | "comparison">;

/** The id by which a threshold is waived. */
export function thresholdId(scenario: string, metric: string): string {
  return `load.${scenario}/${metric}`;
}

/**
 * The verdict of a load run, made here and nowhere else. Fail: the target did wrong, which failures and invalid
 * responses show whatever else happened. Invalid: the run says nothing about the target. Slower: all held, but recorded
 * runs were faster. k6's exit code alone is green in most of these cases, and some codes hide a crossed threshold, so
 * both are read.
 */
export function judgeLoad(run: EndedRun, { waivers = [], comparison }: Standards = {}): Judgement {
  const thresholds = thresholdsOf(run, waivers);
  const cutShort = cutShortFindings(run);
  if (cutShort.length > 0) return { thresholds, notes: [], verdict: "invalid", findings: cutShort };
  const crossed = thresholds.filter(({ held }) => !held);
  const target = crossed.filter(({ guards }) => guards === "target");
  const findingOf = (threshold: Threshold) => crossingOf(threshold, run.summary);
  const onTarget = target.filter(({ waiver }) => waiver === undefined);
  const targetFindings = onTarget.map(findingOf);
  const runFindings = [
    ...(run.summary === undefined ? [] : endFindings(run, run.summary)),
    ...crossed.filter(({ guards }) => guards === "run").map(findingOf),
    ...unaskedFindings(thresholds, run),
  ];
  const waived = target
    .filter(({ waiver }) => waiver !== undefined)
    .map((threshold): Finding => ({ code: "threshold-waived", details: { waived: findingOf(threshold) } }));
  const judged = { thresholds, notes: waived };
  const gone = runFindings.some(({ code }) => code === "target-gone-under-load");
  const wrong = onTarget.some(({ crossing }) => crossing !== "latency-over-limit");
  if (wrong && !gone) {
    return { ...judged, verdict: "fail", findings: [...targetFindings, ...runFindings] };
  }
  if (runFindings.length > 0) {
    return { ...judged, verdict: "invalid", findings: [...runFindings, ...targetFindings] };
  }
  const compared = comparison === undefined ? {} : { comparison };
  if (targetFindings.length > 0) {
    return { ...judged, ...compared, verdict: "fail", findings: targetFindings };
  }
  return comparison?.answer === "slower"
    ? { ...judged, ...compared, verdict: "slower", findings: slowerFindings(comparison) }
    : { ...judged, ...compared, verdict: "pass", findings: [] };
}

function thresholdsOf({ scenario, summary }: EndedRun, waivers: readonly Waiver[]): Threshold[] {
  return (summary?.thresholds ?? []).map((limit: JudgedLimit) => {
    const threshold = thresholdOf(limit, measuredOf(limit, summary?.metrics ?? {}));
    const waiver = waivers.find(({ id }) => id === thresholdId(scenario, limit.metric));
    // What guards the run itself cannot be waived: then nothing was measured.
    return threshold.held || threshold.guards === "run" || waiver === undefined
      ? threshold
      : { ...threshold, waiver };
  });
}

/** Exit code of k6 when the setup, or the script itself, threw. */
const threw = 107;

/** Why the run did not come to its end, so that no threshold of it says anything. */
function cutShortFindings({ exit, summary }: EndedRun): Finding[] {
  if (exit.interrupted) return [{ code: "load-interrupted" }];
  const endedByScript = exit.reported.length > 0 && (exit.code === threw || summary === undefined);
  if (endedByScript) return [...exit.reported];
  if (summary !== undefined) return [];
  if (exit.signal !== undefined) return [{ code: "k6-killed", subject: exit.signal }];
  return [{ code: "no-summary", ...(exit.code === undefined ? {} : { actual: exit.code }) }];
}

/** What the end of the processes says of the run. */
function endFindings({ exit, starved = [] }: EndedRun, summary: RunSummary): Finding[] {
  const explained = exit.code === 0 || exit.code === 99;
  const contradicts = exit.code === 99 && summary.thresholds.every(({ held }) => held);
  return [
    ...exit.reported,
    ...goneFindings(summary),
    ...starved,
    ...((!explained && exit.reported.length === 0) || contradicts
      ? [{ code: "k6-exit" as const, actual: exit.code }]
      : []),
  ];
}

function goneFindings({ metrics }: RunSummary): Finding[] {
  const answered = metrics.target_answered_after;
  return answered?.value === 0 || answered?.min === 0 ? [{ code: "target-gone-under-load" }] : [];
}

/** What a crossed threshold says, with how often it was seen. */
function crossingOf(threshold: Threshold, summary: RunSummary | undefined): Finding {
  const { crossing, request, statistic, limit, value, unit } = threshold;
  const seen = seenOf(threshold, summary);
  return {
    code: crossing,
    ...(isRequestKind(request) ? { endpoint: requestKinds[request].endpoint, subject: request } : {}),
    expected: limit,
    ...(value === undefined ? {} : { actual: value }),
    unit,
    ...(seen === undefined ? {} : { seen }),
    ...(unit === "ms" ? { details: { statistic } } : {}),
  };
}

function isRequestKind(name: string | undefined): name is RequestKindId {
  return name !== undefined && Object.hasOwn(requestKinds, name);
}

/** How often what a threshold limits was seen, of how many. */
function seenOf({ metric, crossing, value }: Threshold, summary: RunSummary | undefined): Finding["seen"] {
  const values = summary?.metrics[metric] ?? {};
  const { passes = 0, fails = 0, count = 0 } = values;
  const counted = (name: string) => summary?.metrics[name]?.count ?? 0;
  switch (crossing) {
    case "latency-over-limit":
    case "iterations-late":
      return { count, of: "samples" };
    case "failed-requests":
      return { count: passes, total: passes + fails, of: "requests" };
    case "invalid-responses":
      return { count: passes, total: passes + fails, of: "responses" };
    case "retry-after-malformed":
      return { count: value ?? 0, total: counted("refusals"), of: "responses" };
    case "other-organization-refused":
      return { count: value ?? 0, total: counted("probe_other_requests"), of: "requests" };
    case "iterations-dropped":
      return { count: value ?? 0, total: summary?.plannedIterations ?? 0, of: "iterations" };
    case "script-exceptions":
    case "cursor-repeated":
      return { count: value ?? 0, of: "iterations" };
    default:
      return undefined;
  }
}

/** Kinds of request that the profile sets limits for, and that the scenario does not know. */
function unaskedFindings(thresholds: readonly Threshold[], { summary, profile }: EndedRun): Finding[] {
  if (summary === undefined) return [];
  return Object.keys(profile.thresholds.endpoints ?? {})
    .filter((name) => !thresholds.some(({ request }) => request === name))
    .map((subject) => ({ code: "endpoint-not-asked", subject }));
}

function slowerFindings({ endpoints, runs }: LoadComparison): Finding[] {
  const slower = endpoints.filter(({ answer }) => answer === "slower");
  if (slower.length === 0) return [{ code: "slower-than-recorded" }];
  return slower.map(({ endpoint, statistic, before, after, change }) => ({
    code: "slower-than-recorded",
    subject: endpoint,
    expected: before,
    actual: after,
    unit: "ms",
    details: { statistic, change, runs: runs.before },
  }));
}
