import type { SaidFinding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult, RateLimitResult, Threshold } from "../../../../schemas/contracts/load-result.ts";
import { isCrossed, loadVerdictLabels } from "../../../../schemas/contracts/verdicts.ts";
import { requestLabel, scenarioLabel } from "../../../../schemas/scenarios.ts";
import {
  capitalized,
  counted,
  duration,
  figure,
  grouped,
  inUnit,
  listed,
  milliseconds,
  oneIn,
  percent,
  perSecond,
  showsPercentile,
} from "../../../../schemas/words/format.ts";
import { wordsOf } from "../../../../schemas/words/index.ts";
import {
  limitedNames,
  limitFigures,
  thresholdFigures,
  thresholdLabel,
} from "../../../../schemas/words/thresholds.ts";
import { isEmptied } from "../../../load/figures.ts";
import { type KindLatency, latenciesOf, type Percentile, shownPercentiles } from "../../../load/measured.ts";
import { type Item, type ItemFinding, loadTones, type Suite, type Table, verdictTones } from "../../model.ts";
import { loadCharts } from "./load-charts.ts";
import { placesOf } from "./places.ts";

type Load = LoadResult<SaidFinding>;
type Shown = NonNullable<Load["evidence"]>[number];

/** The commands for an item, by its id. */
type CommandsOf = (id: string) => Item["commands"];

function titleOf(load: Load): string {
  return `Load: ${loadName(load)}`;
}

/** `Lookup (smoke)` */
export function loadName({ scenario, profile }: Pick<Load, "scenario" | "profile">): string {
  return `${scenarioLabel(scenario)} (${profile})`;
}

/** `load.lookup.smoke`, the same in every run. */
export function loadId({ scenario, profile }: Pick<Load, "scenario" | "profile">): string {
  return `load.${scenario}.${profile}`;
}

/**
 * A load run: its limits, what else decided it, its figures by endpoint and over time.
 *
 * @param at Number of the run, for its place on a page.
 */
export function loadSuite(measured: Load, at: number, commandsOf: CommandsOf): Suite {
  const isVoid = ({ guards }: Threshold) => measured.verdict === "invalid" && guards !== "run";
  const thresholds = measured.thresholds.map((one) => (isVoid(one) ? withoutVerdict(one) : one));
  const load = { ...measured, thresholds };
  const limits = thresholds.map((one) => limitItem(one, load, commandsOf));
  const shown = new Set(limits.flatMap(({ evidence }) => evidence));
  const rest = (load.evidence ?? []).filter(({ exchange }) => !shown.has(exchange));
  const rank = ["fail", "error", "inconclusive", "pass"];
  return {
    id: `load-${at}`,
    title: titleOf(load),
    tone: loadTones[load.verdict],
    summary: [`${capitalized(loadVerdictLabels[load.verdict])}.`, busyText(load), `${figuresText(load)}.`]
      .filter((part) => part !== undefined)
      .join(" "),
    items: [
      ...verdictItems(load, commandsOf),
      ...limits.toSorted((one, other) => rank.indexOf(one.verdict) - rank.indexOf(other.verdict)),
      ...(rest.length === 0 ? [] : [invalidItem(rest, load)]),
    ],
    tables: [endpointTable(load)].filter(({ rows }) => rows.length > 0),
    lines: load.notes
      .filter(({ code }) => code !== "machine-busy")
      .map(({ message, fix = "" }) => `${message} ${fix}`.trim()),
    charts: loadCharts(load),
    startedAt: load.startedAt,
    seconds: load.seconds,
  };
}

/** That this machine was busy, said before the figures that it may have changed. */
export function busyText({ notes }: Load): string | undefined {
  return notes.find(({ code }) => code === "machine-busy")?.message;
}

/** What decided a run besides its limits, which are items of their own: each failure counts once. */
function verdictItems(load: Load, commandsOf: CommandsOf): Item[] {
  const crossed = load.thresholds.filter(({ met, notJudged }) => !met && notJudged === undefined);
  const others = load.findings.filter((finding) => !crossed.some((one) => isOf(finding, one)));
  if (others.length === 0 && load.verdict !== "pass") return [];
  const verdict = { pass: "pass", fail: "fail", invalid: "error" } as const;
  return [
    {
      id: loadId(load),
      title: `Verdict of ${loadName(load)}`,
      verdict: verdict[load.verdict],
      tone: loadTones[load.verdict],
      said: others.map(({ message, fix }) => ({ message, fix, where: [], places: [] })),
      evidence: [],
      commands: load.verdict === "pass" ? [] : commandsOf(loadId(load)),
      section: titleOf(load),
      seconds: load.seconds,
    },
  ];
}

