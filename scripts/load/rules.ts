import type { Target } from "../../conformance/client/target.ts";
import { countOf, type RunSummary } from "../../scenarios/lib/summary.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, RateLimitResult, Threshold } from "../../schemas/contracts/load-result.ts";
import { given } from "../../schemas/json.ts";
import { searchOf } from "./capacity.ts";
import { type EndedRun, figuresOf, isEmptied, isLostCrossing, type LoadFigures } from "./figures.ts";
import { crossingOf, judgeLimits } from "./limits.ts";
import { hasNoRoom } from "./supervision.ts";

export type LoadJudgement = Pick<LoadResult, "verdict" | "findings" | "notes" | "thresholds" | "failures">;

/** The figures of a run, and what a search says. */
interface JudgedFigures extends LoadFigures {
  /** Undefined for a run that is no search. */
  readonly search: ReturnType<typeof searchOf> | undefined;
  /** The target failed in a way that no delay explains. */
  readonly hasFailed?: boolean;
}

type LoadRule<Figures> = (figures: Figures) => readonly (Finding | false | undefined)[];

const found = <Figures>(rules: readonly LoadRule<Figures>[], figures: Figures): Finding[] =>
  rules.flatMap((rule) => rule(figures)).filter((one) => !!one);

// Every rule by which a run with a summary is judged, the most decisive first.

/** On the run itself: with one of these, it says nothing about the target. */
const onRun: readonly LoadRule<LoadFigures>[] = [
  // Gateways and proxies, not the service, kept too many requests.
  (f) => [f.isLossDecisive && f.loss],
  // What the script reported, such as why its setup ended the run.
  ({ run }) => run.exit.reported,
  // This machine had no CPU or memory left.
  ({ run }) => run.starved,
  // Iterations were lost, for a reason of the run.
  (f) => [!f.isOnTarget && f.cause !== f.loss && f.cause],
  // Its own limits: nothing was measured, iterations began late, the script threw.
  (f) => f.onRun.filter((one) => !isExplained(one, f)),
  // An exit code that nothing explains.
  unexplainedExit,
];

/** On the target: it failed. Each but latency shows this even in a run that is otherwise invalid. */
const onTarget: readonly LoadRule<JudgedFigures>[] = [
  ({ gone }) => [gone],
  // In a search, refusals or slowness are the result.
  ({ isOnTarget, isYielded, cause, isSearch }) => [isOnTarget && !isSearch && !isYielded && cause],
  // A search that missed its limits from the start.
  ({ search }) => [search?.failed],
  ({ run }) => brokenWaits(run.summary),
  (judged) => judged.onTarget,
];

const notes: readonly LoadRule<JudgedFigures>[] = [
  ({ search }) => [search?.answer],
  // This machine's own delays may be in what any other run measured.
  ({ run: { busy = 0 }, isSearch }) => [
    !isSearch && hasNoRoom(busy) && { code: "machine-busy", actual: busy, unit: "share" },
  ],
  ({ isYielded, cause }) => [isYielded && cause],
  ({ isLossDecisive, loss }) => [!isLossDecisive && loss],
  ({ emptied, hasFailed }) => (hasFailed ? [] : emptied),
  ({ run, thresholds }) => notJudged(thresholds, run.summary),
  // What a search saw, also where it has no result.
  ({ search }) => [search?.seen],
];

/**
 * The verdict of a load run, but for a limit that the config expects (`withExpectedLimit`). k6's exit code is
 * not enough: it is 0 in many of these cases, and some codes hide a crossed threshold.
 */
