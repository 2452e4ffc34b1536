import type { LoadResult, Threshold } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { isCrossed } from "../../schemas/contracts/verdicts.ts";
import { showsPercentile } from "../../schemas/words/format.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { latenciesOf, shownPercentiles } from "../load/measured.ts";
import type { EarlierRun } from "../runs/read-run.ts";
import { changeKinds, type VerdictChange, verdictChanges } from "./changes.ts";
import { type ContractDifference, differencesBetween, probedLimit } from "./contract.ts";

export const verdicts = {
  worse: { exitCode: 1, tone: "bad" },
  "not judged": { exitCode: 4, tone: "unsure" },
  same: { exitCode: 0, tone: "good" },
} as const;

/** What changed from one run to another. */
export interface Comparison {
  readonly verdict: keyof typeof verdicts;
  readonly exitCode: ExitCode;
  readonly before: string;
  readonly after: string;
  /** Omitted when one of the runs judged none. */
  readonly requirements?: readonly VerdictChange[] | undefined;
  /** Omitted when one of the runs is not whole, or judged nothing of the contract. */
  readonly differences?: readonly ContractDifference[] | undefined;
  readonly load: readonly LoadChange[];
}

export type LoadChange = ReturnType<typeof loadChanges>[number];

/**
 * Decides the verdict of a comparison, in this order:
 *
 * - worse (1): a requirement newly fails, a limit is newly exceeded, or the contract changed in a breaking way
 * - not judged (4): a MUST is no longer judged, a load no longer measured, what was not judged before fails
 *   now, or there was nothing to judge
 * - same (0): nothing got worse
 *
 * @throws UsageError when both are the same run.
 */
export function compareRuns(before: EarlierRun, after: EarlierRun): Comparison {
  const [old, now] = [before.results, after.results];
  // `latest` is a second name of a run.
  if (old.startedAt === now.startedAt && old.target.baseUrl === now.target.baseUrl)
    throw new UsageError({
      what: "A run is named twice",
      where: after.name,
      fix: "Name two runs; latest is another name for the newest run.",
    });
  const areBoth = (has: (run: Results) => boolean) => has(old) && has(now);
  const haveVerdicts = areBoth((run) => run.requirements.length > 0);
  const haveContract =
    areBoth((run) => whyNotWhole(run) === undefined) &&
    (haveVerdicts || areBoth(({ load }) => probedLimit(load) !== undefined));
  const requirements = haveVerdicts ? verdictChanges(old.requirements, now.requirements) : undefined;
  const differences = haveContract ? differencesBetween(old, now) : undefined;
  const load = loadChanges(old, now);
  const isMeasured = (where: LoadChange["measured"]) => load.some(({ measured }) => measured === where);
  // Runs of another command need not send the same loads.
  const isMissing = old.command === now.command && isMeasured("before");
  const isEmpty = !haveVerdicts && !haveContract && !isMeasured("both");
  const weights = new Set([
    ...(requirements ?? []).map(({ kind }) => changeKinds[kind].weight),
    ...(differences ?? []).map(({ breaking }) => (breaking ? "worse" : "none")),
    ...load.flatMap(({ exceeded }) => exceeded.map(({ weight }) => weight)),
    isMissing || isEmpty ? "open" : "none",
  ]);
  const verdict = weights.has("worse") ? "worse" : weights.has("open") ? "not judged" : "same";
  const { exitCode } = verdicts[verdict];
  return { verdict, exitCode, before: before.name, after: after.name, requirements, differences, load };
}

/** Why a run shows a part of the contract only, as after "it"; undefined for a whole run. */
export function whyNotWhole({ scope, exitCode, verdict, problem }: Results): string | undefined {
  if (exitCode === 130) return "was interrupted";
  if (verdict === "error") return `ended in an error${problem === undefined ? "" : ` (${problem.what})`}`;
  return scope && `judged ${scope.requirements} of ${scope.of} requirements`;
}

/** The load of each scenario in two runs. */
function loadChanges(before: Results, after: Results) {
  const scenarios = new Set([...before.load, ...after.load].map(({ scenario }) => scenario));
  return [...scenarios].flatMap((scenario) => {
    // An invalid run measured nothing.
    const [old, now] = [before, after].map(({ load }) =>
      load.find((one) => one.scenario === scenario && one.verdict !== "invalid"),
    );
    const profile = (now ?? old)?.profile;
    if (profile === undefined) return [];
    /** What the figures depend on besides the service, where it differs: `host`. */
    const differing = old === undefined || now === undefined ? [] : differingConditions(old, now);
    /** Limits that only the later run exceeds. */
    const exceeded = judgedLimits(now)
      .filter(isCrossed)
      .flatMap((threshold) => {
        const same = judgedLimits(old).find((one) => isSameLimit(one, threshold));
        if (same !== undefined && isCrossed(same)) return [];
        // With another load, or on another machine, it is no evidence of a change in the service.
        const isProven = same !== undefined && differing.length === 0;
        return [{ threshold, weight: isProven ? ("worse" as const) : ("open" as const) }];
      });
    const measured: "both" | "before" | "after" =
      old === undefined ? "after" : now === undefined ? "before" : "both";
    // The latency of rate-limit depends on its own pacing.
    const latency = scenario === "rate-limit" ? [] : latencyChanges(old, now);
    return [{ scenario, profile, measured, differing, exceeded, latency }];
  });
}

function differingConditions(old: LoadResult, now: LoadResult): string[] {
  const [was, is] = [old, now].map(
    ({ profile, conditions }): Record<string, string> => ({ profile, ...conditions }),
  ) as [Record<string, string>, Record<string, string>];
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

/** In milliseconds, of enough responses in both runs: a trend. Which is slower is judged while both run. */
function latencyChanges(old: LoadResult | undefined, now: LoadResult | undefined) {
  if (old === undefined || now === undefined) return [];
  const earlier = latenciesOf(old);
  return latenciesOf(now).flatMap(({ id: endpoint, samples, at }) => {
    const same = earlier.find(({ id }) => id === endpoint);
    return shownPercentiles.flatMap((percentile) => {
      const [before, after] = [same?.at[percentile], at[percentile]];
      const isEnough = showsPercentile(percentile, Math.min(samples, same?.samples ?? 0));
      if (!isEnough || before === undefined || after === undefined) return [];
      // 0.2 is 20 % slower.
      return [{ endpoint, statistic: `p${percentile}`, before, after, change: after / before - 1 }];
    });
  });
}
