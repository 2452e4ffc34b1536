import type { Drift } from "../../../schemas/contracts/drift.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { defaultWords } from "../../../schemas/words/finding-words.ts";
import { findingText } from "../../../schemas/words/index.ts";
import { type ExitCode, UsageError } from "../../errors.ts";
import type { EarlierRun } from "../read-run.ts";
import { contractOf, driftBetween, hasProbed } from "./drift.ts";
import {
  compareLatency,
  type LatencyAnswer,
  type LatencyRule,
  type LoadRegression,
  leastRuns,
} from "./latency.ts";
import {
  alignScenarios,
  differenceFinding,
  differencesAmong,
  isNoMeasurement,
  type LoadRun,
  type RunDifference,
} from "./load-runs.ts";
import {
  isWhole,
  type ThresholdChange,
  thresholdChanges,
  type VerdictChange,
  verdictChanges,
} from "./verdict-changes.ts";

/** What changed. Requirements, contract and thresholds are those of the newest run before and the newest run after. */
export interface Comparison {
  readonly verdict: "worse" | "same" | "not judged";
  readonly exitCode: ExitCode;
  /** What decided the verdict; empty when nothing got worse. */
  readonly reasons: readonly Finding[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly requirements: readonly VerdictChange[];
  /** Omitted when one of these runs has no contract. */
  readonly drift?: readonly Drift[];
  readonly load: readonly LoadRegression[];
  readonly thresholds: readonly ThresholdChange[];
  readonly notes: readonly Finding[];
}

/** The runs to compare, at least one before and one after. */
export interface RunsToCompare {
  readonly before: readonly [EarlierRun, ...EarlierRun[]];
  readonly after: readonly [EarlierRun, ...EarlierRun[]];
}

/**
 * Compares one run with another, or three or more runs before with three or more after. Only then is latency judged.
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
  const compared = { requirements, drift, load: scenarios, thresholds, isPair, hasVerdicts, hasContract };
  return {
    ...judgeComparison(compared),
    before: before.map(({ name }) => name),
    after: after.map(({ name }) => name),
    requirements,
    ...(hasContract ? { drift } : {}),
    load: scenarios,
    thresholds,
    notes: [...notes, ...notesOn(old, now)],
  };
}

/** What the verdict of a comparison depends on. */
export interface Compared {
  readonly requirements: readonly Pick<VerdictChange, "kind" | "id" | "level">[];
  readonly drift: readonly Drift[];
  readonly load: readonly Pick<LoadRegression, "scenario" | "comparison">[];
  readonly thresholds: readonly ThresholdChange[];
  /** One run before and one after: latency is shown but not judged. */
  readonly isPair: boolean;
  readonly hasVerdicts: boolean;
  readonly hasContract: boolean;
}

/**
 * Decides the verdict of a comparison, in this order:
 *
 * - worse (exit code 1): a requirement newly fails, a threshold is newly crossed, the contract changed in a breaking
 *   way, or latency is slower
 * - not judged (4): latency was to be judged and is inconclusive, a MUST is no longer judged, a load is no longer measured,
 *   something fails that was not judged before, or there was nothing to judge
 * - same (0): nothing got worse
 *
 * @throws UsageError when only load could be compared, and the runs differ in their conditions.
 */
export function judgeComparison(compared: Compared): Pick<Comparison, "verdict" | "exitCode" | "reasons"> {
  const { drift, load, thresholds, isPair, hasVerdicts, hasContract } = compared;
  const isRefused = ({ scenario }: ThresholdChange) =>
    load.some((one) => one.scenario === scenario && one.comparison.answer === "refused");
  // With another load, or on another machine, a newly crossed threshold is no evidence of a change in the service.
  const isRegression = (change: ThresholdChange) => change.kind === "newly-crossed" && !isRefused(change);
  const regressions = [
    ...requirementFindings(compared, "newly-failing"),
    ...drift.filter(({ rank }) => rank === "breaking").map(breakingFinding),
    ...thresholds.filter(isRegression).map(thresholdFinding),
    ...(isPair ? [] : latencyFindings(compared, "slower")),
  ];
  if (regressions.length > 0) return { verdict: "worse", exitCode: 1, reasons: regressions };
  if (!hasVerdicts) refuseUnlike(load);
  const nothing: Finding[] =
    !hasVerdicts && !hasContract && load.length === 0 ? [{ code: "nothing-to-compare" }] : [];
  const open = [
    ...requirementFindings(compared, "failing-not-judged-before"),
    ...requirementFindings(compared, "no-longer-judged", "must"),
    ...thresholds.filter((change) => !isRegression(change)).map(thresholdFinding),
    ...(isPair && hasVerdicts ? [] : latencyFindings(compared, "inconclusive")),
    ...nothing,
  ];
  return open.length > 0
    ? { verdict: "not judged", exitCode: 4, reasons: open }
    : { verdict: "same", exitCode: 0, reasons: [] };
}

type DecidingKind = "newly-failing" | "failing-not-judged-before" | "no-longer-judged";

function requirementFindings(
  { requirements }: Compared,
  kind: DecidingKind,
  level?: VerdictChange["level"],
): Finding[] {
  const found = requirements.filter(
    (one) => one.kind === kind && (level === undefined || one.level === level),
  );
  return found.length === 0 ? [] : [{ code: kind, actual: found.map(({ id }) => id) }];
}

function breakingFinding(drift: Drift): Finding {
  return { code: "breaking-drift", details: { drift } };
}

function thresholdFinding({ kind, scenario: subject, threshold }: ThresholdChange): Finding {
  if (threshold === undefined) return { code: "load-no-longer-measured", subject };
  const details = { threshold };
  switch (kind) {
    case "newly-crossed":
      return { code: "threshold-newly-crossed", subject, details };
    case "crossed-not-judged-before":
      return { code: "threshold-crossed-not-judged-before", subject, details };
    case "no-longer-measured":
      return { code: "load-no-longer-measured", subject };
    default:
      return kind satisfies never;
  }
}

function latencyFindings({ load }: Pick<Compared, "load">, answer: LatencyAnswer): Finding[] {
  return load
    .filter(({ comparison }) => comparison.answer === answer)
    .flatMap(({ scenario, comparison }) =>
      comparison.findings.map((finding) => Object.assign({ ...finding }, { subject: scenario })),
    );
}

// Runs are identified by their start, because `latest` is a second name of a run.
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
    fix: "Name each run once; latest is another name for the newest run.",
  });
}