/** A limit with its measured value, and the responses that crossed it. */
function limitItem(threshold: Threshold, load: Load, commandsOf: CommandsOf): Item {
  const { request = "all", crossing, statistic, met, limit } = threshold;
  const verdict = verdictOf(threshold, load);
  const own = load.findings.find((finding) => isOf(finding, threshold));
  const evidence =
    met || verdict === "pass" ? [] : (load.evidence ?? []).filter((one) => shows(one, threshold));
  const figures = `${thresholdLabel(threshold)}: ${thresholdFigures(threshold)}`;
  const isVoided = load.verdict === "invalid" && verdict === "inconclusive";
  const why = isVoided ? "the run is invalid" : whyOpen(threshold, verdict);
  const message = own?.message ?? (why === undefined ? `${figures}.` : `${figures} (${why}).`);
  const alike = load.thresholds.filter((one) => one.request === undefined && one.crossing === crossing);
  // Kinds of request with a limit of their own are a whole of their own.
  const part = request === "all" && alike.length > 1 ? `-${limit}` : "";
  const id = `${loadId(load)}/${request}-${crossing === "latency-over-limit" ? statistic : crossing}${part}`;
  return {
    id,
    title: `${thresholdLabel(threshold)}, ${limitFigures(threshold)}`,
    verdict,
    // Most kinds of request are too rare to be judged alone.
    tone: met && verdict === "inconclusive" ? "plain" : verdictTones[verdict],
    said: [{ message, fix: own?.fix, where: [], places: [] }, ...saidOf(evidence)],
    evidence: evidence.flatMap(exchangesOf),
    commands: verdict === "fail" || verdict === "error" ? commandsOf(id) : [],
    section: titleOf(load),
    seconds: load.seconds,
  };
}

/** Why a limit is not judged; undefined if it is. No number of samples confirms a limit of 0. */
function whyOpen(threshold: Threshold, verdict: Item["verdict"]): string | undefined {
  const { limit, notJudged, fewSamples, value = 0 } = threshold;
  if (verdict !== "inconclusive") return undefined;
  if (notJudged !== undefined) return `with ${counted(notJudged.samples, "sample")} this may be chance`;
  if (!threshold.met) return "the result of the run explains it";
  if (fewSamples === undefined) return "too few responses for it";
  const { samples, needed } = fewSamples;
  if (samples >= needed) return "too close to the limit to tell it from chance";
  const aim = limit === 0 ? ` to rule out ${percent(3 / needed)}` : "";
  // With a failure, more are needed.
  return `${counted(samples, "sample")}, ${value > 0 ? "too few to tell" : `${grouped(needed)} needed${aim}`}`;
}

/** Responses with findings that show no crossed limit. */
function invalidItem(evidence: readonly Shown[], load: Load): Item {
  return {
    id: `${loadId(load)}/responses`,
    title: "Responses with findings",
    verdict: "warn",
    tone: "notice",
    said: saidOf(evidence),
    evidence: evidence.flatMap(exchangesOf),
    commands: [],
    section: titleOf(load),
  };
}

/** Each once with its place, beside the response of another organization at the same time. */
function saidOf(evidence: readonly Shown[]): ItemFinding[] {
  let from = 0;
  const found = evidence.map((shown) => {
    const { request, finding, overlapping } = shown;
    const exchanges = exchangesOf(shown);
    const [places = []] = placesOf([finding], exchanges, from);
    const heading = "At the same time, with the key of the other organization";
    const beside = { heading, exchange: from + 1, lines: [], isReference: true };
    const other = overlapping === undefined ? [] : [beside];
    from += exchanges.length;
    const isNamed = finding.code === "wrong-status";
    const message = isNamed ? finding.message : `${requestLabel(request)}: ${finding.message}`;
    return { message, fix: finding.fix, where: [], places: [...places, ...other] };
  });
  return found.filter((one, at) => found.findIndex(({ message }) => message === one.message) === at);
}

/** The response that shows it, and that of another organization at the same time. */
function exchangesOf({ exchange, overlapping }: Shown): readonly Shown["exchange"][] {
  return overlapping === undefined ? [exchange] : [exchange, overlapping];
}

/** Whether a response shows why a limit was crossed. */
function shows({ request, finding, overlapping }: Shown, { crossing, request: limited }: Threshold): boolean {
  if (crossing === "foreign-responses") return overlapping !== undefined;
  if (finding.code === "answered-on-the-way") return false;
  const shown = finding.code === "wrong-status" ? "failed-requests" : "invalid-responses";
  return crossing === shown && overlapping === undefined && request === limited;
}

