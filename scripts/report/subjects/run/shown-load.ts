import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Threshold } from "../../../../schemas/contracts/threshold.ts";
import type { Waiver } from "../../../../schemas/contracts/waivers.ts";
import { requestLabel, scenarioLabel } from "../../../../schemas/scenarios.ts";
import { loadVerdictLabels, verdictLabels } from "../../../../schemas/verdicts.ts";
import { expectedThere } from "../../../../schemas/words/failures.ts";
import type { WordsContext } from "../../../../schemas/words/finding-words.ts";
import {
  counted,
  figure,
  grouped,
  milliseconds,
  oneIn,
  percent,
  perSecond,
  showsPercentile,
} from "../../../../schemas/words/format.ts";
import { findingFix, findingText } from "../../../../schemas/words/index.ts";
import { limitFigures, thresholdFigures, thresholdLabel } from "../../../../schemas/words/thresholds.ts";
import { loadTones, type Tone } from "../../tones.ts";
import { type EndpointRow, endpointRows } from "./endpoint-rows.ts";
import { textOf } from "./requirements.ts";

export interface ShownLoad {
  readonly result: LoadResult;
  /** `Lookup (smoke)`. */
  readonly name: string;
  /** `load.lookup.smoke`, the same in every run. */
  readonly id: string;
  readonly label: string;
  readonly tone: Tone;
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  /** Measured figures with their units. */
  readonly figures: LoadFigures;
  /** Endpoints with their latency and limits, worst first. */
  readonly endpoints: readonly EndpointRow[];
  readonly thresholds: readonly ShownThreshold[];
  /** Latency limits for the charts, each once. */
  readonly latencyLimits: readonly { readonly at: number; readonly label: string }[];
  /** Crossed limits on the target, grouped by kind. */
  readonly crossed: readonly CrossedLimits[];
  /** Reasons other than crossed limits. */
  readonly otherReasons: readonly string[];
  /** Invalid responses. */
  readonly invalid: readonly {
    readonly text: string;
    /** Expected content of the place. */
    readonly expected: string | undefined;
    readonly exchange: Evidence;
    /** The exchange of another organization that overlapped with it, if there was one. */
    readonly overlapping: Evidence | undefined;
  }[];
}

export interface CrossedLimits {
  readonly code: Finding["code"];
  readonly fix: string | undefined;
  readonly limits: readonly {
    /** Index in `thresholds`. */
    readonly at: number;
    readonly name: string;
    /** What was wrong with the first invalid response. */
    readonly example: string | undefined;
  }[];
}

/** A limit and its measured value, in words. */
export interface ShownThreshold {
  /** `Batch lookup, p95`. */
  readonly name: string;
  /** `at most 500 ms`. */
  readonly limit: string;
  /** `115 ms, limit 5 ms`. */
  readonly figures: string;
  /** Name of the metric in k6. */
  readonly metric: string;
  readonly verdict: "passed" | "failed" | "waived" | "not judged";
  /** Whether the table of endpoints has a cell for it. */
  readonly ofEndpoint: boolean;
  /** A crossed limit on the run itself says nothing about the target. */
  readonly guards: Threshold["guards"];
  readonly waiver: Waiver | undefined;
}

/** Figures that were not measured, or from too few samples, are omitted. */
export interface LoadFigures {
  /** `1,204`, for a column of requests. */
  readonly requests: string;
  /** `1,204 requests`, for a sentence. */
  readonly sent: string;
  readonly rate?: string;
  readonly median?: string;
  readonly p95?: string;
  readonly p99?: string;
  readonly failed?: string;
  /** The rate limit that the run found, or the rate at which the target exceeded its limits. */
  readonly limit?: string;
  readonly refused: string;
  readonly checked: string;
}

