import { expect, test } from "vitest";
import { catalogFrom } from "../../scenarios/lib/catalog.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { plannedIterations, totalSeconds } from "../../scenarios/lib/schedule.ts";
import { type RunSummary, slices } from "../../scenarios/lib/summary.ts";
import { type JudgedLimit, limitsFor } from "../../scenarios/lib/thresholds.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, Threshold } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { K6Exit } from "../../scripts/load/k6-process.ts";
import { judgeLoad } from "../../scripts/load/rules.ts";
import { exampleExchange } from "./samples/example.ts";

/** The figures of a load run from which its verdict follows. Whatever is left out was as it should be. */
export interface RunFigures {
  /** Default: batch */
  readonly scenario?: ScenarioId;
  /** What differs from the profile `smoke`. */
  readonly profile?: Partial<Profile>;
  readonly limits?: Partial<Profile["thresholds"]>;
  /** How k6 ended. Default: with exit code 99 if it found a threshold crossed, else with 0. */
  readonly exit?: Partial<K6Exit>;
  /** Default: true */
  readonly hasSummary?: boolean;
  /** Metrics whose thresholds k6 found crossed. */
  readonly crossed?: readonly string[];
  /** Counters of the summary. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Shares of the summary: how often, of how many. */
  readonly shares?: Readonly<Record<string, readonly [count: number, total: number]>>;
  /** Other values of the summary. */
  readonly metrics?: RunSummary["metrics"];
  /** Of so many responses of the crossed metric, so many took twice the limit. */
  readonly slowest?: { readonly count: number; readonly total: number };
  /** Values over time, one for each period. Default: not recorded */
  readonly periods?: Periods | undefined;
  /** Resources that this machine ran out of. */
  readonly starved?: readonly Finding[];
  /** Share of this machine's CPU that was in use; at the end of a search. */
  readonly busy?: number;
  /** What was found in the responses that were kept. */
  readonly kept?: readonly Finding[];
}

type Column = readonly (number | null)[];
export interface Periods {
  /** Default: 1 */
  readonly seconds?: number;
  readonly rate: Column;
  readonly failed?: Column;
  readonly refused?: Column;
  readonly p95?: Column;
  readonly p99?: Column;
}

/** A finding, as much of it as is expected. */
export type JudgedFinding = { readonly code: Finding["code"] } & {
  readonly [Field in keyof Finding]?: unknown;
};

export type JudgedRow = readonly [
  title: string,
  figures: RunFigures,
  /** Verdict, codes of the findings, codes of the notes: `fail: failed-requests no-samples | machine-busy`. */
  outcome: `${LoadResult["verdict"]}${string}`,
  /** What some of the findings and notes say. */
  said?: readonly JudgedFinding[],
  /** What is said of thresholds, by metric. */
  thresholds?: Readonly<Record<string, { readonly [Key in keyof Threshold]?: unknown }>>,
];

/** One test for each row: its figures lead to exactly this verdict, these findings and these notes. */
export function testJudgement(rows: readonly JudgedRow[]): void {
  for (const [title, figures, outcome, said = [], thresholds = {}] of rows) {
    test(title, () => {
      const { verdict, findings, notes, ...judged } = judge(figures);
      const codes = (all: readonly Finding[], before: string) =>
        all.length === 0 ? "" : `${before} ${all.map(({ code }) => code).join(" ")}`;
      expect(`${verdict}${codes(findings, ":")}${codes(notes, " |")}`).toBe(outcome);
      const all = [...findings, ...notes];
      for (const one of said) expect(all.map((found) => pick(found, one))).toContainEqual(one);
      for (const [metric, expected] of Object.entries(thresholds)) {
        const found = judged.thresholds.filter((one) => one.metric === metric);
        expect(found.map((one) => pick(one, expected))).toContainEqual(expected);
      }
      expect(judged.thresholds.length > 0).toBe(figures.hasSummary !== false);
      const isCounted = Object.keys(figures.shares ?? {}).some((one) => one.startsWith("http_req_failed"));
      if (isCounted) expect(judged.failures?.total).toBeGreaterThan(0);
    });
  }
}

