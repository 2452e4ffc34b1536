import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, Threshold } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../schemas/contracts/results.ts";
import { isCrossed, type Verdict } from "../../schemas/contracts/verdicts.ts";
import { capitalized, showsPercentile } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { latenciesOf, shownPercentiles } from "../load/measured.ts";
import type { EarlierRun } from "../runs/read-run.ts";
import { type ContractDifference, differencesBetween, probedLimit } from "./contract.ts";

/** How the verdict of a requirement changes, worst first: `worse` is a regression, `open` is not known. */
export const changeKinds = {
  "newly-failing": { label: "newly failing", weight: "worse", tone: "bad" },
  // No proven regression.
  "failing-not-judged-before": { label: "failing, not judged before", weight: "open", tone: "bad" },
  "no-longer-judged": { label: "no longer judged", weight: "open", tone: "unsure" },
  "new-warning": { label: "new warning", weight: "none", tone: "notice" },
  fixed: { label: "fixed", weight: "none", tone: "good" },
} as const;
type ChangeKind = keyof typeof changeKinds;
type ChangeWeight = (typeof changeKinds)[ChangeKind]["weight"];
const kinds = Object.keys(changeKinds) as ChangeKind[];

export interface VerdictChange<F = SaidFinding>
  extends Pick<RequirementResult, "id" | "level" | "statement"> {
  readonly kind: ChangeKind;
  /** Of the kind; a SHOULD that is no longer judged does not count. */
  readonly weight: ChangeWeight;
  /** Undefined when the run did not select the requirement, or did not have it. */
  readonly before: Verdict | undefined;
  readonly after: Verdict | undefined;
  /** Findings of the checks that decided the later run, or the earlier one if the later has none. */
  readonly findings: readonly F[];
}

/** Requirements whose verdict changed, the worst changes first. */
export function verdictChanges<F>(
  before: readonly RequirementResult<F>[],
  after: readonly RequirementResult<F>[],
): VerdictChange<F>[] {
  const both = [...Map.groupBy([...after, ...before], ({ id }) => id).values()];
  const changes = both.flatMap(([one, other]): VerdictChange<F>[] => {
    if (one === undefined) return [];
    const now = after.includes(one) ? one : undefined;
    const old = now === undefined ? one : other;
    const kind = kindOf(old?.verdict, now?.verdict);
    const { id, level, statement, checks, verdict } = one;
    // A waived failure has the verdict warning, but is not fixed.
    const isWaived = kind === "fixed" && checks.some(({ waiver }) => waiver !== undefined);
    if (kind === undefined || isWaived) return [];
    const weight = kind === "no-longer-judged" && level !== "must" ? "none" : changeKinds[kind].weight;
    const findings = checks.filter((check) => check.verdict === verdict).flatMap((check) => check.findings);
    const was = { before: old?.verdict, after: now?.verdict };
    return [{ kind, weight, id, level, statement, ...was, findings }];
  });
  return changes.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function kindOf(before?: Verdict, after?: Verdict): ChangeKind | undefined {
  const [wasJudged, isJudged] = [before, after].map(
    (verdict) => verdict !== undefined && verdict !== "inconclusive" && verdict !== "error",
  );
  if (before === after) return undefined;
  if (!isJudged) return wasJudged ? "no-longer-judged" : undefined;
  if (after === "fail") return wasJudged ? "newly-failing" : "failing-not-judged-before";
  if (before === "fail") return "fixed";
  return after === "warn" && wasJudged ? "new-warning" : undefined;
}

/** A line for each kind of change: ``Fixed: `errors.unknown-product`.`` */
export function changeLines(changes: readonly Pick<VerdictChange, "kind" | "id">[]): string[] {
  return [...Map.groupBy(changes, ({ kind }) => kind)].map(
    ([kind, all]) => `${capitalized(changeKinds[kind].label)}: ${all.map(({ id }) => code(id)).join(", ")}.`,
  );
}

const exitCodes = { worse: 1, "not judged": 4, same: 0 } as const;

/** What changed from one run to another. */
export interface Comparison {
  readonly verdict: keyof typeof exitCodes;
  readonly exitCode: ExitCode;
  readonly before: string;
  readonly after: string;
  readonly requirements: readonly VerdictChange[];
  /** Omitted when one of the runs is not whole, or judged nothing of the contract. */
  readonly differences?: readonly ContractDifference[];
  readonly load: readonly LoadChange[];
}

export interface RunsToCompare {
  readonly before: EarlierRun;
  readonly after: EarlierRun;
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
export function compareRuns({ before, after }: RunsToCompare): Comparison {
  const runs = [before.results, after.results];
  const [old, now] = [before.results, after.results];
  // `latest` is a second name of a run.
  if (old.startedAt === now.startedAt && old.target.baseUrl === now.target.baseUrl)
    throw new UsageError({
      what: "A run is named twice",
      where: after.name,
      fix: "Name two runs; latest is another name for the newest run.",
    });
  const haveVerdicts = runs.every(({ requirements }) => requirements.length > 0);
  const requirements = haveVerdicts ? verdictChanges(old.requirements, now.requirements) : [];
  const haveContract =
    runs.every((run) => whyNotWhole(run) === undefined) &&
    (haveVerdicts || runs.every(({ load }) => probedLimit(load) !== undefined));
  const differences = haveContract ? differencesBetween(old, now) : [];
  const load = loadChanges(old, now);
  const isMeasured = (where: LoadChange["measured"]) => load.some(({ measured }) => measured === where);
  // Runs of another command need not send the same loads.
  const isMissing = old.command === now.command && isMeasured("before");
  const isEmpty = !haveVerdicts && !haveContract && !isMeasured("both");
  const weights: ChangeWeight[] = [
    ...requirements.map(({ weight }) => weight),
    ...differences.map(({ breaking }) => (breaking ? "worse" : "none")),
    ...load.flatMap(({ exceeded }) => exceeded.map(({ weight }) => weight)),
    isMissing || isEmpty ? "open" : "none",
  ];
  const verdict = weights.includes("worse") ? "worse" : weights.includes("open") ? "not judged" : "same";
  const judged = { verdict, exitCode: exitCodes[verdict] } as const;
  const names = { before: before.name, after: after.name };
  return { ...judged, ...names, requirements, ...(haveContract ? { differences } : {}), load };
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
