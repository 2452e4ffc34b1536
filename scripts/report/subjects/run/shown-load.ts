import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { CrossingFinding, Finding, SaidFinding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Threshold } from "../../../../schemas/contracts/threshold.ts";
import { requestLabel, scenarioLabel } from "../../../../schemas/scenarios.ts";
import { loadVerdictLabels } from "../../../../schemas/verdicts.ts";
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
import { wordsOf } from "../../../../schemas/words/index.ts";
import { crossingWords, exceededTogether } from "../../../../schemas/words/load.ts";
import { thresholdLabel } from "../../../../schemas/words/thresholds.ts";
import { loadTones, type Tone } from "../../tones.ts";
import {
  type EndpointRow,
  endpointRows,
  nearestFirst,
  type ShownThreshold,
  shownThreshold,
} from "./endpoint-rows.ts";
import { textOf } from "./requirements.ts";

export interface ShownLoad {
  readonly result: LoadResult<SaidFinding>;
  /** `Lookup (smoke)`. */
  readonly name: string;
  /** `load.lookup.smoke`, the same in every run. */
  readonly id: string;
  readonly label: string;
  readonly tone: Tone;
  /** Why the verdict is not passed; the same limit of several kinds of request is one reason. */
  readonly found: readonly { readonly text: string; readonly fix: string | undefined }[];
  /** The same, each with its fix. */
  readonly reasons: readonly string[];
  /** Reasons other than exceeded limits. */
  readonly otherReasons: readonly string[];
  readonly notes: readonly string[];
  /** Measured figures with their units. */
  readonly figures: LoadFigures;
  /** Endpoints with their latency and limits, worst first. */
  readonly endpoints: readonly EndpointRow[];
  readonly thresholds: readonly ShownThreshold[];
  /** Exceeded limits of latency, failed and invalid responses, the one exceeded by most first. */
  readonly exceeded: readonly ShownThreshold[];
  /** Latency limits for the charts, each once. */
  readonly latencyLimits: readonly { readonly at: number; readonly label: string }[];
  /** Invalid responses. */
  readonly invalid: readonly {
    readonly text: string;
    /** Kind of request. */
    readonly request: string;
    /** Expected content of the place. */
    readonly expected: string | undefined;
    readonly exchange: Evidence;
    /** The exchange of another organization that overlapped with it, if there was one. */
    readonly overlapping: Evidence | undefined;
  }[];
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
  /** `none`, `1 in 60 (1.7 %)`. */
  readonly failed?: string;
  /** The rate limit that the run found, or the rate at which the target exceeded its limits. */
  readonly limit?: string;
  readonly refused: string;
  readonly checked: string;
}

/** Puts a load run into words. */
export function shownLoad(measured: LoadResult<SaidFinding>): ShownLoad {
  const thresholds = measured.thresholds.map((one) => (isVoid(one, measured) ? withoutVerdict(one) : one));
  const result = { ...measured, thresholds };
  const { scenario, profile, verdict, findings, notes, evidence = [] } = result;
  const shown = thresholds.map((one) => shownThreshold(one, result));
  const failed = shown.filter((one) => one.verdict === "failed" && one.threshold.guards === "target");
  const isStated = (finding: Finding) => failed.some(({ threshold }) => crosses(finding, threshold));
  const invalid = evidence.map(({ request, finding, exchange, overlapping }) => ({
    text: `${requestLabel(request)}: ${finding.message}`,
    request,
    expected: finding.expectedThere,
    exchange,
    overlapping,
  }));
  const foundOf = (all: readonly SaidFinding[]): ShownLoad["found"] =>
    [...Map.groupBy(all, sameLimit).values()].flatMap((alike) => {
      const [first] = alike;
      if (first === undefined) return [];
      const kinds = alike.map(({ subject }) => subject);
      const example =
        first.code === "invalid-responses"
          ? evidence.find(({ request }) => kinds.includes(request))
          : undefined;
      const text = alike.length === 1 ? first.message : exceededTogether(alike.filter(isOfLimit));
      const shownBy = example === undefined ? "" : ` For example: ${example.finding.message}`;
      return [{ text: `${text}${shownBy}`, fix: first.fix }];
    });
  const found = foundOf(findings);
  return {
    result,
    name: `${scenarioLabel(scenario)} (${profile})`,
    id: `load.${scenario}.${profile}`,
    label: loadVerdictLabels[verdict],
    tone: verdict === "pass" && shown.some((one) => one.verdict === "waived") ? "notice" : loadTones[verdict],
    found,
    reasons: found.map(reasonText),
    otherReasons: foundOf(findings.filter((finding) => !isStated(finding))).map(reasonText),
    notes: notes.map(textOf),
    figures: figuresOf(result),
    endpoints: endpointRows(result, shown),
    thresholds: shown,
    exceeded: failed
      .filter(({ threshold }) => crossingWords[threshold.crossing].isOfEachRequest)
      .toSorted(nearestFirst),
    latencyLimits: latencyLimits(thresholds),
    invalid,
  };
}

function reasonText({ text, fix }: ShownLoad["found"][number]): string {
  return fix === undefined ? text : `${text} ${fix}`;
}

function isOfLimit<F extends Finding>(finding: F): finding is F & CrossingFinding {
  return wordsOf(finding).isOfEachRequest === true;
}

/** Findings of the same limit for several kinds of request, blamed on the same, get the same key. */
function sameLimit(finding: Finding): unknown {
  return isOfLimit(finding) && finding.subject !== undefined
    ? `${finding.code} ${finding.details?.statistic} ${finding.details?.lateMilliseconds}`
    : finding;
}

function crosses(finding: Finding, { crossing, request, statistic }: Threshold): boolean {
  return (
    crossing === finding.code &&
    request === finding.subject &&
    (finding.details?.statistic ?? statistic) === statistic
  );
}

/** Whether a limit on the target says nothing, because the load was not generated as planned. */
function isVoid({ guards }: Threshold, { verdict }: LoadResult): boolean {
  return verdict === "invalid" && guards !== "run";
}

function withoutVerdict(threshold: Threshold): Threshold {
  const { waiver: _, ...rest } = threshold;
  return { ...rest, guards: "target", met: false, notJudged: { samples: 0, needed: 0 } };
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

function figuresOf(result: LoadResult): LoadFigures {
  const { metrics, retryAfter, validated } = result;
  const { http_reqs: requests, http_req_duration: latency = {}, http_req_failed: failed } = metrics;
  const samples = failed?.fails ?? requests?.count ?? 0;
  const figures = {
    rate: requests?.rate === undefined ? undefined : perSecond(requests.rate),
    median: latency.med === undefined ? undefined : milliseconds(latency.med),
    p95: percentile(95),
    p99: percentile(99),
    failed: failed?.rate === undefined ? undefined : failed.rate === 0 ? "none" : oneIn(failed.rate),
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