function pick<All extends object>(all: All, like: object): Partial<All> {
  const keys = Object.keys(like) as (keyof All)[];
  return Object.fromEntries(keys.map((key) => [key, all[key]])) as Partial<All>;
}

function judge(figures: RunFigures) {
  const { scenario = "batch", crossed = [], kept = [], periods } = figures;
  const { smoke } = profiles;
  const limits = { ...smoke.thresholds, ...figures.profile?.thresholds, ...figures.limits };
  const profile: Profile = { ...smoke, ...figures.profile, thresholds: limits };
  return judgeLoad({
    scenario,
    profileName: "test",
    profile,
    exit: { code: crossed.length > 0 ? 99 : 0, interrupted: false, reported: [], ...figures.exit },
    summary: figures.hasSummary === false ? undefined : summaryOf(figures, scenario, profile),
    starved: figures.starved ?? [],
    busy: figures.busy,
    evidence: kept.map((finding) => ({
      request: "batch",
      finding,
      exchange: exampleExchange({}, "/acme/1"),
    })),
    series: periods && seriesOf(periods),
  });
}

function summaryOf(figures: RunFigures, scenario: ScenarioId, profile: Profile): RunSummary {
  const { crossed = [], slowest, counts = {}, shares = {}, metrics } = figures;
  const limits = limitsFor(scenario, profile, catalogFrom(sampleFixtures()), 1);
  const unknown = crossed.filter((metric) => limits.every((one) => one.metric !== metric));
  if (unknown.length > 0) throw new Error(`The scenario ${scenario} has no limit for ${unknown.join(", ")}.`);
  return {
    scenario,
    profile: "test",
    seed: 1,
    plannedIterations: plannedIterations(profile.stages),
    // With as much for setup and teardown.
    durationMilliseconds: totalSeconds(profile.stages) * 2000,
    metrics: {
      load_began: { min: 0 },
      load_ended: { max: totalSeconds(profile.stages) * 1000 },
      target_responded_after: { value: 1, min: 1, max: 1 },
      "http_req_failed{name:retailers}": {
        passes: 0,
        fails: (counts.http_reqs ?? 0) - (counts.refusals ?? 0),
      },
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, { count }])),
      ...Object.fromEntries(
        Object.entries(shares).map(([name, [passes, total]]) => [
          name,
          { rate: passes / total, passes, fails: total - passes },
        ]),
      ),
      ...metrics,
    },
    thresholds: limits.map((limit): JudgedLimit => ({ ...limit, met: !crossed.includes(limit.metric) })),
    distributions: Object.fromEntries(
      slowest === undefined ? [] : crossed.map((metric) => [metric, distributionOf(slowest, profile)]),
    ),
  };
}

function distributionOf({ count, total }: { count: number; total: number }, profile: Profile) {
  const { p95Milliseconds } = profile.thresholds;
  // As k6, which interpolates.
  const valueAt = (place: number) => {
    const slowPart = Math.min(1, Math.max(0, ((total - 1) * place) / 100 - (total - count - 1)));
    return 10 + slowPart * 6 * p95Milliseconds;
  };
  return { count: total, slices: slices().map(valueAt) };
}

export function seriesOf({ seconds = 1, rate, failed, refused, p95, p99 }: Periods) {
  const column = (values: Column = []) => rate.map((_, place) => values[place] ?? 0);
  return {
    periodSeconds: seconds,
    seconds: rate.map((_, place) => (place + 1) * seconds),
    requestRate: [...rate],
    failedRate: column(failed),
    refusedRate: column(refused),
    latency: { p50: column(), p95: column(p95), p99: column(p99) },
  };
}
