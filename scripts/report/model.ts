import type { Verdict } from "../../conformance/engine/verdict.ts";
import { quotes } from "../../conformance/requirements/quotes.ts";
import { requestLabel, scenarioLabel } from "../../schemas/scenarios.ts";
import type {
  CheckResult,
  Drift,
  Evidence,
  Finding,
  LoadComparison,
  LoadResult,
  RequirementResult,
  Results,
  Threshold,
  Waiver,
  WaiverResult,
} from "../../schemas/types.ts";
import {
  type Cause,
  causes,
  comparisonLabels,
  driftLabels,
  loadVerdictLabels,
  runLabel,
  verdictLabels,
  waiverLabels,
} from "../../schemas/verdicts.ts";
import { requestName } from "../../schemas/words/comparison.ts";
import { driftSubject, driftText, waiverFix } from "../../schemas/words/contract.ts";
import { expectedThere } from "../../schemas/words/failures.ts";
import { defaultWords, type WordsContext } from "../../schemas/words/finding-words.ts";
import {
  capitalized,
  change,
  counted,
  figure,
  grouped,
  listed,
  milliseconds,
  oneIn,
  percent,
  perSecond,
  showsPercentile,
} from "../../schemas/words/format.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { limitFigures, thresholdFigures, thresholdLabel } from "../../schemas/words/load.ts";
import { howOften, pattern } from "../../schemas/words/occurrence.ts";
import { causeOf } from "../run/judgement.ts";
import { type EndpointRow, endpointRows } from "./endpoint-rows.ts";
import { type CauseGroup, notJudgedCauses } from "./not-judged.ts";
import { loadTones, runTones, type Tone } from "./tones.ts";

/** What every format shows of a run: verdicts, counts and words are made here, once. */
export interface Report {
  readonly results: Results;
  /** The run as commands name it. */
  readonly run: string;
  /** What decided the run, in a word or two: `not conformant`, `waiver stale`. */
  readonly label: string;
  readonly tone: Tone;
  readonly cause: Cause;
  /** The deciding cause as a sentence. */
  readonly why: string;
  /** What else there is to know, as a sentence; undefined when nothing else is wrong. */
  readonly also: string | undefined;
  /** Requests that got no response, as a sentence; undefined when each got one. Part of `also`. */
  readonly lost: string | undefined;
  /** The first three findings behind the cause. */
  readonly top: readonly TopFinding[];
  /** The command to run next. */
  readonly next: string | undefined;
  /** What to do about the verdict, the first thing first. */
  readonly steps: readonly Step[];
  /** Said large, where the run judged no service of the user's. */
  readonly notice: string | undefined;
  /** What to know of what was named for the run, whatever its verdict: a category that shows nothing, and what that costs. */
  readonly warnings: readonly string[];
  /** Number of requirements by verdict. */
  readonly summary: Results["summary"];
  /** `8 requirements: 1 failed, 7 passed`. */
  readonly counts: string;
  /** A MUST failed, or a check ended in an error. */
  readonly failed: readonly ShownRequirement[];
  readonly warned: readonly ShownRequirement[];
  /** Failed or not judged, and accepted for a time. */
  readonly waived: readonly ShownRequirement[];
  readonly notJudged: readonly ShownRequirement[];
  /** Those of them that the config excuses: they do not make the run incomplete. */
  readonly excused: readonly ShownRequirement[];
  readonly notJudgedCauses: readonly NotJudgedCause[];
  /** Every requirement, by the sections of the spec. */
  readonly sections: readonly ReportSection[];
  readonly load: readonly ShownLoad[];
  readonly drift: ShownDrift | undefined;
  /** Those that fail the run first. */
  readonly waivers: readonly ShownWaiver[];
}

/** Something to do, and the command that does it. */
export interface Step {
  readonly text: string;
  readonly command?: string;
}

export interface TopFinding {
  readonly id: string;
  readonly text: string;
}

export interface ShownRequirement extends Omit<RequirementResult, "checks"> {
  readonly text: string;
  /** The words of the spec behind it; undefined for a requirement of another version. */
  readonly quote: string | undefined;
  /** The command that asks again, once it is fixed. */
  readonly replay: string;
  readonly checks: readonly ShownCheck[];
  /** The checks that have something to tell: those that neither passed nor do not apply. */
  readonly reported: readonly ShownCheck[];
}