export function judgeLoad(run: EndedRun): LoadJudgement {
  const { summary, profile } = run;
  const cutShort = cutShortBy(run);
  if (summary === undefined || cutShort.length > 0) {
    const thresholds = summary === undefined ? [] : judgeLimits(summary, profile).thresholds;
    const isTooBig = cutShort.some(({ code }) => code === "response-too-big");
    const verdict = isTooBig ? "fail" : "invalid";
    return { thresholds, notes: [], verdict, findings: cutShort };
  }
  const limits = judgeLimits(summary, profile);
  const figures = { ...figuresOf({ ...run, summary }, limits), ...limits };
  const { emptied, isSearch, isYielded, isHanging } = figures;
  const ofRun = found(onRun, figures);
  const search = isSearch ? searchOf(figures, ofRun) : undefined;
  const invalid = [...ofRun, ...(search?.unsure ?? [])];
  const judged = { ...figures, search };
  const target = found(onTarget, judged);
  // In a search, failed requests may be due to a delay, too.
  const mayBeDelayed = isSearch && !isHanging;
  const hasFailed = target.some(
    ({ code }) => code !== "latency-over-limit" && !(mayBeDelayed && code === "failed-requests"),
  );
  const isResult = search?.answer !== undefined || isYielded;
  const said = {
    ...given({ failures: limits.failures }),
    thresholds: limits.thresholds.map((one) =>
      isResult && isLostCrossing(one) ? { ...one, guards: "search" as const } : one,
    ),
    notes: found(notes, { ...judged, hasFailed }),
  };
  // Where the generator fell short as well, or had hardly any CPU left, delays may be its own, and come last.
  const isDelayed = invalid.length > 0 || hasNoRoom(run.busy ?? 0);
  const isSure = ({ code }: Finding) => !isDelayed || !delays.includes(code);
  const [sure, slow] = [target.filter(isSure), target.filter((one) => !isSure(one))];
  if (hasFailed) return { ...said, verdict: "fail", findings: [...sure, ...invalid, ...slow, ...emptied] };
  if (invalid.length > 0) return { ...said, verdict: "invalid", findings: [...invalid, ...target] };
  return { ...said, verdict: target.length > 0 ? "fail" : "pass", findings: target };
}

const delays: readonly Finding["code"][] = ["latency-over-limit", "slower-than-planned"];

/** Whether another finding says why a limit of the run was crossed. */
function isExplained(crossing: LoadFigures["onRun"][number], figures: LoadFigures): boolean {
  const { cause, gone, emptied, isSearch, isRefused, isLossTooHigh } = figures;
  if (crossing.code === "iterations-dropped") return true;
  if (crossing.code === "iterations-late") return !isSearch && (cause ?? gone) !== undefined;
  return emptied.includes(crossing) || (isEmptied(crossing) && (isRefused || isLossTooHigh));
}

/** Exit code of k6 after an exception in the setup or in the script. */
export const k6ExitScriptException = 107;

/** Why the run ended early, so that its thresholds mean nothing; empty when it did not. */
function cutShortBy({ exit, summary, evidence }: EndedRun): Finding[] {
  const { stopped, reported } = exit;
  if (exit.interrupted) return [{ code: "load-interrupted" }];
  if (stopped !== undefined) {
    // A response that is too big explains the memory: the target's fault. Without one, the cause is unknown.
    const big = evidence.find(({ finding }) => finding.code === "response-too-big");
    if (stopped.code !== "k6-memory" || big === undefined) return [stopped];
    const { method, url } = big.exchange.request;
    const subject = `${method} ${new URL(url).pathname}`;
    return [{ ...big.finding, subject } as Finding, stopped];
  }
  if (reported.length > 0 && (exit.code === k6ExitScriptException || summary === undefined))
    return [...reported];
  if (summary !== undefined) return [];
  if (exit.signal === undefined) return [{ code: "no-summary", actual: exit.code }];
  const details = exit.killedAfter === undefined ? undefined : { seconds: exit.killedAfter };
  return [{ code: "k6-killed", subject: exit.signal, ...given({ details }) }];
}

function unexplainedExit({ run: { exit, summary } }: LoadFigures): Finding[] {
  const { code, reported, finished } = exit;
  const isExplained = code === 0 || code === 99 || reported.length > 0 || finished === true;
  // k6 counts requests lost at a gateway as failed.
  const isByLoss = countOf(summary, "on_the_way") > 0;
  const contradicts = code === 99 && !isByLoss && summary.thresholds.every(({ met }) => met);
  return isExplained && !contradicts ? [] : [{ code: "k6-exit", actual: code }];
}

/** Number of broken waits that is no coincidence. */
const leastBrokenWaits = 3;

