import type { Drift } from "../../../schemas/types.ts";
import { type ExitCode, UsageError } from "../../errors.ts";
import { contractOf, hasProbed } from "../drift/contract.ts";
import { driftBetween } from "../drift/drift-between.ts";
import type { EarlierRun } from "../earlier-run.ts";
import type { LoadRegression } from "./load-regression.ts";
import { besideEachOther, compareSides, type SidesOptions } from "./load-sides.ts";
import { type ThresholdChange, thresholdChanges } from "./threshold-changes.ts";
import { isWhole, type VerdictChange, verdictChanges } from "./verdict-changes.ts";

/** What changed from one side to the other. */
export interface Comparison {
  readonly verdict: "regression" | "no regression" | "incomplete";
  readonly exitCode: ExitCode;
  /** Why, in a line each; empty when there is no regression. */
  readonly reasons: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Of the newest run of each side. */
  readonly requirements: readonly VerdictChange[];
  /** Of the newest run of each side; left out when one of them has no contract to compare. */
  readonly drift?: readonly Drift[];
  readonly load: readonly LoadRegression[];
  /** Of the newest run of each side. */
  readonly thresholds: readonly ThresholdChange[];
  readonly notes: readonly string[];
}

/** Runs on each side, one at least. */
export interface Sides {
  readonly before: readonly [EarlierRun, ...EarlierRun[]];
  readonly after: readonly [EarlierRun, ...EarlierRun[]];
}

/**
 * Compares two runs, or two sides of three runs and more, whose latency is judged then.
 * @throws UsageError for a run on both sides or twice on one, and as compareSides.
 */
export function compareRuns({ before, after }: Sides, options: SidesOptions): Comparison {
  refuseRepeated([...before, ...after]);
  const isPair = before.length === 1 && after.length === 1;
  const { scenarios, notes } = isPair
    ? besideEachOther(before[0], after[0], options)
    : compareSides(before, after, options);
  const [old, now] = [newest(before), newest(after)];
  const results = [old.results, now.results];
  const hasContract = results.every(isWhole) || results.every(hasProbed);
  const hasVerdicts = old.results.requirements.length > 0 && now.results.requirements.length > 0;
  const requirements = hasVerdicts ? verdictChanges(old.results.requirements, now.results.requirements) : [];
  const drift = hasContract ? driftBetween(contractOf(old.results), contractOf(now.results)) : [];
  const thresholds = thresholdChanges(old.results, now.results);
  const learned = { requirements, drift, load: scenarios, thresholds, isPair, hasVerdicts, hasContract };
  return {
    ...judgeComparison(learned),
    before: before.map(({ name }) => name),
    after: after.map(({ name }) => name),
    requirements,
    ...(hasContract ? { drift } : {}),
    load: scenarios,
    thresholds,
    notes: [...notes, ...notesOn(old, now)],
  };
}

/** What the verdict of a comparison is made from. */
export interface Compared {
  readonly requirements: readonly Pick<VerdictChange, "kind" | "id" | "level">[];
  readonly drift: readonly Pick<Drift, "rank" | "statement">[];
  readonly load: readonly Pick<LoadRegression, "scenario" | "comparison">[];
  readonly thresholds: readonly ThresholdChange[];
  /** One run a side: latency is shown and not judged. */
  readonly isPair: boolean;
  readonly hasVerdicts: boolean;
  readonly hasContract: boolean;
}

/**
 * Regression (exit 1): a requirement newly fails, a threshold is newly crossed, the contract drifted in a breaking way, or
 * latency is slower. Else incomplete (4): latency was asked for and is inconclusive, a MUST is no longer judged, a load no
 * longer measured, something fails that was not judged before, or there was nothing to judge at all. Else no regression (0).
 *
 * @throws UsageError when there is nothing but load of runs that are not alike.
 */