export interface ShownCheck extends Omit<CheckResult, "findings"> {
  /** What was found, in words. */
  readonly text: string;
  /** The same, finding by finding. */
  readonly parts: readonly string[];
  readonly found: readonly ShownFinding[];
  /** ` (failed in 2 of 5 attempts)`, to stand after the text; empty mostly. */
  readonly remarks: string;
}

/** One fact, in words, with what shows it. */
export interface ShownFinding {
  readonly text: string;
  readonly fix: string | undefined;
  /** `66 of 258 responses (25.6 %)`. */
  readonly often: string | undefined;
  /** Where it was seen and where not. */
  readonly pattern: readonly string[];
  /** What should stand in the place that it names. */
  readonly expected: string | undefined;
  /** Path, expected and actual, and which exchanges show it. */
  readonly data: Finding;
}

export type NotJudgedCause = CauseGroup<ShownRequirement>;

export interface ReportSection {
  readonly name: string;
  readonly requirements: readonly ShownRequirement[];
  /** Number of requirements by verdict, in the order of concern, without those that are none. */
  readonly counts: readonly (readonly [Verdict, number])[];
  /** `1 failed, 7 passed`. */
  readonly text: string;
}

export interface ShownLoad {
  readonly result: LoadResult;
  /** `Lookup (smoke)`. */
  readonly name: string;
  /** `load.lookup.smoke`: stable over runs. */
  readonly id: string;
  readonly label: string;
  readonly tone: Tone;
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  /** What was measured, with its unit. */
  readonly figures: LoadFigures;
  /** Kinds of request with their latency and limits, worst first. */
  readonly endpoints: readonly EndpointRow[];
  readonly thresholds: readonly ShownThreshold[];
  /** The limits of latency, each once, for the charts. */
  readonly latencyLimits: readonly { readonly at: number; readonly label: string }[];
  /** The limits on the target that were crossed, by what to do about them; `at` is the place in `thresholds`. */
  readonly crossed: readonly CrossedLimits[];
  /** What else decided the verdict. */
  readonly otherReasons: readonly string[];
  /** Responses that broke a rule. */
  readonly invalid: readonly { readonly text: string; readonly exchange: Evidence }[];
  readonly comparison: ShownComparison | undefined;
}

export interface CrossedLimits {
  readonly fix: string | undefined;
  readonly limits: readonly { readonly at: number; readonly name: string }[];
}

/** A limit, with what was measured in words. */
export interface ShownThreshold {
  /** `Batch lookup, p95`. */
  readonly name: string;
  /** `at most 500 ms`. */
  readonly limit: string;
  /** `115 ms, limit 5 ms`. */
  readonly figures: string;
  /** As k6 names it. */
  readonly metric: string;
  readonly verdict: "passed" | "failed" | "waived" | "not judged";
  /** It has its cell in the table of endpoints. */
  readonly ofEndpoint: boolean;
  /** A limit on the run itself says, when it fails, nothing about the target. */
  readonly guards: Threshold["guards"];
  readonly waiver: Waiver | undefined;
}

/** Left out what was not measured, or by too few samples. */
export interface LoadFigures {
  readonly requests: string;
  readonly rate?: string;
  readonly median?: string;
  readonly p95?: string;
  readonly p99?: string;
  readonly failed?: string;
  /** The rate limit, or the rate at which the target gave way, where the run found one. */
  readonly limit?: string;
  readonly refused: string;
  readonly checked: string;
}

export interface ShownComparison {
  readonly answer: LoadComparison["answer"];
  readonly label: string;
  readonly text: string;
  readonly runs: LoadComparison["runs"];
  readonly rows: readonly ComparedRow[];
}

export interface ComparedRow {
  readonly id: string;
  readonly endpoint: string;
  readonly statistic: string;
  readonly answer: LoadComparison["answer"];
  readonly label: string;
  readonly before: string;
  readonly after: string;
  readonly change: string;
  readonly interval: string;
  readonly text: string;
}

export interface ShownDrift {
  readonly since: string;
  /** What breaks clients first. */
  readonly changes: readonly ShownChange[];
}

