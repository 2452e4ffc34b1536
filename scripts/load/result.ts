import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { guardOf } from "../../scenarios/lib/thresholds.ts";
import { rateLimitMode } from "../../scenarios/lib/workload.ts";
import type { LoadResult, Profile } from "../../schemas/types.ts";
import type { Judgement } from "./judge.ts";
import { mergeTrend } from "./merge.ts";
import { percentileCurves } from "./percentile-curves.ts";
import { rateLimitNotes, rateLimitResult } from "./rate-limit-result.ts";
import type { GeneratorUse } from "./resources.ts";
import type { LoadSeries } from "./series.ts";

type Values = Readonly<Record<string, number>>;

/** What was seen beside the summary. */
export interface Seen {
  readonly evidence?: readonly NonNullable<LoadResult["evidence"]>[number][];
  readonly uses?: readonly GeneratorUse[];
  readonly series?: LoadSeries | undefined;
}

/** What was run. */
export interface RunName {
  readonly scenario: string;
  readonly profileName: string;
  readonly profile: Profile;
}

/** Turns a run's summary and verdict into the load part of the results. */
export function loadResult(
  { scenario, profileName, profile }: RunName,
  { verdict, reasons }: Judgement,
  summary: RunSummary | undefined,
  { evidence = [], uses = [], series }: Seen,
): LoadResult {
  const rateLimit =
    scenario === "rate-limit" && summary !== undefined
      ? rateLimitResult(rateLimitMode(profile), summary)
      : undefined;
  const metrics = summary?.metrics ?? {};
  const invalid = sum(metrics, "answers_invalid{", "passes");
  const answers = invalid + sum(metrics, "answers_invalid{", "fails");
  const refused = metrics.refusals?.count ?? 0;
  const longest = metrics.retry_after_seconds?.max;
  return {
    scenario,
    profile: profileName,
    verdict,
    reasons,
    notes: [
      ...(summary === undefined ? [] : notesOn(summary)),
      ...(rateLimit === undefined ? [] : rateLimitNotes(rateLimit)),
    ],
    thresholds: (summary?.thresholds ?? []).map((threshold) => ({
      ...threshold,
      guards: guardOf(threshold.metric),
    })),
    metrics: { ...(summary === undefined ? {} : shownMetrics(summary)), ...generatorMetrics(uses) },
    retryAfter: {
      refused,
      withRetryAfter: refused - (metrics.refusals_malformed?.count ?? 0),
      ...(refused === 0 || longest === undefined ? {} : { longestSeconds: longest }),
    },
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(series === undefined ? {} : { series }),
    ...(summary === undefined ? {} : { percentiles: percentileCurves(summary) }),
    ...(evidence.length === 0 ? {} : { evidence: [...evidence] }),
    validated: {
      answers,
      invalid,
      // The rule of three: with no failure in n, the 95 % upper bound of the share is 3/n.
      ...(invalid > 0 || answers === 0 ? {} : { undetectedShareBound: Math.min(1, 3 / answers) }),
    },
  };
}

/** What the k6 processes used in all. */
function generatorMetrics(uses: readonly GeneratorUse[]): LoadResult["metrics"] {
  if (uses.length === 0) return {};
  const sum = (pick: (use: GeneratorUse) => number) => uses.reduce((total, use) => total + pick(use), 0);
  return {
    generator: {
      cpuSeconds: sum((use) => use.cpuSeconds),
      memoryBytes: sum((use) => use.memoryBytes),
      saturatedShare: Math.max(...uses.map((use) => use.saturatedShare)),
    },
  };
}

const ours =
  /^(http_reqs\{|http_req_duration\{name|http_req_failed|iterations|dropped_iterations|schedule_lag|exceptions|answers_|checks_begun|unanswered|refusals|retry_after|withheld|chain_|walks_|products_|cursors_|limit_|polite_|probe_)/;

/**
 * The metrics that a report shows. Those of all requests together are made from the scenario's own
 * endpoints, so that neither the question before the run nor a 429 is in them.
 */
function shownMetrics({ metrics, distributions, durationMilliseconds }: RunSummary): LoadResult["metrics"] {
  const shown = Object.fromEntries(Object.entries(metrics).filter(([name]) => ours.test(name)));
  const failed = sum(metrics, "http_req_failed{", "passes");
  const good = sum(metrics, "http_req_failed{", "fails");
  const count = failed + good;
  return {
    ...shown,
    http_reqs: { count, rate: durationMilliseconds === 0 ? 0 : (count * 1000) / durationMilliseconds },
    http_req_failed: {
      rate: failed + good === 0 ? 0 : failed / (failed + good),
      passes: failed,
      fails: good,
    },
    ...overallDuration(metrics, distributions),
  };
}

/** Latency of the good answers of all endpoints, from their histograms together. */
function overallDuration(
  metrics: RunSummary["metrics"],
  distributions: RunSummary["distributions"],
): LoadResult["metrics"] {
  const names = Object.keys(distributions).filter((name) =>
    /^http_req_duration\{name:.*,status:200\}$/.test(name),
  );
  if (names.length === 0) return { http_req_duration: {} };
  const values = names.map((name) => metrics[name] ?? {});
  const parts = names.map((name) => distributions[name]).filter((part) => part !== undefined);
  const count = values.reduce((total, each) => total + (each.count ?? 0), 0);
  return { http_req_duration: { ...mergeTrend(values, parts, count).values } };
}

function sum(metrics: Readonly<Record<string, Values>>, prefix: string, value: string): number {
  return Object.entries(metrics)
    .filter(([name]) => name.startsWith(prefix))
    .reduce((total, [, values]) => total + (values[value] ?? 0), 0);
}

function notesOn({ metrics }: RunSummary): string[] {
  const withheld = metrics.withheld?.count ?? 0;
  const cut = metrics.walks_cut?.count ?? 0;
  const ended = metrics.walks_ended?.count ?? 0;
  const repeated = metrics.products_repeated?.count ?? 0;
  return [
    ...(withheld > 0
      ? [
          `${withheld} iterations got no answer, because a 429 asked for too long a wait or came too often: lower the rate`,
        ]
      : []),
    ...(cut > 0 && ended === 0
      ? ["no walk came to the end in time: a longer run measures whole chains"]
      : []),
    ...sampledNotes(metrics),
    ...(repeated > 0 ? [`${repeated} products came again later in the same walk`] : []),
  ];
}

/** Says of which endpoints not every answer was held against its schema. */
function sampledNotes(metrics: RunSummary["metrics"]): string[] {
  return Object.entries(metrics).flatMap(([metric, { passes = 0, fails = 0 }]) => {
    const name = /^http_req_failed\{name:([^,]*)\}$/.exec(metric)?.[1];
    const checked = metrics[`answers_invalid{name:${name}}`];
    const held = (checked?.passes ?? 0) + (checked?.fails ?? 0);
    const answered = passes + fails - (metrics.unanswered?.count ?? 0);
    return name === undefined || held >= answered || held === 0
      ? []
      : [`${name}: ${held} of ${answered} answers held against the schema, as sampled`];
  });
}