/** Whether a finding is that of a crossed limit. */
function isOf(finding: SaidFinding, { crossing, request, statistic, limit }: Threshold): boolean {
  return (
    finding.code === crossing &&
    finding.subject === request &&
    (finding.expected ?? limit) === limit &&
    (finding.details?.statistic ?? statistic) === statistic
  );
}

/** Neither a limit that the profile searches for fails, nor one on the run that no finding names. */
function verdictOf(threshold: Threshold, load: Load): "pass" | "fail" | "error" | "inconclusive" {
  const { met, guards, notJudged } = threshold;
  if (isUnsure(threshold, load)) return "inconclusive";
  if (met) return "pass";
  if (notJudged !== undefined || guards === "search") return "inconclusive";
  if (guards === "target") return "fail";
  // Where nothing succeeded of a kind whose failures are judged, nothing went wrong here.
  const isEmpty = load.verdict === "fail" && isEmptied({ code: threshold.crossing });
  return !isEmpty && load.findings.some((finding) => isOf(finding, threshold)) ? "error" : "inconclusive";
}

/** A limit on the target says nothing of an invalid run: the load was not as planned. */
function withoutVerdict(threshold: Threshold): Threshold {
  return { ...threshold, guards: "target", met: false, notJudged: { samples: 0, needed: 0 } };
}

/** How many limits of latency a run passed with too few responses to say so. */
export function unsureLatencies(load: Load): { readonly unsure: number; readonly of: number } {
  const limits = load.thresholds.filter(({ crossing }) => crossing === "latency-over-limit");
  return { unsure: limits.filter((one) => isUnsure(one, load)).length, of: limits.length };
}

/** Whether a limit was met, with too few samples to say so. */
function isUnsure(threshold: Threshold, load: Load): boolean {
  return threshold.met && (threshold.fewSamples !== undefined || isNoise(threshold, load));
}

/** Whether a percentile has too few samples to mean anything. */
function isNoise({ crossing, request, statistic }: Threshold, load: Load): boolean {
  if (crossing !== "latency-over-limit" || request === undefined) return false;
  const samples = latenciesOf(load).find(({ id }) => id === request)?.samples ?? 0;
  return !showsPercentile(Number(statistic.slice(1)), samples);
}