/** Puts a load run into words. */
export function shownLoad(measured: LoadResult, words: WordsContext): ShownLoad {
  const thresholds = measured.thresholds.map((one) => (isVoid(one, measured) ? withoutVerdict(one) : one));
  const result = { ...measured, thresholds };
  const { scenario, profile, verdict, findings, notes, evidence = [] } = result;
  const shown = thresholds.map(shownThreshold);
  const exampleOf = (code: string, request: string | undefined): string | undefined => {
    const found =
      code === "invalid-responses" ? evidence.find((one) => one.request === request)?.finding : undefined;
    return found && findingText(found, words);
  };
  const crossed = [...Map.groupBy(findings, ({ code }) => code)].flatMap(([code, [first]]) => {
    const limits = shown.flatMap(({ name, verdict, guards }, at) =>
      limitCodes.has(code) && thresholds[at]?.crossing === code && verdict === "failed" && guards === "target"
        ? [{ at, name, example: exampleOf(code, thresholds[at]?.request) }]
        : [],
    );
    return first === undefined || limits.length === 0
      ? []
      : [{ code, fix: findingFix(first, words), limits }];
  });
  const factOf = (finding: Finding): string => {
    const example = exampleOf(finding.code, finding.subject);
    return `${findingText(finding, words)}${example === undefined ? "" : ` For example: ${example}`}`;
  };
  const reasonsOf = (all: readonly Finding[]): string[] =>
    adviceOnce(all.map((finding) => ({ fact: factOf(finding), fix: findingFix(finding, words) })));
  return {
    result,
    name: `${scenarioLabel(scenario)} (${profile})`,
    id: `load.${scenario}.${profile}`,
    label: loadVerdictLabels[verdict],
    tone: verdict === "pass" && shown.some((one) => one.verdict === "waived") ? "notice" : loadTones[verdict],
    reasons: reasonsOf(findings),
    notes: notes.map((finding) => textOf([finding], words)),
    figures: figuresOf(result),
    endpoints: endpointRows(result),
    thresholds: shown,
    latencyLimits: latencyLimits(thresholds),
    crossed,
    otherReasons: reasonsOf(findings.filter(({ code }) => !crossed.some((limits) => limits.code === code))),
    invalid: evidence.map(({ request, finding, exchange, overlapping }) => ({
      text: `${requestLabel(request)}: ${findingText(finding, words)}`,
      expected: expectedThere(finding),
      exchange,
      overlapping,
    })),
  };
}

/** Whether a limit on the target says nothing, because the load was not generated as planned. */
function isVoid({ guards }: Threshold, { verdict }: LoadResult): boolean {
  return verdict === "invalid" && guards !== "run";
}

function withoutVerdict(threshold: Threshold): Threshold {
  const { waiver: _, ...rest } = threshold;
  return { ...rest, guards: "target", met: false, notJudged: { samples: 0, needed: 0 } };
}

/** Facts as sentences. Advice that several of them share follows the last one. */
function adviceOnce(found: readonly { readonly fact: string; readonly fix: string | undefined }[]): string[] {
  return found.map(({ fact, fix }, at) => {
    const isRepeated = found.slice(at + 1).some((later) => later.fix === fix);
    return fix === undefined || isRepeated ? fact : `${fact} ${fix}`;
  });
}

/** One line for equal limits; where they differ, each names its endpoint. */
function latencyLimits(thresholds: readonly Threshold[]): ShownLoad["latencyLimits"] {
  const limits = thresholds.filter(({ crossing }) => crossing === "latency-over-limit");
  const byStatistic = [...Map.groupBy(limits, ({ statistic }) => statistic)];
  return byStatistic.flatMap(([statistic, group]) => {
    const values = [...Map.groupBy(group, ({ limit }) => limit)];
    return values.map(([limit, [first, ...alike]]) => {
      const own = values.length > 1 && alike.length === 0 && first !== undefined;
      return { at: limit, label: `${own ? thresholdLabel(first) : statistic} limit ${milliseconds(limit)}` };
    });
  });
}

