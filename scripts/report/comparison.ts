import type { Verdict } from "../../conformance/requirements/verdict.ts";
import type { Drift } from "../../schemas/contracts/drift.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, Threshold } from "../../schemas/contracts/load-result.ts";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { comparisonLabels, driftLabels, isCrossed, verdictLabels } from "../../schemas/verdicts.ts";
import { requestName } from "../../schemas/words/comparison.ts";
import { driftText } from "../../schemas/words/contract.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { capitalized, change, counted, milliseconds } from "../../schemas/words/format.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { thresholdFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import type { Comparison, RunsToCompare } from "../runs/compare/compare-runs.ts";
import { type Curve, pooled } from "../runs/compare/curve.ts";
import type { LatencyAnswer, LoadRegression } from "../runs/compare/latency.ts";
import type { VerdictChange, VerdictChangeKind } from "../runs/compare/verdict-changes.ts";
import { fewestOfCurve } from "./html/client/plan-chart.ts";
import { type NamedColumn, runColumns } from "./run-names.ts";
import { comparisonTones, driftTones, type Tone } from "./tones.ts";

/** A comparison in words, worst first, for all formats. */
export interface ComparisonReport {
  readonly comparison: Comparison;
  readonly label: string;
  readonly tone: Tone;
  /** Meaning of the verdict, a sentence without its full stop. */
  readonly meaning: string;
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  readonly before: readonly NamedColumn[];
  readonly after: readonly NamedColumn[];
  /** Requirements of the newest run before and after, by verdict; empty if one of them judged none. */
  readonly counts: readonly VerdictCount[];
  readonly requirements: readonly ShownVerdictChange[];
  /** Undefined if one of the runs has no contract to compare. */
  readonly drift: readonly ShownDriftChange[] | undefined;
  readonly load: readonly ShownRegression[];
}

export interface VerdictCount {
  readonly verdict: string;
  readonly before: number;
  readonly after: number;
}

export interface ShownVerdictChange {
  readonly kind: string;
  readonly tone: Tone;
  readonly id: string;
  readonly level: VerdictChange["level"];
  readonly statement: string;
  readonly before: string;
  readonly after: string;
  readonly text: string;
}

export interface ShownDriftChange {
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
  readonly rule: string;
}

/** The load of one scenario before and after. */
export interface ShownRegression {
  /** `Lookup (average)` */
  readonly name: string;
  readonly label: string;
  readonly tone: Tone;
  /** `3 runs before, 3 after` */
  readonly runs: string;
  readonly lines: readonly string[];
  readonly rows: readonly LatencyRow[];
  readonly thresholds: readonly ComparedThreshold[];
  readonly distributions: readonly Distributions[];
}

/** One statistic of one kind of request. */
export interface LatencyRow {
  readonly endpoint: string;
  readonly statistic: string;
  readonly before: string;
  readonly after: string;
  readonly change: string;
  readonly interval: string;
  readonly label: string;
  readonly tone: Tone;
}

/** A limit in the newest run before and after. */
export interface ComparedThreshold {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly label: string;
  readonly tone: Tone;
}

/** The latency of one kind of request, all runs before together and all runs after; only with enough responses. */
export interface Distributions {
  readonly endpoint: string;
  readonly before: Curve;
  readonly after: Curve;
}

/** Meaning of each verdict, a sentence without its full stop. */
export const meanings = {
  regression: "something got worse",
  "no regression": "nothing got worse",
  incomplete: "nothing is known to be worse, but not everything could be compared",
} as const satisfies Record<Comparison["verdict"], string>;

export const comparisonRunTones = {
  regression: "bad",
  "no regression": "good",
  incomplete: "unsure",
} as const satisfies Record<Comparison["verdict"], Tone>;

/** Labels of verdict changes, worst first. */
export const changeLabels = {
  "newly-failing": "newly failing",
  "failing-not-judged-before": "failing, not judged before",
  "no-longer-judged": "no longer judged",
  "new-warning": "new warning",
  fixed: "fixed",
  "newly-judged": "newly judged",
} as const satisfies Record<VerdictChangeKind, string>;

export const changeTones = {
  "newly-failing": "bad",
  "failing-not-judged-before": "bad",
  "no-longer-judged": "unsure",
  "new-warning": "notice",
  fixed: "good",
  "newly-judged": "good",
} as const satisfies Record<VerdictChangeKind, Tone>;

/** Makes the report of a comparison of these runs. */
export function comparisonReport(comparison: Comparison, runs: RunsToCompare): ComparisonReport {
  const { verdict, reasons, notes, requirements, drift, load } = comparison;
  const columns = runColumns([...runs.before, ...runs.after]);
  const [old, now] = [newest(runs.before), newest(runs.after)];
  return {
    comparison,
    label: verdict,
    tone: comparisonRunTones[verdict],
    meaning: meanings[verdict],
    reasons: reasons.map(findingWords),
    notes: notes.map(findingWords),
    before: columns.slice(0, runs.before.length),
    after: columns.slice(runs.before.length),
    counts: verdictCounts(old, now),
    requirements: requirements.map(shownChange),
    drift: drift === undefined ? undefined : shownDrift(drift),
    load: load.map((regression) => shownRegression(regression, runs)),
  };
}

/** Findings with their fixes. */
export function findingWords(finding: Finding): string {
  const fix = findingFix(finding, defaultWords);
  return [findingText(finding, defaultWords), ...(fix === undefined ? [] : [fix])].join(" ");
}

function newest(runs: RunsToCompare["before"]): RunsToCompare["before"][0]["results"] {
  return runs
    .map(({ results }) => results)
    .reduce((latest, one) => (Date.parse(one.startedAt) > Date.parse(latest.startedAt) ? one : latest));
}

type OneRun = ReturnType<typeof newest>;

function verdictCounts(old: OneRun, now: OneRun): VerdictCount[] {
  if (old.requirements.length === 0 || now.requirements.length === 0) return [];
  const count = (of: OneRun, verdict: Verdict) =>
    of.requirements.filter((requirement) => requirement.verdict === verdict).length;
  return (Object.keys(verdictLabels) as Verdict[])
    .map((verdict) => ({
      verdict: verdictLabels[verdict],
      before: count(old, verdict),
      after: count(now, verdict),
    }))
    .filter(({ before, after }) => before + after > 0);
}

function shownChange({
  kind,
  id,
  level,
  statement,
  before,
  after,
  findings,
}: VerdictChange): ShownVerdictChange {
  return {
    kind: changeLabels[kind],
    tone: changeTones[kind],
    id,
    level,
    statement,
    before: verdictName(before),
    after: verdictName(after),
    text: findings.map(findingWords).join(" "),
  };
}

/** The verdict of a requirement before or after. */
export function verdictName(id: VerdictChange["before"]): string {
  return id === "absent" ? "not there" : verdictLabels[id];
}

function shownDrift(drift: readonly Drift[]): ShownDriftChange[] {
  return (Object.keys(driftLabels) as Drift["rank"][])
    .flatMap((rank) => drift.filter((one) => one.rank === rank))
    .map((one) => ({
      label: driftLabels[one.rank],
      tone: driftTones[one.rank],
      text: driftText(one),
      rule: one.rule,
    }));
}

const order: readonly LatencyAnswer[] = ["slower", "inconclusive", "refused", "same", "faster"];

/** Latency rows, worst first: slower, then inconclusive, each by the size of its change. */
export function worstFirst(rows: LoadRegression["comparison"]["endpoints"]): typeof rows {
  return rows.toSorted(
    (one, other) => order.indexOf(one.answer) - order.indexOf(other.answer) || other.change - one.change,
  );
}

function shownRegression(regression: LoadRegression, runs: RunsToCompare): ShownRegression {
  const { scenario, profile, comparison, unmeasured, notes } = regression;
  const { answer, findings, endpoints } = comparison;
  const loadOf = (results: OneRun) => results.load.filter((one) => one.scenario === scenario);
  const of = (side: RunsToCompare["before"]) => side.flatMap(({ results }) => loadOf(results));
  const [before, after] = [of(runs.before), of(runs.after)];
  const [old, now] = [newest(runs.before), newest(runs.after)].map((results) => loadOf(results)[0]);
  return {
    name: `${scenarioLabel(scenario)} (${profile})`,
    label: comparisonLabels[answer],
    tone: comparisonTones[answer],
    runs: `${counted(comparison.runs.before, "run")} before, ${comparison.runs.after} after`,
    lines: [
      ...[...findings, ...notes].map(findingWords),
      ...unmeasuredLine(unmeasured.length).map((line) => `${line}.`),
    ],
    rows: worstFirst(endpoints).map((row) => ({
      endpoint: capitalized(requestName(row.endpoint)),
      statistic: row.statistic,
      before: milliseconds(row.before),
      after: milliseconds(row.after),
      change: change(row.change),
      interval: `${change(row.low)} to ${change(row.high)}`,
      label: comparisonLabels[row.answer],
      tone: comparisonTones[row.answer],
    })),
    thresholds: thresholdsOf(old, now),
    distributions: distributionsOf(before, after),
  };
}

/** Says how many statistics are not shown, as a sentence without its full stop; nothing for none. */
export function unmeasuredLine(length: number): string[] {
  if (length === 0) return [];
  return [`${counted(length, "more statistic has", "more statistics have")} too few samples to be judged`];
}

/** Limits of the later run beside the values of the earlier one, crossed limits first. */
function thresholdsOf(old: LoadResult | undefined, now: LoadResult | undefined): ComparedThreshold[] {
  const rows = (now?.thresholds ?? []).map((threshold) => {
    const earlier = old?.thresholds.find(
      ({ metric, statistic }) => metric === threshold.metric && statistic === threshold.statistic,
    );
    const is = stateOf(threshold);
    const was = earlier && stateOf(earlier);
    return {
      name: thresholdLabel(threshold),
      before: earlier === undefined ? "–" : thresholdFigures(earlier),
      after: thresholdFigures(threshold),
      label: is === was ? is : `${was ?? "not measured"}, now ${is}`,
      tone: thresholdTones[is],
      is,
    };
  });
  const worst = Object.keys(thresholdTones);
  return rows
    .toSorted((one, other) => worst.indexOf(one.is) - worst.indexOf(other.is))
    .map(({ is: _, ...row }) => row);
}

/** How a limit ended, worst first. */
const thresholdTones = {
  crossed: "bad",
  "not judged": "unsure",
  passed: "good",
} as const satisfies Record<string, Tone>;

function stateOf(threshold: Threshold): keyof typeof thresholdTones {
  if (threshold.met || threshold.guards === "search") return "passed";
  return isCrossed(threshold) ? "crossed" : "not judged";
}

function distributionsOf(before: readonly LoadResult[], after: readonly LoadResult[]): Distributions[] {
  const curves = (side: readonly LoadResult[], endpoint: string) =>
    pooled(
      side.flatMap(({ percentiles = [] }) =>
        percentiles.filter((curve) => curve.endpoint === endpoint && curve.count > 0),
      ),
    );
  const names = new Set(after.flatMap(({ percentiles = [] }) => percentiles.map(({ endpoint }) => endpoint)));
  return [...names].flatMap((name) => {
    const [old, now] = [curves(before, name), curves(after, name)];
    if (old === undefined || now === undefined || Math.min(old.count, now.count) < fewestOfCurve) return [];
    return [{ endpoint: capitalized(requestName(name)), before: old, after: now }];
  });
}
