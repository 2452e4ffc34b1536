import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { guardOf } from "../../scenarios/lib/thresholds.ts";
import type { LoadResult, Profile } from "../../schemas/types.ts";
import type { K6Exit } from "./k6-process.ts";

/** What is known of a run when it has ended. */
export interface EndedRun {
  readonly exit: K6Exit;
  /** Undefined when k6 wrote none. */
  readonly summary: RunSummary | undefined;
  readonly profile: Profile;
  /** Why the generator could not have done better, as the machine shows. */
  readonly starved?: readonly string[];
}

export interface Judgement {
  readonly verdict: Exclude<LoadResult["verdict"], "slower">;
  readonly reasons: string[];
}

/**
 * The verdict on one run. Broken: the target did wrong, which failures and invalid answers show whatever
 * else happened. Invalid: the run says nothing about the target. k6's exit code alone is green in most of
 * these cases, and some codes hide a crossed threshold, so both are read.
 */
export function judgeRun({ exit, summary, profile, starved = [] }: EndedRun): Judgement {
  if (exit.interrupted) return { verdict: "invalid", reasons: ["interrupted before its end"] };
  if (summary === undefined) {
    return { verdict: "invalid", reasons: [exit.errors[0] ?? `k6 ended with ${exit.code} and no summary`] };
  }
  const crossed = summary.thresholds.filter(({ held }) => !held);
  const runReasons = [
    ...setupReasons(exit),
    ...goneReasons(summary),
    ...starved,
    ...crossed
      .filter(({ metric }) => guardOf(metric) === "run")
      .map(({ metric, expression }) => runReason(metric, expression, summary)),
    ...unaskedReasons(summary, profile),
    ...(exit.code === 0 || exit.code === 99 || exit.code === 107 ? [] : [`k6 ended with code ${exit.code}`]),
  ];
  const target = crossed.filter(({ metric }) => guardOf(metric) === "target");
  const targetReasons = target.map(({ metric, expression }) => targetReason(metric, expression, summary));
  const wrong = target.some(({ metric }) => !metric.startsWith("http_req_duration"));
  if (wrong && goneReasons(summary).length === 0) {
    return { verdict: "broken", reasons: [...targetReasons, ...runReasons] };
  }
  if (runReasons.length > 0) return { verdict: "invalid", reasons: [...runReasons, ...targetReasons] };
  if (targetReasons.length > 0) return { verdict: "broken", reasons: targetReasons };
  return exit.code === 0
    ? { verdict: "pass", reasons: [] }
    : { verdict: "invalid", reasons: [`k6 ended with code ${exit.code} although every threshold held`] };
}

/** With 107 the setup threw: its message says why nothing was measured. */
function setupReasons({ code, errors }: K6Exit): string[] {
  return code === 107 ? [errors[0] ?? "the setup failed"] : [];
}

function goneReasons({ metrics }: RunSummary): string[] {
  return metrics.target_answered_after?.value === 0 || metrics.target_answered_after?.min === 0
    ? ["target gone: it no longer answered after the run"]
    : [];
}

function runReason(metric: string, expression: string, { metrics, plannedIterations }: RunSummary): string {
  const value = metrics[metric];
  const base = metric.split("{", 1)[0];
  switch (base) {
    case "dropped_iterations":
      return `the generator dropped ${value?.count ?? 0} of ${plannedIterations} iterations: raise maxResponseSeconds or virtual users, or lower the rate`;
    case "schedule_lag":
      return `iterations started late (95th percentile ${Math.round(value?.["p(95)"] ?? 0)} ms): this machine cannot generate the load`;
    case "exceptions":
      return `${value?.count ?? 0} iterations threw an exception; the log has the first ones`;
    case "http_reqs":
    case "checks_begun":
      return `no samples for ${metric}: a gate without data says nothing`;
    default:
      return `${metric} crossed ${expression}`;
  }
}

function targetReason(metric: string, expression: string, { metrics }: RunSummary): string {
  const statistic = /^[a-z]+(\([0-9.]+\))?/.exec(expression)?.[0] ?? "";
  const value = metrics[metric]?.[statistic];
  return `${metric} crossed ${expression}${value === undefined ? "" : `: it was ${Number(value.toPrecision(4))}`}`;
}

/** Endpoints that the profile sets limits for, and that the script does not know. */
function unaskedReasons({ thresholds }: RunSummary, profile: Profile): string[] {
  return Object.keys(profile.thresholds.endpoints ?? {})
    .filter((name) => !thresholds.some(({ metric }) => metric.includes(`{name:${name}`)))
    .map((name) => `the profile sets limits for ${name}, which no request of this scenario has`);
}