/** The figures of a load run in one line. */
function figuresText(load: Load): string {
  const { metrics, retryAfter, validated, seconds: took, findings, notes, rateLimit, thresholds } = load;
  const { http_reqs: requests, http_req_duration: latency = {}, http_req_failed: failed } = metrics;
  const { count: samples = 0 } = latency;
  if (requests?.count === undefined) return "No figures";
  const { count, rate = 0 } = requests;
  const among = retryAfter.refused > 0 ? " of those not refused" : "";
  // The rate is over the time of the load; a run also takes that of starting and ending k6.
  const seconds = rate > 0 ? count / rate : took;
  // k6 counts none of those under way when a search ends.
  const isEnded = thresholds.some(({ guards }) => guards === "search");
  const lost = [...findings, ...notes].find(({ code }) => code === "lost-on-the-way")?.seen?.count;
  const percentiles = shownPercentiles.flatMap((at) => {
    const value = latency[at === 50 ? "med" : `p(${at})`];
    return value === undefined || !showsPercentile(at, samples) ? [] : [`p${at} ${milliseconds(value)}`];
  });
  return [
    `${counted(count, "request")}${isEnded ? " completed" : ""}${seconds === undefined ? "" : ` in ${duration(seconds)}`}`,
    lost && `besides ${grouped(lost)} lost`,
    // At the limit, a mean over bursts and waits says nothing.
    requests.rate === undefined || rateLimit !== undefined ? undefined : perSecond(rate),
    percentiles.length === 0 ? undefined : `${listed(percentiles)} for status 200`,
    failed?.rate === undefined
      ? undefined
      : `${failed.rate === 0 ? "none" : oneIn(failed.rate) + among} failed`,
    foundLimit(load),
    `429 responses: ${refusals(retryAfter)}`,
    validation(validated),
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** The limit that a run searched for, or reached. */
export function foundLimit({ rateLimit, findings, notes, verdict }: Load): string | undefined {
  if (verdict === "invalid") return undefined;
  const { limit, highestRate, refusedShare = 0 } = rateLimit ?? {};
  if (limit !== undefined) return `${limitText(limit)} accepted while the rate limit was exceeded`;
  if (rateLimit?.mode === "probe" && highestRate !== undefined)
    return refusedShare > 0
      ? "rate limit reached, but not estimated"
      : `no rate limit up to ${perSecond(highestRate)}`;
  const found = [...findings, ...notes].map((one) => wordsOf(one).found?.(one as never));
  return found.find((text) => text !== undefined);
}

function limitText({ perSecond: rate, low, high }: NonNullable<RateLimitResult["limit"]>): string {
  return `${perSecond(rate)} (${figure(low)} to ${figure(high)})`;
}

function refusals({ refused, withRetryAfter, longestSeconds }: Load["retryAfter"]): string {
  if (refused === 0) return "none";
  if (withRetryAfter === undefined) return grouped(refused);
  const longest = longestSeconds === undefined ? "" : `, the longest ${grouped(longestSeconds)} s`;
  return `${grouped(refused)} (${grouped(withRetryAfter)} with Retry-After in seconds${longest})`;
}

function validation({
  answers,
  invalid,
  complete = answers,
  undetectedShareBound: bound,
}: Load["validated"]): string {
  const isSample = complete < answers;
  const sample = isSample ? `, ${grouped(complete)} of them completely` : "";
  // Rule of three.
  const ofSample = isSample
    ? `; in what only the complete check finds, up to ${percent(Math.min(1, 3 / complete))}, if spread evenly over the run`
    : "";
  const unseen = bound === undefined ? "" : ` (up to ${percent(bound)} could still be invalid${ofSample})`;
  return `${counted(answers, "response")} checked${sample}, ${grouped(invalid)} found invalid${unseen}`;
}

/** Latency, failed and invalid responses by kind of request, each with its nearest limit, worst first. */
function endpointTable(load: Load): Table {
  const rows = latenciesOf(load).map((kind) => endpointRow(kind, load));
  const isCounted = (of: "failed" | "invalid") => rows.some((row) => (row[of]?.passes ?? 0) > 0);
  const tallies = (["failed", "invalid"] as const).filter(isCounted);
  return {
    title: "Endpoints, worst first",
    head: [
      "endpoint",
      "success",
      ...shownPercentiles.map((at) => `p${at}`),
      ...tallies.map((of) => (of === "invalid" ? "found invalid" : of)),
      "nearest limit",
    ],
    figures: [1, ...shownPercentiles.map((_, at) => at + 2)],
    rows: rows
      .toSorted((one, other) => distance(other.nearest) - distance(one.nearest))
      .map(({ name, samples, latencies, nearest, ...row }) => ({
        tone: nearest !== undefined && isCrossed(nearest) ? ("bad" as const) : undefined,
        cells: [
          name,
          grouped(samples),
          ...latencies,
          ...tallies.map((of) => tallyText(row[of])),
          nearest === undefined ? "none set" : shortLimit(nearest),
        ],
      })),
  };
}

function endpointRow({ id, samples, at }: KindLatency, load: Load) {
  const limits = load.thresholds
    .filter(({ request, guards }) => request === id && guards !== "run")
    .toSorted((one, other) => distance(other) - distance(one));
  const hasDecided = (percentile: Percentile) =>
    limits.some(
      (one) => one.crossing === "latency-over-limit" && one.statistic === `p${percentile}` && isCrossed(one),
    );
  return {
    name: requestLabel(id),
    samples,
    latencies: shownPercentiles.map((percentile) => {
      const value = at[percentile];
      if (samples === 0) return "none";
      const isShown = hasDecided(percentile) || showsPercentile(percentile, samples);
      return value !== undefined && isShown ? milliseconds(value) : "too few";
    }),
    failed: load.metrics[`http_req_failed{name:${id}}`],
    invalid: load.metrics[`invalid_responses{name:${id}}`],
    // A limit on a percentile of too few samples is near to nothing, until it is exceeded.
    nearest: limits.find((one) => distance(one) > 1 || !isNoise(one, load)) ?? limits[0],
  };
}

/** A rate metric of k6, which counts as `passes` the events it is named for. */
function tallyText({ passes = 0, fails = 0 }: Readonly<Record<string, number>> = {}): string {
  return passes + fails === 0
    ? ""
    : `${passes === 0 ? "none" : grouped(passes)} of ${grouped(passes + fails)}`;
}

/** For 80 columns: `p95 ≤ 500 ms`. */
function shortLimit({ crossing, statistic, bound, limit, unit }: Threshold): string {
  const what = crossing === "latency-over-limit" ? statistic : limitedNames[crossing].split(" ", 1)[0];
  return `${what} ${bound === "most" ? "≤" : "≥"} ${inUnit(limit, unit)}`;
}

/** The value as a part of the limit; crossed limits rank above all others, of these those of 0 first. */
function distance(threshold: Threshold | undefined): number {
  if (threshold === undefined) return 0;
  const { value, limit, bound } = threshold;
  const hasRatio = value !== undefined && value !== 0 && limit !== 0;
  const ratio = hasRatio ? (bound === "most" ? value / limit : limit / value) : undefined;
  return isCrossed(threshold) ? 1e6 + (ratio ?? 1e6) : (ratio ?? 0);
}