export function judgeComparison(compared: Compared): Pick<Comparison, "verdict" | "exitCode" | "reasons"> {
  const { requirements, drift, load, thresholds, isPair, hasVerdicts, hasContract } = compared;
  const ids = (wanted: (one: Compared["requirements"][number]) => boolean, what: string) => {
    const found = requirements.filter(wanted).map(({ id }) => id);
    return found.length === 0 ? [] : [`${what}: ${found.join(", ")}`];
  };
  const answers = (wanted: string, what: string) =>
    load
      .filter(({ comparison }) => comparison.answer === wanted)
      .map(({ scenario, comparison }) => `${scenario} ${what}: ${comparison.reason}`);
  const isRefused = ({ scenario }: ThresholdChange) =>
    load.some((one) => one.scenario === scenario && one.comparison.answer === "refused");
  const thresholdLines = (wanted: (change: ThresholdChange) => boolean) =>
    thresholds
      .filter(wanted)
      .map(({ kind, scenario, threshold }) =>
        [`load ${scenario} ${kind}`, threshold ?? []].flat().join(": "),
      );
  // Under another load, or on another machine, a crossing says nothing of the service alone.
  const isRegression = (change: ThresholdChange) => change.kind === "newly crossed" && !isRefused(change);
  const breaking = drift.filter(({ rank }) => rank === "breaking").map(({ statement }) => statement);
  const regressions = [
    ...ids(({ kind }) => kind === "newly failing", "newly failing"),
    ...breaking.map((statement) => `breaking drift: ${statement}`),
    ...thresholdLines(isRegression),
    ...(isPair ? [] : answers("slower", "is slower")),
  ];
  if (regressions.length > 0) return { verdict: "regression", exitCode: 1, reasons: regressions };
  if (!hasVerdicts && load.length > 0 && load.every(({ comparison }) => comparison.answer === "refused")) {
    throw new UsageError({
      what: "The runs are not alike, so their latency is not compared",
      where: load.map(({ scenario, comparison }) => `${scenario}: ${comparison.reason}`).join("; "),
      mend: "Make both in the same way, or allow what differs with --allow-different PART.",
    });
  }
  const open = [
    ...ids(({ kind }) => kind === "failing, not judged before", "failing, and not judged before"),
    ...ids(({ kind, level }) => kind === "no longer judged" && level === "must", "no longer judged"),
    ...thresholdLines((change) => !isRegression(change)),
    ...(isPair && hasVerdicts ? [] : answers("inconclusive", "is not decided")),
    ...(!hasVerdicts && !hasContract && load.length === 0
      ? ["the runs have neither verdicts nor load to compare"]
      : []),
  ];
  return open.length > 0
    ? { verdict: "incomplete", exitCode: 4, reasons: open }
    : { verdict: "no regression", exitCode: 0, reasons: [] };
}

// By what a run is, not by its name: `latest` is a second one.
function refuseRepeated(runs: readonly EarlierRun[]): void {
  const identity = ({ results }: EarlierRun) =>
    [results.startedAt, results.finishedAt, results.target.baseUrl].join(" ");
  const found = runs.find(
    (run, place) => runs.findIndex((other) => identity(other) === identity(run)) < place,
  );
  if (found === undefined) return;
  throw new UsageError({
    what: "A run is named twice",
    where: found.name,
    mend: "Each run counts once; `latest` is one that has a name too.",
  });
}

function newest([first, ...others]: Sides["before"]): EarlierRun {
  const time = ({ results }: EarlierRun) => Date.parse(results.startedAt);
  return others.reduce((latest, run) => (time(run) > time(latest) ? run : latest), first);
}

function notesOn(old: EarlierRun, now: EarlierRun): string[] {
  const [before, after] = [old.results, now.results];
  const unfinished = [old, now].filter(({ results }) => results.requirements.length > 0 && !isWhole(results));
  return [
    ...(before.target.name === after.target.name
      ? []
      : [`the runs are of two targets, ${before.target.name} and ${after.target.name}`]),
    ...(before.target.keyFingerprint === after.target.keyFingerprint || before.target.name === "embedded"
      ? []
      : ["the runs had different keys: what they may see can differ"]),
    ...unfinished.map(({ name }) => `${name} did not come to its end: its contract is not compared`),
  ];
}