export interface ShownChange extends Pick<Drift, "rank" | "rule"> {
  readonly kind: Drift["kind"];
  readonly label: string;
  /** What changed, in a few words. */
  readonly subject: string;
  readonly text: string;
}

export interface ShownWaiver {
  readonly waiver: WaiverResult["waiver"];
  readonly state: WaiverResult["state"];
  readonly label: string;
  readonly fix: string | undefined;
}

/** What the report says beside the results. */
export interface ReportOptions {
  /** The run as commands name it. Default: latest */
  readonly run?: string;
}

/** Makes the report of a run; every format renders this value and nothing else. */
export function reportOf(results: Results, { run = "latest" }: ReportOptions = {}): Report {
  const { keyVariables = defaultWords.keyVariables } = results.target;
  const words: WordsContext = { keyVariables };
  const requirements = results.requirements.map((requirement) => shownRequirement(requirement, words, run));
  const having = (...verdicts: Verdict[]) => requirements.filter(({ verdict }) => verdicts.includes(verdict));
  const isWaived = ({ checks }: ShownRequirement) => checks.some(({ waiver }) => waiver !== undefined);
  const cause = causeOf(results);
  const isExcused = ({ excused }: ShownRequirement) => excused !== undefined;
  const notJudged = having("inconclusive").toSorted((a, b) => Number(isExcused(a)) - Number(isExcused(b)));
  const excused = notJudged.filter(isExcused);
  const parts = {
    results,
    cause,
    summary: summaryOf(requirements),
    failed: [...having("fail"), ...having("error")],
    warned: having("warn").filter((requirement) => !isWaived(requirement)),
    waived: having("warn").filter(isWaived),
    notJudged,
    excused,
    notJudgedCauses: notJudgedCauses(notJudged),
    sections: sectionsOf(requirements),
    load: results.load.map((result) => shownLoad(result, words)),
    drift: shownDrift(results.drift),
    waivers: shownWaivers(results.waivers ?? []),
  };
  const { scope, requests } = results;
  const lost = requests.lost && findingText(requests.lost, words);
  const all = counted(scope?.of ?? requirements.length, "requirement");
  const selected = scope === undefined ? all : `${grouped(requirements.length)} of ${all}`;
  return {
    ...parts,
    run,
    label: runLabel(cause, results),
    tone: runTones[causes[cause].verdict],
    why: whyOf(parts),
    also: [alsoOf(parts), lost].filter((sentence) => sentence !== undefined).join(" ") || undefined,
    lost,
    top: topOf(parts).slice(0, 3),
    next: nextOf(parts, run),
    steps: stepsOf(parts, run),
    notice:
      results.target.builtIn === true
        ? "This run judged the reference service built into shelfcheck. Your own service was not tested."
        : undefined,
    warnings: warningsOf(parts, words),
    counts: `${selected}: ${countsText(countsOf(requirements), excused.length)}`,
  };
}

type Parts = Omit<
  Report,
  | "run"
  | "label"
  | "tone"
  | "why"
  | "also"
  | "lost"
  | "top"
  | "next"
  | "steps"
  | "notice"
  | "warnings"
  | "counts"
>;

function shownRequirement(
  { checks, ...requirement }: RequirementResult,
  words: WordsContext,
  run: string,
): ShownRequirement {
  const shown = checks.map((check) => shownCheck(check, words));
  const reported = shown.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable");
  const deciding = shown.filter(({ verdict }) => verdict === requirement.verdict);
  const text = [...new Set(deciding.map((check) => check.text))].filter((one) => one !== "").join(" ");
  const { id } = requirement;
  const quote = Object.hasOwn(quotes, id) ? quotes[id] : undefined;
  return { ...requirement, text, quote, replay: `shelfcheck replay ${run} ${id}`, checks: shown, reported };
}

function shownCheck({ findings, ...check }: CheckResult, words: WordsContext): ShownCheck {
  const { attempts, excused } = check;
  // Of what the target will never have, advice how to get it would be none.
  const parts = findings.map((finding) =>
    excused === undefined
      ? textOf([finding], words)
      : `${findingText(finding, words)} Excused: \`optional\` in the config lists ${excused}.`,
  );
  return {
    ...check,
    text: parts.join(" "),
    parts,
    found: findings.map((finding) => shownFinding(finding, words)),
    remarks: attempts === undefined ? "" : ` (failed in ${attempts.failed} of ${attempts.total} attempts)`,
  };
}