function newest([first, ...others]: RunsToCompare["before"]): EarlierRun {
  const time = ({ results }: EarlierRun) => Date.parse(results.startedAt);
  return others.reduce((latest, run) => (time(run) > time(latest) ? run : latest), first);
}

function notesOn(old: EarlierRun, now: EarlierRun): Finding[] {
  const [before, after] = [old.results.target, now.results.target];
  const unfinished = [old, now].filter(
    ({ results }) => results.problem !== undefined || (results.requirements.length > 0 && !isWhole(results)),
  );
  return [
    ...(before.name === after.name
      ? []
      : [{ code: "other-target" as const, expected: before.name, actual: after.name }]),
    ...(before.keyFingerprint === after.keyFingerprint || before.name === "embedded"
      ? []
      : [{ code: "other-key" as const }]),
    ...unfinished.map(({ name, results: { problem } }) => ({
      code: "run-not-complete" as const,
      details: {
        run: name,
        problem: problem === undefined ? undefined : `${problem.what}: ${problem.where}`,
      },
    })),
  ];
}

function refuseUnlike(load: Compared["load"]): void {
  const refused = load.filter(({ comparison }) => comparison.answer === "refused");
  if (load.length === 0 || refused.length < load.length) return;
  throw new UsageError({
    what: "The runs differ, so their latency is not compared",
    where: latencyFindings({ load: refused }, "refused").map(shown).join(" "),
    fix: "Repeat them with the same settings, or allow the difference with --allow-different PART.",
  });
}

function shown(finding: Finding): string {
  return findingText(finding, defaultWords);
}

interface ComparedLoads {
  readonly scenarios: readonly LoadRegression[];
  readonly notes: readonly Finding[];
}

export interface CompareOptions {
  readonly rule: LatencyRule;
  /** Conditions in which the runs may differ. A difference is noted. */
  readonly allowed: readonly string[];
}

