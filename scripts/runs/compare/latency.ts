import { randomLcg } from "d3-random";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadComparison } from "../../../schemas/contracts/load-result.ts";
import { logarithm, quantile, samplingError } from "./curve.ts";
import { type Change, changeInterval, type RunValue, runsNeeded } from "./interval.ts";
import type { LoadRun } from "./load-runs.ts";

export type LatencyAnswer = LoadComparison["answer"];

/** What counts as a change of latency. */
export interface LatencyRule {
  /** Smallest relevant change, as a share. */
  readonly minimumEffect: number;
  /** Smallest relevant difference. Smaller ones may come from timers and schedulers. */
  readonly minimumMilliseconds: number;
  /** Probability that a comparison of equal runs reports any difference, in either direction. */
  readonly falseAlarms: number;
  /** Number of bootstrap resamples for each run and statistic. */
  readonly resamples: number;
  readonly seed: number;
}

/** Smallest number of runs, before and after, from which the spread between runs can be estimated. */
export const leastRuns = 3;

export const defaultRule: LatencyRule = {
  minimumEffect: 0.1,
  minimumMilliseconds: 0.5,
  falseAlarms: 0.05,
  resamples: 500,
  seed: 1,
};

/**
 * Judges one statistic. Slower or faster: the whole interval lies on one side of 0, and the change reaches both the minimum
 * effect and the minimum difference. Same: no value in the interval reaches both. Otherwise inconclusive.
 */
export function answerTo(
  { before, change, low, high }: Change,
  { minimumEffect, minimumMilliseconds }: LatencyRule,
): RowAnswer {
  // As ratios: 10 % slower is as much as 1 / 1.1 of the time.
  const matters = (share: number): boolean =>
    Math.abs(Math.log1p(share)) >= Math.log1p(minimumEffect) &&
    Math.abs(share * before) >= minimumMilliseconds;
  if (matters(change) && low > 0) return "slower";
  if (matters(change) && high < 0) return "faster";
  return matters(low) || matters(high) ? "inconclusive" : "same";
}

/** Latency of one scenario before and after: the result, and what it was calculated from. */
export interface LoadRegression {
  readonly scenario: string;
  readonly profile: string;
  readonly comparison: LoadComparison;
  readonly rows: readonly MeasuredRow[];
  readonly rule: LatencyRule;
  readonly unmeasured: readonly UnmeasuredRow[];
  /** Notes that do not change the answer. */
  readonly notes: readonly Finding[];
}

/**
 * Compares the runs of one scenario, which must have the same conditions; this is not checked here.
 *
 * The answer is slower if all endpoints together or any single endpoint is slower; otherwise faster if all together are
 * faster, same if p50 and p95 of all together are the same, and inconclusive in other cases.
 *
 * @param scenarios Number of scenarios that are compared together and share the probability of false alarms.
 */
export function compareLatency(
  before: readonly LoadRun[],
  after: readonly LoadRun[],
  rule: LatencyRule,
  scenarios = 1,
): LoadRegression {
  const { measured, unmeasured } = measureRows(before, after, rule, scenarios);
  const judged = measured.map((row) => ({ ...row, answer: answerTo(row.change, rule) }));
  const answer = judged.some((row) => row.answer === "slower") ? "slower" : answerOfWhole(judged);
  return {
    scenario: after[0]?.scenario ?? "",
    profile: after[0]?.profile ?? "",
    comparison: {
      answer,
      findings: [findingFor(answer, judged, rule)],
      runs: { before: before.length, after: after.length },
      endpoints: judged.map(({ endpoint, statistic, answer: own, change }) => ({
        endpoint,
        statistic,
        answer: own,
        before: change.before,
        after: change.after,
        change: change.change,
        low: change.low,
        high: change.high,
      })),
    },
    rows: measured,
    rule,
    unmeasured,
    notes: isInSequence(before, after) ? [{ code: "runs-in-sequence" }] : [],
  };
}