function shownFinding(data: Finding, words: WordsContext): ShownFinding {
  return {
    text: findingText(data, words),
    fix: findingFix(data, words),
    often: howOften(data),
    pattern: pattern(data),
    expected: expectedThere(data),
    data,
  };
}

/** Findings as sentences, each with what to do about it. */
export function textOf(findings: readonly Finding[], words: WordsContext): string {
  return findings
    .flatMap((finding) => [findingText(finding, words), findingFix(finding, words)])
    .filter((text) => text !== undefined)
    .join(" ");
}

function sectionsOf(requirements: readonly ShownRequirement[]): ReportSection[] {
  return [...Map.groupBy(requirements, ({ section }) => section)].map(([name, group]) => {
    const counts = countsOf(group);
    return { name, requirements: group, counts, text: countsText(counts) };
  });
}

function summaryOf(requirements: readonly ShownRequirement[]): Results["summary"] {
  const none = { pass: 0, fail: 0, warn: 0, inconclusive: 0, notApplicable: 0, error: 0 };
  return { ...none, ...Object.fromEntries(countsOf(requirements)) };
}

function countsOf(requirements: readonly ShownRequirement[]): (readonly [Verdict, number])[] {
  return (Object.keys(verdictLabels) as Verdict[])
    .map((verdict) => [verdict, requirements.filter((one) => one.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0);
}

/** The label of a verdict beside a number: `2 warnings`. */
export function countedLabel(verdict: Verdict, count: number): string {
  const isNoun = verdict === "warn" || verdict === "error";
  return `${verdictLabels[verdict]}${isNoun && count !== 1 ? "s" : ""}`;
}

function countsText(counts: ReportSection["counts"], excused = 0): string {
  const aside = excused === 0 ? "" : ` (${grouped(excused)} excused)`;
  return counts
    .map(
      ([verdict, count]) =>
        `${grouped(count)} ${countedLabel(verdict, count)}${verdict === "inconclusive" ? aside : ""}`,
    )
    .join(", ");
}

function shownLoad(result: LoadResult, words: WordsContext): ShownLoad {
  const { scenario, profile, verdict, findings, notes, thresholds, evidence = [], comparison } = result;
  const shown = thresholds.map(shownThreshold);
  const crossed = [...Map.groupBy(findings, ({ code }) => code)].flatMap(([code, [first]]) => {
    const limits = shown.flatMap(({ name, verdict, guards }, at) =>
      limitCodes.has(code) && thresholds[at]?.crossing === code && verdict === "failed" && guards === "target"
        ? [{ at, name }]
        : [],
    );
    return first === undefined || limits.length === 0
      ? []
      : [{ code, fix: findingFix(first, words), limits }];
  });
  return {
    result,
    name: `${scenarioLabel(scenario)} (${profile})`,
    id: `load.${scenario}.${profile}`,
    label: loadVerdictLabels[verdict],
    tone: loadTones[verdict],
    reasons: findings.map((finding) => textOf([finding], words)),
    notes: notes.map((finding) => textOf([finding], words)),
    figures: figuresOf(result),
    endpoints: endpointRows(result),
    thresholds: shown,
    latencyLimits: latencyLimits(thresholds),
    crossed,
    otherReasons: findings
      .filter(({ code }) => !crossed.some((limits) => limits.code === code))
      .map((finding) => textOf([finding], words)),
    invalid: evidence.map(({ request, finding, exchange }) => ({
      text: `${requestLabel(request)}: ${findingText(finding, words)}`,
      exchange,
    })),
    comparison: comparison === undefined ? undefined : shownComparison(comparison, words),
  };
}

/** Limits of several endpoints that are alike are one line; where they differ, each says of which it is. */
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
export function shownThreshold(threshold: Threshold): ShownThreshold {
  const { metric, held, guards, waiver, notJudged } = threshold;
  return {
    name: thresholdLabel(threshold),
    limit: limitFigures(threshold),
    figures: thresholdFigures(threshold),
    metric,
    // A limit that the profile searches for is no failure when it is reached.
    verdict:
      held || guards === "search"
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

/** What a run that looks for a limit found, or a run that met one. */
function foundLimit({ rateLimit, findings, notes }: LoadResult): string | undefined {
  const { limit, highestRate } = rateLimit ?? {};
  if (limit !== undefined)
    return `rate limit ${perSecond(limit.perSecond)} (${figure(limit.low)} to ${figure(limit.high)})`;
  if (rateLimit?.mode === "probe" && highestRate !== undefined)
    return `no rate limit up to ${perSecond(highestRate)}`;
  for (const { code, actual } of [...findings, ...notes]) {
    if (typeof actual !== "number") continue;
    if (code === "gave-way") return `exceeded its limits at ${perSecond(actual)}`;
    if (code === "held-up-to") return `within limits up to ${perSecond(actual)}`;
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

function shownComparison(
  { answer, findings, runs, endpoints }: LoadComparison,
  words: WordsContext,
): ShownComparison {
  return {
    answer,
    label: comparisonLabels[answer],
    text: findings.map((finding) => textOf([finding], words)).join(" "),
    runs,
    rows: endpoints.map((one) => {
      const label = comparisonLabels[one.answer];
      const [before, after] = [milliseconds(one.before), milliseconds(one.after)];
      const interval = `${change(one.low)} to ${change(one.high)}`;
      const moved = change(one.change);
      const endpoint = capitalized(requestName(one.endpoint));
      return {
        id: `${one.endpoint}/${one.statistic}`,
        endpoint,
        statistic: one.statistic,
        answer: one.answer,
        label,
        before,
        after,
        change: moved,
        interval,
        text: `${endpoint} ${one.statistic}: ${before} before, ${after} now, ${moved} (${interval}): ${label}`,
      };
    }),
  };
}

function shownDrift(drift: Results["drift"]): ShownDrift | undefined {
  if (drift === undefined) return undefined;
  const ranks = Object.keys(driftLabels) as Drift["rank"][];
  const sorted = ranks.flatMap((rank) => drift.changes.filter((one) => one.rank === rank));
  return {
    since: drift.since,
    changes: sorted.map((one) => ({
      rank: one.rank,
      rule: one.rule,
      kind: one.kind,
      label: driftLabels[one.rank],
      subject: driftSubject(one),
      text: driftText(one),
    })),
  };
}

function shownWaivers(waivers: readonly WaiverResult[]): ShownWaiver[] {
  const states = Object.keys(waiverLabels) as WaiverResult["state"][];
  return states.flatMap((state) =>
    waivers
      .filter((one) => one.state === state)
      .map((one) => ({ waiver: one.waiver, state, label: waiverLabels[state], fix: waiverFix(one) })),
  );
}

/** How many there are of what each cause counts. */
function countOf(cause: Cause, { failed, load, drift, waivers, notJudged, excused }: Parts): number {
  const loadRuns = (verdict: LoadResult["verdict"]) =>
    load.filter(({ result }) => result.verdict === verdict).length;
  switch (cause) {
    case "requirement-failed":
      return failed.filter(({ verdict }) => verdict === "fail").length;
    case "check-error":
      return failed.filter(({ verdict }) => verdict === "error").length;
    case "load-failed":
      return loadRuns("fail");
    case "latency-slower":
      return loadRuns("slower");
    case "load-invalid":
      return loadRuns("invalid");
    case "contract-broken":
      return drift?.changes.filter(({ rank }) => rank === "breaking").length ?? 0;
    case "waiver-expired":
      return waivers.filter(({ state }) => state === "expired").length;
    case "waiver-stale":
      return waivers.filter(({ state }) => state === "stale").length;
    case "not-judged":
      return notJudged.length - excused.length;
    case "problem":
    case "nothing-run":
    case "interrupted":
    case "nothing-judged":
    case "load-not-sent":
    case "partial":
    case "none":
      return 0;
    default:
      return cause satisfies never;
  }
}

/** Something counted, as a sentence without its full stop. */
const countedWords = {
  "requirement-failed": (count: number) => `${counted(count, "requirement")} failed`,
  "load-failed": (count: number) => `${counted(count, "load run")} failed`,
  "contract-broken": (count: number) => `${counted(count, "breaking change")} since the baseline`,
  "latency-slower": (count: number) =>
    `${counted(count, "load run was", "load runs were")} slower than before`,
  "waiver-expired": (count: number) => `${counted(count, "waiver has", "waivers have")} expired`,
  "waiver-stale": (count: number) => `${counted(count, "waiver is", "waivers are")} stale`,
  "check-error": (count: number) => `${counted(count, "requirement")} ended in an error of shelfcheck`,
  "load-invalid": (count: number) => `${counted(count, "load run is", "load runs are")} invalid`,
  "not-judged": (count: number) => `${counted(count, "requirement was", "requirements were")} not judged`,
} as const satisfies Partial<Record<Cause, (count: number) => string>>;

function whyOf(parts: Parts): string {
  const { results, cause, waived, excused, load } = parts;
  const cut = results.exitCode === 130 && cause !== "interrupted" ? " The run was interrupted." : "";
  const { scope } = results;
  const part = scope === undefined || cause === "partial" ? "" : ` Partial: ${selectedText(scope)} selected.`;
  return `${sentence()}${cut}${part}`;

  function sentence(): string {
    const { requirements, problem } = results;
    const count = countOf(cause, parts);
    switch (cause) {
      case "requirement-failed":
      case "load-failed":
      case "contract-broken":
      case "latency-slower":
      case "waiver-expired":
      case "waiver-stale":
      case "check-error":
      case "load-invalid":
        return `${countedWords[cause](count)}.`;
      case "problem":
        return problem === undefined ? "The run did not finish." : `${problem.what}: ${problem.where}.`;
      case "nothing-run":
        return "Nothing was judged.";
      case "interrupted":
        return "The run was interrupted.";
      case "not-judged":
        return `Nothing failed, but ${countedWords[cause](count)}${mainCause(parts)}`;
      case "nothing-judged":
        return "None of the selected requirements could be judged.";
      case "load-not-sent":
        return "Nothing failed, but no load was sent: no products were found.";
      case "partial": {
        const judged = requirements.filter(
          ({ verdict }) => verdict !== "inconclusive" && verdict !== "notApplicable",
        ).length;
        const aside = [
          ...(waived.length === 0 ? [] : [`${grouped(waived.length)} waived`]),
          ...(excused.length === 0 ? [] : [`${grouped(excused.length)} excused`]),
        ];
        const by = scope !== undefined && scope.requirements === scope.of ? ` by ${checksText(scope)}` : "";
        return `${grouped(judged)} of ${counted(scope?.of ?? judged, "requirement")} judged${by}, none failed${aside.length === 0 ? "" : ` (${aside.join(", ")})`}${load.length === 0 ? "" : `; ${counted(load.length, "load run")} passed`}.`;
      }
      case "none":
        return passedSentence(parts);
      default:
        return cause satisfies never;
    }
  }
}

/** Each notice in words, with how many requirements were not judged for the same reason. */
function warningsOf({ results, notJudgedCauses: causes }: Parts, words: WordsContext): string[] {
  return (results.notices ?? []).flatMap((notice) => {
    const { length } = causes
      .filter(({ finding }) => costs(notice, finding))
      .flatMap(({ requirements, also }) => [...requirements, ...also]);
    // Where nothing that was selected needs a category, none is missed.
    if (notice.code === "no-category" && length === 0) return [];
    const cost =
      length === 0
        ? []
        : [
            `As a result, ${grouped(length)} of ${counted(results.requirements.length, "requirement")} ${length === 1 ? "was" : "were"} not judged.`,
          ];
    return [[findingText(notice, words), ...cost, findingFix(notice, words)].filter(Boolean).join(" ")];
  });
}

/** Whether what was not judged for this reason was not for want of what the notice tells. */
function costs({ code, seen }: Finding, { code: reason, subject }: Finding): boolean {
  if (code === "no-category") return reason === "no-category";
  const isAll = code === "category-shows-nothing" && seen?.count === seen?.total;
  return isAll && ((reason === "no-product" && subject === undefined) || reason === "category-not-browsable");
}

type Scope = NonNullable<Results["scope"]>;

/** How much of the spec was selected; where a part of the checks of every requirement was, those. */
function selectedText(scope: Scope): string {
  return scope.requirements === scope.of
    ? `${checksText(scope)} were`
    : `${grouped(scope.requirements)} of ${counted(scope.of, "requirement")} ${scope.requirements === 1 ? "was" : "were"}`;
}

function checksText({ checks, ofChecks }: Scope): string {
  return checks === undefined || ofChecks === undefined
    ? "some of the checks"
    : `${grouped(checks)} of ${counted(ofChecks, "check")}`;
}

/** The cause of most of what was not judged, to end a sentence with. */
function mainCause({ notJudgedCauses: causes, notJudged, excused }: Parts): string {
  const counting = ({ requirements, also }: NotJudgedCause) =>
    [...requirements, ...also].filter((requirement) => !excused.includes(requirement)).length;
  const [main] = causes.toSorted((a, b) => counting(b) - counting(a));
  if (main === undefined || main.text === "") return ".";
  const length = counting(main);
  const share =
    length === notJudged.length - excused.length ? "" : `, ${grouped(length)} of them for the same reason`;
  return `${share}: ${main.text}`;
}

function passedSentence({ results, load, waived, warned, excused }: Parts): string {
  const passed = results.requirements.filter(({ verdict }) => verdict === "pass").length;
  const parts = [
    results.requirements.length > 0 ? `${counted(passed, "requirement")} passed` : undefined,
    load.length > 0 ? `${counted(load.length, "load run")} passed` : undefined,
    waived.length > 0 ? `${counted(waived.length, "requirement")} waived` : undefined,
    warned.length > 0 ? counted(warned.length, "warning") : undefined,
    excused.length > 0 ? `${grouped(excused.length)} excused` : undefined,
  ].filter((part) => part !== undefined);
  return `${capitalized(listed(parts))}.`;
}

function alsoOf(parts: Parts): string | undefined {
  const others = (Object.keys(countedWords) as (keyof typeof countedWords)[])
    .filter((cause) => cause !== parts.cause)
    .map((cause) => [cause, countOf(cause, parts)] as const)
    .filter(([, count]) => count > 0)
    .map(([cause, count]) => countedWords[cause](count));
  if (others.length === 0) return undefined;
  const isLast = parts.cause !== "not-judged" && countOf("not-judged", parts) > 0;
  return `Also: ${listed(others)}${isLast ? mainCause(parts) : "."}`;
}

function topOf(parts: Parts): TopFinding[] {
  const { cause, failed, notJudgedCauses, load, drift, waivers } = parts;
  const runs = (verdict: LoadResult["verdict"]) =>
    load
      .filter(({ result }) => result.verdict === verdict)
      .map(({ name, reasons, comparison }) => ({ id: name, text: reasons[0] ?? comparison?.text ?? "" }));
  const overdue = (state: WaiverResult["state"]) =>
    waivers
      .filter((one) => one.state === state)
      .map(({ waiver, fix }) => ({ id: waiver.id, text: fix ?? waiver.reason }));
  switch (cause) {
    case "requirement-failed":
      return failed.filter(({ verdict }) => verdict === "fail").map(topRequirement);
    case "check-error":
      return failed.filter(({ verdict }) => verdict === "error").map(topRequirement);
    case "not-judged":
    case "nothing-judged":
      return notJudgedCauses.map(({ cause, requirements, also }) => {
        const [first, ...others] = [...requirements, ...also].map(({ id }) => id);
        return { id: others.length === 0 ? `${first}` : `${first} and ${others.length} more`, text: cause };
      });
    case "load-failed":
      return runs("fail");
    case "latency-slower":
      return runs("slower");
    case "load-invalid":
      return runs("invalid");
    case "contract-broken":
      return (drift?.changes ?? [])
        .filter(({ rank }) => rank === "breaking")
        .map(({ subject, text }) => ({ id: subject, text }));
    case "waiver-expired":
      return overdue("expired");
    case "waiver-stale":
      return overdue("stale");
    case "problem":
    case "nothing-run":
    case "interrupted":
    case "load-not-sent":
    case "partial":
    case "none":
      return [];
    default:
      return cause satisfies never;
  }
}

function topRequirement({ id, verdict, text, reported }: ShownRequirement): TopFinding {
  const [first] = reported.filter((check) => check.verdict === verdict);
  if (first === undefined) return { id, text };
  const [part = "", ...others] = first.parts;
  const more = others.length === 0 ? "" : ` (and ${counted(others.length, "more finding")})`;
  return { id, text: `${part}${more}${first.remarks}` };
}

function nextOf({ cause, results, failed, load, notJudged }: Parts, run: string): string | undefined {
  // Whoever judged the built-in service names it again: in CI a target must be named.
  const target = results.target.builtIn === true ? " --target embedded" : "";
  const loadRun = (verdict: LoadResult["verdict"]) => {
    const found = load.find(({ result }) => result.verdict === verdict)?.result;
    return found === undefined
      ? undefined
      : `shelfcheck load --scenario ${found.scenario} --profile ${found.profile}${target}`;
  };
  const explained = (found: ShownRequirement | undefined) =>
    found === undefined ? undefined : `shelfcheck explain ${found.id}`;
  switch (cause) {
    case "requirement-failed": {
      const first = failed.find(({ verdict }) => verdict === "fail");
      return first === undefined ? undefined : `shelfcheck replay ${run} ${first.id}`;
    }
    case "not-judged":
    case "load-not-sent":
      return `shelfcheck doctor${target}`;
    case "nothing-judged":
      return explained(notJudged[0]);
    case "load-failed":
      return loadRun("fail");
    case "latency-slower":
      return loadRun("slower");
    case "load-invalid":
      return loadRun("invalid");
    case "contract-broken":
      return `shelfcheck baseline accept ${run}`;
    case "partial":
    case "interrupted":
    case "nothing-run":
    case "waiver-expired":
    case "waiver-stale":
      return `shelfcheck ${results.command}${target}`;
    case "problem":
      return `shelfcheck doctor${target}`;
    case "check-error":
    case "none":
      return undefined;
    default:
      return cause satisfies never;
  }
}

/** What to do: ask again, hand it over, accept it for a time. */
function stepsOf(parts: Parts, run: string): Step[] {
  const { cause, results, failed, load, notJudgedCauses } = parts;
  const next = nextOf(parts, run);
  const again = (text: string): Step[] => (next === undefined ? [] : [{ text, command: next }]);
  const waive: Step = {
    text: "Accept it temporarily, with an owner and an expiry date.",
    command: `shelfcheck baseline accept ${run}`,
  };
  switch (cause) {
    case "requirement-failed": {
      const first = failed.find(({ verdict }) => verdict === "fail");
      return [
        ...(first === undefined
          ? []
          : [
              {
                text: "Create a ticket: each finding below has a button for it.",
                command: `shelfcheck explain ${run} ${first.id} --markdown`,
              },
            ]),
        ...again("Repeat it once it is fixed."),
        waive,
      ];
    }
    case "load-failed":
    case "latency-slower": {
      const shown = load.find(({ result }) => result.verdict !== "pass");
      return [
        {
          text: `Look at ${shown?.name ?? "the load run"} below: the limits that were crossed are first in its table.`,
        },
        ...again("Measure again."),
        waive,
      ];
    }
    case "load-invalid":
      return again(
        "The load was not generated as planned, so the run says nothing about the target. Run it again.",
      );
    case "contract-broken":
      return [
        { text: "Ask the service's team whether the change is intended." },
        { text: "If it is, record it.", command: `shelfcheck baseline accept ${run}` },
      ];
    case "not-judged":
    case "load-not-sent":
    case "nothing-judged": {
      const [first] = notJudgedCauses;
      return [
        ...(first === undefined ? [] : [{ text: first.cause }]),
        ...again("See what else the suite needs."),
      ];
    }
    case "waiver-expired":
    case "waiver-stale":
      return [{ text: "Remove or renew the waivers listed below." }];
    case "problem":
      return again("Find out what prevents the run.");
    case "interrupted":
    case "nothing-run":
      return again("Run it again.");
    case "partial":
      return [{ text: "For a verdict on the whole spec, run without --only and --skip." }];
    case "check-error":
      return [{ text: "This is a bug in shelfcheck, not in the target: please report it." }];
    case "none":
      return results.target.builtIn === true
        ? [{ text: "Judge your own service.", command: "shelfcheck gate --base-url https://…/v1" }]
        : [
            {
              text: "Record the current behaviour of the service, so that the next run shows what changed.",
              command: `shelfcheck baseline accept ${run}`,
            },
          ];
    default:
      return cause satisfies never;
  }
}