/**
 * A Retry-After after which requests are refused again (spec, Errors). One wait may have been tried after the
 * start of a ban. A gateway that takes part has a limit of its own.
 */
function brokenWaits(summary: RunSummary): Finding[] {
  const of = (metric: string) => countOf(summary, metric);
  // A polite run waits a second where none is named, and may not be alone after a wait of 0.
  const isNamed = of("refusals_malformed") === 0 && of("polite_wait_seconds") >= of("polite_waits");
  const count = isNamed ? of("probe_waits_refused") + of("polite_refused_again") : 0;
  const total = of("probe_waits_tried") + of("polite_waits");
  if (of("on_the_way") > 0 || count < leastBrokenWaits || count < total - 1) return [];
  const kept = of("probe_waits_accepted");
  const waits = total + of("probe_waits_accepted_again");
  const refused = of("probe_waits_tried") - kept + of("polite_refused_again");
  return [{ code: "refused-after-waits", seen: { count: refused, total: waits, of: "attempts" } }];
}

/** Thresholds with too few samples to judge: of all kinds of request together where there are several. */
function notJudged(thresholds: readonly Threshold[], summary: RunSummary): Finding[] {
  return thresholds.flatMap((threshold): Finding[] => {
    const { notJudged: few, crossing, limit, request, statistic, unit, guards } = threshold;
    const isPart =
      request !== undefined &&
      thresholds.some((one) => one.request === undefined && one.crossing === crossing && one.limit === limit);
    // What a search looks for is not judged at all.
    if (few === undefined || isPart || guards === "search") return [];
    const details = { crossing, ...(unit === "ms" ? { statistic } : {}) };
    return [{ ...crossingOf(threshold, summary), code: "share-not-judged", details }];
  });
}

type LimitExpectation = NonNullable<Target["expectedLimit"]>;
type Expected = NonNullable<RateLimitResult["expected"]>[number];

/** Clocks of machines and timers of limiters differ: an interval is wider by this share at each end. */
const allowance = 0.01;
/** An interval that ends at more than this many times its beginning says too little to confirm a value. */
const widest = 2;

/** Judges the limit of the config by a probe. A value that the measured interval rules out fails the run. */
export function withExpectedLimit(result: LoadResult, expectation: Target["expectedLimit"]): LoadResult {
  const { rateLimit, verdict } = result;
  if (expectation === undefined || rateLimit?.mode !== "probe" || verdict === "invalid") return result;
  const expected = (["perSecond", "burst"] as const).flatMap((of): Expected[] => {
    const value = expectation[of];
    return value === undefined ? [] : [judged(of, expectation, rateLimit)];
  });
  const { excluded = [], others = [] } = Object.groupBy(expected, ({ outcome }) =>
    outcome === "excluded" ? "excluded" : "others",
  );
  return {
    ...result,
    rateLimit: { ...rateLimit, expected },
    verdict: excluded.length > 0 ? "fail" : verdict,
    findings: [...result.findings, ...excluded.map(findingOf)],
    notes: [...result.notes, ...others.map(findingOf)],
  };
}

function judged(of: Expected["of"], expectation: LimitExpectation, result: RateLimitResult): Expected {
  const { limit } = result;
  const expected = expectation[of] ?? 0;
  const [low, high] =
    of === "burst" ? [limit?.burstLow, limit?.burstHigh] : [limit?.low ?? accepted(), limit?.high];
  const [least, most] = [low ?? 0, high ?? Number.POSITIVE_INFINITY];
  const isExcluded = expected < least * (1 - allowance) || expected > most * (1 + allowance);
  const isHeld = most <= least * widest;
  return { of, expected, low, high, outcome: isExcluded ? "excluded" : isHeld ? "met" : "open" };

  /** Without a refusal in a second of the highest rate, the limit is at least what exceeded a whole burst. */
  function accepted(): number | undefined {
    const { highestRate, refusedShare = 0 } = result;
    if (highestRate === undefined || expectation.burst === undefined || refusedShare > 0) return undefined;
    const more = highestRate - expectation.burst;
    return more >= 1 ? more : undefined;
  }
}

function findingOf({ expected, ...details }: Expected): Finding {
  return { code: "expected-rate-limit", expected, details };
}