const limitCodes: ReadonlySet<string> = new Set([
  "latency-over-limit",
  "failed-requests",
  "invalid-responses",
]);

/** A limit with its verdict, in words. */
function shownThreshold(threshold: Threshold): ShownThreshold {
  const { metric, met, guards, waiver, notJudged } = threshold;
  return {
    name: thresholdLabel(threshold),
    limit: limitFigures(threshold),
    figures: thresholdFigures(threshold),
    metric,
    // Reaching a limit that the profile searches for is no failure.
    verdict:
      met || guards === "search"
        ? loadVerdictLabels.pass
        : notJudged !== undefined
          ? verdictLabels.inconclusive
          : waiver === undefined
            ? loadVerdictLabels.fail
            : "waived",
    ofEndpoint: threshold.request !== undefined && limitCodes.has(threshold.crossing),
    guards,
    waiver,
  };
}

function figuresOf(result: LoadResult): LoadFigures {
  const { metrics, retryAfter, validated } = result;
  const { http_reqs: requests, http_req_duration: latency = {}, http_req_failed: failed } = metrics;
  const samples = failed?.fails ?? requests?.count ?? 0;
  const figures = {
    rate: requests?.rate === undefined ? undefined : perSecond(requests.rate),
    median: latency.med === undefined ? undefined : milliseconds(latency.med),
    p95: percentile(95),
    p99: percentile(99),
    failed: failed?.rate === undefined ? undefined : oneIn(failed.rate),
    limit: foundLimit(result),
  };
  return {
    requests: requests?.count === undefined ? "none" : grouped(requests.count),
    sent: requests?.count === undefined ? "no requests" : counted(requests.count, "request"),
    ...(Object.fromEntries(Object.entries(figures).filter(([, text]) => text !== undefined)) as Partial<
      Record<keyof typeof figures, string>
    >),
    refused: refusals(retryAfter),
    checked: validation(validated),
  };

  function percentile(at: number): string | undefined {
    const value = latency[`p(${at})`];
    return value === undefined || !showsPercentile(at, samples) ? undefined : milliseconds(value);
  }
}

/** The limit that a run searched for, or reached. */
function foundLimit({ rateLimit, findings, notes, verdict }: LoadResult): string | undefined {
  if (verdict === "invalid") return undefined;
  const { limit, highestRate } = rateLimit ?? {};
  if (limit !== undefined)
    return `rate limit ${perSecond(limit.perSecond)} (${figure(limit.low)} to ${figure(limit.high)})`;
  if (rateLimit?.mode === "probe" && highestRate !== undefined)
    return (rateLimit.retryAfter?.tried ?? 0) > 0
      ? "rate limit reached, but not estimated"
      : `no rate limit up to ${perSecond(highestRate)}`;
  for (const { code, actual } of [...findings, ...notes]) {
    if (typeof actual !== "number") continue;
    if (code === "capacity-reached") return `exceeded its limits at ${perSecond(actual)}`;
    if (code === "capacity-not-reached") return `within limits up to ${perSecond(actual)}`;
    if (code === "rate-limit-reached" && actual > 0) return `rate limit reached at ${perSecond(actual)}`;
  }
  return undefined;
}

function refusals({ refused, withRetryAfter, longestSeconds }: LoadResult["retryAfter"]): string {
  if (refused === 0) return "none";
  const longest = longestSeconds === undefined ? "" : `, longest wait ${grouped(longestSeconds)} s`;
  return `${grouped(refused)} (${grouped(withRetryAfter)} with Retry-After${longest})`;
}

function validation({ answers, invalid, undetectedShareBound }: LoadResult["validated"]): string {
  const bound =
    undetectedShareBound === undefined
      ? ""
      : ` (an error rate up to ${percent(undetectedShareBound)} could still go unseen)`;
  return `${counted(answers, "response")} checked, ${grouped(invalid)} invalid${bound}`;
}