type RowAnswer = Exclude<LatencyAnswer, "refused">;
type JudgedRow = MeasuredRow & { readonly answer: RowAnswer };

function answerOfWhole(rows: readonly JudgedRow[]): RowAnswer {
  const answers = rows.filter(({ isWhole }) => isWhole).map(({ answer }) => answer);
  if (answers.length === 0) return "inconclusive";
  if (answers.includes("faster")) return "faster";
  return answers.every((answer) => answer === "same") ? "same" : "inconclusive";
}

const mostNamed = 4;

/** The finding that explains the answer. */
function findingFor(answer: RowAnswer, rows: readonly JudgedRow[], { minimumEffect }: LatencyRule): Finding {
  switch (answer) {
    case "slower":
    case "faster": {
      const found = rows.filter((row) => row.answer === answer);
      const changes = found
        .slice(0, mostNamed)
        .map(({ endpoint, statistic, change }) => ({ endpoint, statistic, change: change.change }));
      return { code: `latency-${answer}`, details: { changes, more: found.length - changes.length } };
    }
    case "same":
      return {
        code: "latency-same",
        expected: minimumEffect,
        details: { endpoint: rows[0]?.endpoint ?? "all" },
      };
    case "inconclusive": {
      const open = rows.find((row) => row.isWhole && row.answer === "inconclusive");
      return open === undefined ? { code: "latency-too-few-samples" } : undecided(open, minimumEffect);
    }
    default:
      return answer satisfies never;
  }
}

function undecided({ endpoint, statistic, change, leftOut }: MeasuredRow, minimumEffect: number): Finding {
  const { low, high, spread } = change;
  const needed = runsNeeded(spread, leftOut, Math.log1p(minimumEffect) / 2);
  return { code: "latency-undecided", details: { endpoint, statistic, low, high, runsNeeded: needed } };
}

/** Whether all runs after were made later than all runs before. Then a change of the machine looks like a change of the service. */
function isInSequence(before: readonly LoadRun[], after: readonly LoadRun[]): boolean {
  if (before.length < 2 || after.length < 2) return false;
  const starts = (runs: readonly LoadRun[]) => runs.map(({ startedAt }) => Date.parse(startedAt));
  const [first, second] = [starts(before), starts(after)];
  return Math.max(...first) < Math.min(...second) || Math.max(...second) < Math.min(...first);
}

/** The compared statistics, and the share of samples below each. */
const statistics = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
export type Statistic = keyof typeof statistics;

/** Statistics of all endpoints together. Not p99, which only the slowest endpoint would decide. */
const ofTheWhole: readonly Statistic[] = ["p50", "p95"];

/** Number of samples above a quantile that every run must have. With fewer, the quantile depends on single values. */
const leastBeyond = 5;

/** Name of the row for all kinds of request together. */
export const allEndpoints = "all";

/** One statistic of one endpoint, in the runs before and after. */
interface Row {
  readonly endpoint: string;
  readonly statistic: Statistic;
  readonly before: readonly RunValue[];
  readonly after: readonly RunValue[];
  /** Samples of the endpoint in all runs. */
  readonly samples: number;
}

/** A row with its interval, and the probability of a value outside it. */
export interface MeasuredRow extends Row {
  /** Represents the whole scenario: all endpoints together, or the only one with enough samples. */
  readonly isWhole: boolean;
  readonly change: Change;
  readonly leftOut: number;
}

/** A statistic with too few samples to be judged. */
interface UnmeasuredRow {
  readonly endpoint: string;
  readonly statistic: Statistic;
  /** Number of samples in the run with the fewest. */
  readonly samples: number;
  readonly needed: number;
}

interface Rows {
  readonly measured: readonly MeasuredRow[];
  readonly unmeasured: readonly UnmeasuredRow[];
}

/**
 * The rows of a comparison. The rows for all endpoints together get half of the probability of false alarms, so that a few
 * runs suffice to find a general slowdown. The rows of the single endpoints share the other half.
 *
 * @param scenarios Number of scenarios that are compared together and share the probability of false alarms.
 */
