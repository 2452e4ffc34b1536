import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { isCrossed } from "../../schemas/contracts/verdicts.ts";
import { showsPercentile } from "../../schemas/words/format.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { latenciesOf, shownPercentiles } from "../load/latencies.ts";
import type { EarlierRun } from "../runs/read-run.ts";
import { differencesBetween, probedLimit } from "./contract.ts";
import type { ContractDifference } from "./since-result.ts";
import { type ChangeWeight, type VerdictChange, verdictChanges } from "./verdict-changes.ts";

/** What changed from one run to another. */
export interface Comparison {
  readonly verdict: "worse" | "same" | "not judged";
  readonly exitCode: ExitCode;
  readonly before: string;
  readonly after: string;
  readonly requirements: readonly VerdictChange[];
  /** Omitted when one of the runs did not finish, or judged nothing of the contract. */
  readonly differences?: readonly ContractDifference[];
  readonly load: readonly LoadChange[];
}

export interface RunsToCompare {
  readonly before: EarlierRun;
  readonly after: EarlierRun;
}

/** The load of one scenario in two runs. */
export interface LoadChange {
  readonly scenario: string;
  readonly profile: string;
  /** Which of the runs measured it: an invalid one measured nothing. */
  readonly measured: "both" | "before" | "after";
  /** Limits that only the later run exceeds. */
  readonly exceeded: readonly { readonly threshold: Threshold; readonly weight: ChangeWeight }[];
  /** Limits that both runs judged. */
  readonly limits: number;
  /** A trend: which deployment is slower is judged while both run. */
  readonly latency: readonly LatencyChange[];
  /** What the figures depend on besides the service, where it differs: `host`. */
  readonly differing: readonly string[];
}

interface LatencyChange {
  readonly endpoint: string;
  readonly statistic: string;
  /** Milliseconds. */
  readonly before: number;
  readonly after: number;
  /** Relative: 0.2 is 20 % slower. */
  readonly change: number;
}

/**
 * Decides the verdict of a comparison, in this order:
 *
 * - worse (exit code 1): a requirement newly fails, a limit is newly exceeded, or the contract changed in a breaking way
 * - not judged (4): a MUST is no longer judged, a load is no longer measured, something fails that was not judged before, or
 *   there was nothing to judge
 * - same (0): nothing got worse
 *
 * @throws UsageError when both are the same run.
 */
export function compareRuns({ before, after }: RunsToCompare): Comparison {
  const [old, now] = [before.results, after.results];
  // `latest` is a second name of a run.
  if (old.startedAt === now.startedAt && old.target.baseUrl === now.target.baseUrl)
    throw new UsageError({
      what: "A run is named twice",
      where: after.name,
      fix: "Name two runs; latest is another name for the newest run.",
    });
  const all = (holds: (run: typeof old) => boolean) => holds(old) && holds(now);
  const hasVerdicts = all(({ requirements }) => requirements.length > 0);
  const requirements = hasVerdicts ? verdictChanges(old.requirements, now.requirements) : [];
  const hasContract =
    all(({ verdict, exitCode }) => verdict !== "error" && exitCode !== 130) &&
    (hasVerdicts || all(({ load }) => probedLimit(load) !== undefined));
  const differences = hasContract ? differencesBetween(old, now) : [];
  const load = loadChanges(old, now);
  // Runs of another command need not send the same loads.
  const isMissing = old.command === now.command && load.some(({ measured }) => measured === "before");
  const hasNothing = !hasVerdicts && !hasContract && load.every(({ limits }) => limits === 0);
  const weights = [
    ...requirements.map(({ weight }) => weight),
    ...differences.map(({ breaking }) => (breaking ? "worse" : "none")),
    ...load.flatMap(({ exceeded }) => exceeded.map(({ weight }) => weight)),
    isMissing || hasNothing ? "open" : "none",
  ];
  const judged = weights.includes("worse")
    ? ({ verdict: "worse", exitCode: 1 } as const)
    : weights.includes("open")
      ? ({ verdict: "not judged", exitCode: 4 } as const)
      : ({ verdict: "same", exitCode: 0 } as const);
  const names = { before: before.name, after: after.name };
  return { ...judged, ...names, requirements, ...(hasContract ? { differences } : {}), load };
}

function loadChanges(before: Results, after: Results): LoadChange[] {
  const scenarios = new Set([...before.load, ...after.load].map(({ scenario }) => scenario));
  return [...scenarios].flatMap((scenario): LoadChange[] => {
    const measuredIn = ({ load }: Results) =>
      load.find((one) => one.scenario === scenario && one.verdict !== "invalid");
    const [old, now] = [measuredIn(before), measuredIn(after)];
    const profile = (now ?? old)?.profile;
    if (profile === undefined) return [];
    const [had, has] = [judgedLimits(old), judgedLimits(now)];
    const differing = old === undefined || now === undefined ? [] : differingConditions(old, now);
    const exceeded = has.filter(isCrossed).flatMap((threshold) => {
      const same = had.find((one) => isSameLimit(one, threshold));
      if (same !== undefined && isCrossed(same)) return [];
      // With another load, or on another machine, it is no evidence of a change in the service.
      const isProven = same !== undefined && differing.length === 0;
      return [{ threshold, weight: isProven ? ("worse" as const) : ("open" as const) }];
    });
    return [
      {
        ...{ scenario, profile, differing, exceeded, limits: Math.min(had.length, has.length) },
        measured: old === undefined ? "after" : now === undefined ? "before" : "both",
        // That of rate-limit depends on its own pacing.
        latency: scenario === "rate-limit" ? [] : latencyChanges(old, now),
      },
    ];
  });
}

function differingConditions(old: LoadResult, now: LoadResult): string[] {
  const conditionsOf = ({ profile, conditions }: LoadResult): Record<string, string> => ({
    profile,
    ...conditions,
  });
  const [was, is] = [conditionsOf(old), conditionsOf(now)];
  return Object.keys({ ...was, ...is }).filter((part) => was[part] !== is[part]);
}

/** One that was not judged is no proof, before and after. */
function judgedLimits(load: LoadResult | undefined): Threshold[] {
  const all = load?.thresholds ?? [];
  return all.filter(({ guards, notJudged }) => guards === "target" && notJudged === undefined);
}

function isSameLimit(one: Threshold, other: Threshold): boolean {
  return (["metric", "statistic", "bound", "limit"] as const).every((part) => one[part] === other[part]);
}

/** What was measured from enough responses in both runs. */
function latencyChanges(old: LoadResult | undefined, now: LoadResult | undefined): LatencyChange[] {
  if (old === undefined || now === undefined) return [];
  const earlier = new Map(latenciesOf(old).map((kind) => [kind.id, kind]));
  return latenciesOf(now).flatMap(({ id, samples, at }) =>
    shownPercentiles.flatMap((percentile): LatencyChange[] => {
      const same = earlier.get(id);
      const [before, after] = [same?.at[percentile], at[percentile]];
      const isEnough = showsPercentile(percentile, Math.min(samples, same?.samples ?? 0));
      if (!isEnough || before === undefined || after === undefined) return [];
      return [{ endpoint: id, statistic: `p${percentile}`, before, after, change: after / before - 1 }];
    }),
  );
}
