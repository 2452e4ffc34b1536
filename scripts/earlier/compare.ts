import type { Drift } from "../../schemas/types.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import {
  alignScenarios,
  differencesAmong,
  isNoMeasurement,
  type LoadRun,
  type RunDifference,
} from "./align.ts";
import { contractOf, hasProbed } from "./contract.ts";
import { driftBetween } from "./drift.ts";
import { compareLatency, type LatencyRule, type LoadRegression, leastRuns } from "./latency.ts";
import type { EarlierRun } from "./read-run.ts";
import {
  isWhole,
  type ThresholdChange,
  thresholdChanges,
  type VerdictChange,
  verdictChanges,
} from "./verdict-changes.ts";

/** What changed between runs. */
export interface Comparison {
  readonly verdict: "regression" | "no regression" | "incomplete";
  readonly exitCode: ExitCode;
  /** Why, in a line each; empty when there is no regression. */
  readonly reasons: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Of the newest run before and after. */
  readonly requirements: readonly VerdictChange[];
  /** Of the newest run before and after; left out when one of them has no contract to compare. */
  readonly drift?: readonly Drift[];
  readonly load: readonly LoadRegression[];
  /** Of the newest run before and after. */
  readonly thresholds: readonly ThresholdChange[];
  readonly notes: readonly string[];
}

/** The runs to compare, at least one before and one after. */
export interface RunsToCompare {
  readonly before: readonly [EarlierRun, ...EarlierRun[]];
  readonly after: readonly [EarlierRun, ...EarlierRun[]];
}

/**
 * Compares two runs, or three and more before with three and more after, whose latency is judged then.
 * @throws UsageError for a run that is named twice, and as compareLoads.
 */
export function compareRuns({ before, after }: RunsToCompare, options: CompareOptions): Comparison {
  refuseRepeated([...before, ...after]);
  const isPair = before.length === 1 && after.length === 1;
  const { scenarios, notes } = isPair
    ? compareTwoLoads(before[0], after[0], options)
    : compareLoads(before, after, options);
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
  /** One run before and one after: latency is shown and not judged. */
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

function newest([first, ...others]: RunsToCompare["before"]): EarlierRun {
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

/** Latency before and after, scenario by scenario. */
interface ComparedLoads {
  readonly scenarios: readonly LoadRegression[];
  readonly notes: readonly string[];
}

export interface CompareOptions {
  readonly rule: LatencyRule;
  /** Parts of the comparability in which the runs may differ; that they do is remarked on. */
  readonly allowed: readonly string[];
}

/**
 * Compares the load of three runs or more before with that of as many after.
 * @throws UsageError for too few runs, for runs that measured nothing, share no scenario or are not alike: it says in what.
 */
function compareLoads(
  before: readonly EarlierRun[],
  after: readonly EarlierRun[],
  { rule, allowed }: CompareOptions,
): ComparedLoads {
  refuseTooFew(before, after);
  const { shared, unshared } = alignScenarios(before, after);
  if (shared.length === 0 && before.concat(after).some(({ results }) => results.load.length > 0)) {
    throw new UsageError({
      what: "The runs share no scenario of load",
      where: [...before, ...after]
        .map(({ name, results }) => `${name}: ${scenariosOf(results.load)}`)
        .join("; "),
      mend: "Compare runs of the same scenario; the latency of rate-limit is never compared.",
    });
  }
  const scenarios = shared.map(({ before: earlier, after: later }) => {
    const runs = [...earlier, ...later];
    refuseInvalid(runs);
    const differing = differencesAmong(runs);
    const refused = differing.filter(({ part }) => !allowed.includes(part));
    if (refused.length > 0) throw unlike(runs[0]?.scenario ?? "", refused);
    const regression = compareLatency(earlier, later, rule, shared.length);
    return { ...regression, notes: [...differing.map(labelled), ...regression.notes] };
  });
  return { scenarios, notes: unshared.map(unsharedNote) };
}

/** Shows the load of one run beside that of another: never a verdict. */
function compareTwoLoads(
  before: EarlierRun,
  after: EarlierRun,
  { rule, allowed }: CompareOptions,
): ComparedLoads {
  const { shared, unshared } = alignScenarios([before], [after]);
  const scenarios = shared.map(({ before: earlier, after: later }): LoadRegression => {
    const regression = compareLatency(earlier, later, rule, shared.length);
    const differing = differencesAmong([...earlier, ...later]);
    const refused = differing.filter(({ part }) => !allowed.includes(part));
    const runs = { before: 1, after: 1 };
    const without = (answer: "refused" | "inconclusive", reason: string): LoadRegression => ({
      ...regression,
      comparison: { answer, reason, runs, endpoints: [] },
      rows: [],
      unmeasured: [],
    });
    const invalid = [...earlier, ...later].find(isNoMeasurement);
    if (invalid !== undefined) {
      return without("inconclusive", `${invalid.run} is no measurement: ${whyInvalid(invalid)}`);
    }
    if (refused.length > 0) {
      return without("refused", `the runs are not alike: ${refused.map(shownDifference).join("; ")}`);
    }
    const { endpoints } = regression.comparison;
    return {
      ...regression,
      comparison: {
        answer: "inconclusive",
        reason: `one run a side is never a verdict on latency: name ${leastRuns} or more a side, compare A B C -- D E F`,
        runs,
        endpoints: endpoints.map((row) => ({ ...row, answer: "inconclusive" })),
      },
      notes: [...differing.map(labelled), ...regression.notes],
    };
  });
  return { scenarios, notes: unshared.map(unsharedNote) };
}

function refuseTooFew(before: readonly EarlierRun[], after: readonly EarlierRun[]): void {
  if (before.length >= leastRuns && after.length >= leastRuns) return;
  throw new UsageError({
    what: `Too few runs to compare: ${before.length} before and ${after.length} after`,
    where: "compare",
    mend: `Name one run before and one after, to see what changed, or ${leastRuns} or more a side, to have latency judged: compare A B C -- D E F.`,
  });
}

function refuseInvalid(runs: readonly LoadRun[]): void {
  const invalid = runs.find(isNoMeasurement);
  if (invalid === undefined) return;
  throw new UsageError({
    what: `The load ${invalid.scenario} of a run is no measurement`,
    where: `${invalid.run}: ${whyInvalid(invalid)}`,
    mend: "Leave the run out, or make it again.",
  });
}

function whyInvalid({ verdict }: LoadRun): string {
  return verdict === "invalid" ? "its verdict is invalid" : "it has no percentiles";
}

function shownDifference({ part, before, after, run, other }: RunDifference): string {
  return `${part} is ${before} in ${run} and ${after} in ${other}`;
}

function labelled(difference: RunDifference): string {
  return `compared although ${shownDifference(difference)}`;
}

function unlike(scenario: string, differing: readonly RunDifference[]): UsageError {
  const flags = differing.map(({ part }) => `--allow-different ${part}`).join(" ");
  return new UsageError({
    what: `The runs of ${scenario} are not alike, so their latency is not compared`,
    where: differing.map(shownDifference).join("; "),
    mend: `Make both sides in the same way. To compare them all the same: ${flags}.`,
  });
}

function scenariosOf(load: EarlierRun["results"]["load"]): string {
  return load.length === 0 ? "no load" : load.map(({ scenario }) => scenario).join(", ");
}

function unsharedNote(scenario: string): string {
  return `load ${scenario} is not compared: not every run has it`;
}