function measureRows(
  before: readonly LoadRun[],
  after: readonly LoadRun[],
  rule: LatencyRule,
  scenarios = 1,
): Rows {
  const random = randomLcg(rule.seed);
  const rows: Row[] = [];
  const unmeasured: UnmeasuredRow[] = [];
  for (const endpoint of endpointsOf([...before, ...after])) {
    for (const statistic of Object.keys(statistics) as Statistic[]) {
      const fewest = Math.min(...samplesOf([...before, ...after], endpoint));
      const needed = Math.ceil(leastBeyond / (1 - statistics[statistic]) - 1e-9);
      if (fewest < needed) {
        unmeasured.push({ endpoint, statistic, samples: fewest, needed });
        continue;
      }
      const values = (runs: readonly LoadRun[]) =>
        runs.map((run) => statisticOf(run, endpoint, statistic, rule, random));
      const samples = samplesOf([...before, ...after], endpoint).reduce((sum, count) => sum + count, 0);
      rows.push({ endpoint, statistic, before: values(before), after: values(after), samples });
    }
  }
  const whole = ofTheWhole.flatMap((statistic) => wholeRow(rows, statistic) ?? []);
  const single = rows.filter((row) => !whole.includes(row));
  const share = rule.falseAlarms / scenarios / (whole.length > 0 && single.length > 0 ? 2 : 1);
  const measure = (group: readonly Row[], isWhole: boolean) =>
    group.map((row) => {
      const leftOut = share / group.length;
      return { ...row, isWhole, leftOut, change: changeInterval(row.before, row.after, leftOut) };
    });
  return { measured: [...measure(whole, true), ...measure(single, false)], unmeasured };
}

/**
 * The row for all endpoints together: the mean of their logarithms, weighted by samples. A merged distribution is not used,
 * because its quantiles could jump from one endpoint to another. A single endpoint is its own whole; undefined without rows.
 */
function wholeRow(rows: readonly Row[], statistic: Statistic): Row | undefined {
  const parts = rows.filter((row) => row.statistic === statistic);
  if (parts.length < 2) return parts[0];
  const samples = parts.reduce((sum, row) => sum + row.samples, 0);
  const together = (when: "before" | "after"): RunValue[] =>
    (parts[0]?.[when] ?? []).map(({ run }, place) => {
      let sum = 0;
      let variance = 0;
      for (const row of parts) {
        const value = row[when][place];
        if (value === undefined) continue;
        const weight = row.samples / samples;
        sum += weight * logarithm(value.milliseconds);
        variance += (weight * value.samplingError) ** 2;
      }
      return { run, milliseconds: Math.exp(sum), samplingError: Math.sqrt(variance) };
    });
  return { endpoint: allEndpoints, statistic, before: together("before"), after: together("after"), samples };
}

function endpointsOf(runs: readonly LoadRun[]): string[] {
  const names = new Set(runs.flatMap(({ curves }) => curves.map(({ endpoint }) => endpoint)));
  const samples = (name: string) => samplesOf(runs, name).reduce((sum, count) => sum + count, 0);
  return [...names].sort((one, other) => samples(other) - samples(one) || one.localeCompare(other));
}

function samplesOf(runs: readonly LoadRun[], endpoint: string): number[] {
  return runs.map(({ curves }) => curves.find((curve) => curve.endpoint === endpoint)?.count ?? 0);
}

function statisticOf(
  { run, curves }: LoadRun,
  endpoint: string,
  statistic: Statistic,
  { resamples }: LatencyRule,
  random: () => number,
): RunValue {
  const curve = curves.find((each) => each.endpoint === endpoint);
  if (curve === undefined) throw new Error(`${run} has no ${endpoint}`);
  const share = statistics[statistic];
  return {
    run,
    milliseconds: quantile(curve, share),
    samplingError: samplingError(curve, share, resamples, random),
  };
}