/**
 * Compares the load of three or more runs before with three or more after.
 * @throws UsageError for too few runs, and for runs without measurements, without a common scenario or with different
 *   conditions.
 */
function compareLoads(
  before: readonly EarlierRun[],
  after: readonly EarlierRun[],
  { rule, allowed }: CompareOptions,
): ComparedLoads {
  refuseTooFew(before, after);
  const { shared, unshared } = alignScenarios(before, after);
  const all = [...before, ...after];
  if (shared.length === 0 && all.some(({ results }) => results.load.length > 0)) {
    throw new UsageError({
      what: "The runs have no load scenario in common",
      where: all.map(({ name, results }) => `${name}: ${scenariosOf(results.load)}`).join("; "),
      fix: "Compare runs of the same scenario; the latency of rate-limit is never compared.",
    });
  }
  const scenarios = shared.map(({ scenario, before: earlier, after: later }) => {
    const runs = [...earlier, ...later];
    const unmeasured = runs.find(isNoMeasurement);
    if (unmeasured !== undefined) throw notMeasured(unmeasured);
    const differing = differencesAmong(runs);
    const refused = differing.filter(({ part }) => !allowed.includes(part));
    if (refused.length > 0) throw unlike(scenario, refused);
    const regression = compareLatency(earlier, later, rule, shared.length);
    return { ...regression, notes: [...differing.map(allowedFinding), ...regression.notes] };
  });
  return { scenarios, notes: unshared.map(unsharedFinding) };
}

/** Compares the load of one run with that of another. The result is shown, but does not affect the verdict. */
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
    const without = (answer: "refused" | "inconclusive", findings: Finding[]): LoadRegression => ({
      ...regression,
      comparison: { answer, findings, runs, endpoints: [] },
      rows: [],
      unmeasured: [],
    });
    const unmeasured = [...earlier, ...later].find(isNoMeasurement);
    if (unmeasured !== undefined) return without("inconclusive", [unmeasuredFinding(unmeasured)]);
    if (refused.length > 0) return without("refused", refused.map(differenceFinding));
    const { endpoints } = regression.comparison;
    return {
      ...regression,
      comparison: {
        answer: "inconclusive",
        findings: [{ code: "latency-not-judged", expected: leastRuns }],
        runs,
        endpoints: endpoints.map((row) => ({ ...row, answer: "inconclusive" })),
      },
      notes: [...differing.map(allowedFinding), ...regression.notes],
    };
  });
  return { scenarios, notes: unshared.map(unsharedFinding) };
}

function refuseTooFew(before: readonly EarlierRun[], after: readonly EarlierRun[]): void {
  if (before.length >= leastRuns && after.length >= leastRuns) return;
  throw new UsageError({
    what: `Too few runs to compare: ${before.length} before and ${after.length} after`,
    where: "compare",
    fix: `Name one run before and one after to see what changed, or ${leastRuns} or more of each to judge latency: compare A B C -- D E F.`,
  });
}

function notMeasured(run: LoadRun): UsageError {
  return new UsageError({
    what: `The load ${run.scenario} of a run has no latency to compare`,
    where: shown(unmeasuredFinding(run)),
    fix: "Leave the run out, or repeat it.",
  });
}

function unmeasuredFinding({ run, verdict }: LoadRun): Finding {
  const cause = verdict === "invalid" ? "invalid" : "no-percentiles";
  return { code: "latency-not-measured", details: { run, cause } };
}

function unlike(scenario: string, differing: readonly RunDifference[]): UsageError {
  const flags = differing.map(({ part }) => `--allow-different ${part}`).join(" ");
  return new UsageError({
    what: `The runs of ${scenario} differ, so their latency is not compared`,
    where: differing.map(differenceFinding).map(shown).join(" "),
    fix: `Repeat all runs with the same settings. To compare them anyway: ${flags}.`,
  });
}

function allowedFinding(difference: RunDifference): Finding {
  const { expected, actual, details } = differenceFinding(difference);
  return { code: "compared-although-different", expected, actual, details };
}

function unsharedFinding(scenario: string): Finding {
  return { code: "scenario-not-in-every-run", subject: scenario };
}

function scenariosOf(load: EarlierRun["results"]["load"]): string {
  return load.length === 0 ? "no load" : load.map(({ scenario }) => scenario).join(", ");
}
