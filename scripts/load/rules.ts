import type { RunSummary } from "../../scenarios/lib/summary.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { given } from "../../schemas/json.ts";
import { capacityOf, seenInSearch, unsureSearch } from "./capacity.ts";
import {
  countOf,
  crossingOf,
  type EndedRun,
  emptyCodes,
  figuresOf,
  isLostCrossing,
  type LoadFigures,
} from "./figures.ts";
import { machineNote } from "./machine.ts";
import { failuresOf } from "./shares.ts";

export type LoadJudgement = Pick<LoadResult, "verdict" | "findings" | "notes" | "thresholds" | "failures">;

/** What was found so far, by what it concerns. */
interface Found {
  /** The run itself: with one of these, it says nothing about the target. */
  readonly run: Finding[];
  /** The target failed. Each but latency shows this even in a run that is otherwise invalid. */
  readonly target: Finding[];
  readonly note: Finding[];
}

interface LoadRule {
  readonly on: keyof Found;
  readonly find: (figures: LoadFigures, found: Found) => readonly (Finding | false | undefined)[];
}

/** Every rule by which a run with a summary is judged, the most decisive first. Later ones know what earlier ones found. */
const rules: readonly LoadRule[] = [
  // Gateways and proxies, not the service, kept too many requests.
  { on: "run", find: (f) => [isLossDecisive(f) && f.loss] },
  // What the script reported, such as why its setup ended the run.
  { on: "run", find: ({ run }) => run.exit.reported },
  // This machine had no CPU or memory left.
  { on: "run", find: ({ run }) => run.starved ?? [] },
  // Iterations were lost, for a reason of the run: too few virtual users, or one that is not known.
  { on: "run", find: ({ cause, loss }) => [!isOnTarget(cause) && cause !== loss && cause] },
  // Its own limits: nothing was measured, iterations began late, the script threw.
  { on: "run", find: (f) => f.onRun.filter((one) => !isExplained(one, f)) },
  // Limits of kinds of request that the scenario does not send.
  { on: "run", find: ({ run, thresholds }) => unknownRequests(run, thresholds) },
  // A search whose end says nothing.
  {
    on: "run",
    find: (f, { run }) => (f.isSearch ? unsureSearch(f).filter((one) => !hasCode(run, one)) : []),
  },
  // An exit code that nothing explains.
  { on: "run", find: ({ run }) => unexplainedExit(run) },

  { on: "target", find: ({ gone }) => [gone] },
  // It refused requests below the planned rate, or was slower than planned. In a search that is the result, and without
  // one it does not show that the target was the reason.
  {
    on: "target",
    find: (f, { run }) => {
      const isResult = f.isSearch && (run.length > 0 || capacityIn(f, run)?.fromTheStart === false);
      return [isOnTarget(f.cause) && !isResult && !isYielded(f) && f.cause];
    },
  },
  // A search that missed its limits from the start.
  {
    on: "target",
    find: (f, { run }) => {
      const capacity = capacityIn(f, run);
      return [capacity?.fromTheStart === true && capacity.finding];
    },
  },
  { on: "target", find: ({ run }) => brokenWaits(run.summary) },
  { on: "target", find: ({ onTarget }) => onTarget },

  // The result of a search: the rate limit, or else the rate at which a limit was crossed.
  {
    on: "note",
    find: (f, { run }) => {
      const capacity = capacityIn(f, run);
      return [capacity?.fromTheStart === false && (isRefused(f) ? f.cause : capacity.finding)];
    },
  },
  // This machine's own delays may be in what any other run measured.
  { on: "note", find: ({ run, isSearch }) => [!isSearch && machineNote(run.machine)] },
  { on: "note", find: (f) => [isYielded(f) && f.cause] },
  { on: "note", find: (f) => [!isLossDecisive(f) && f.loss] },
  { on: "note", find: (f, found) => (hasFailed(found, f) ? [] : f.emptied) },
  { on: "note", find: ({ run, thresholds }) => notJudged(thresholds, run.summary) },
  // What a search saw, also where it has no result.
  { on: "note", find: (f, { run }) => (f.isSearch ? seenInSearch(f, run.length === 0) : []) },
];

/**
 * Decides the verdict of a load run; nothing else does. The exit code of k6 is not enough: it is 0 in many of these cases,
 * and some codes hide a crossed threshold.
 */
export function judgeLoad(run: EndedRun): LoadJudgement {
  const { summary, profile, tooBig, exit } = run;
  const cutShort = cutShortBy(run);
  if (summary === undefined || cutShort.length > 0) {
    // An oversized response explains high memory use and is the target's fault; without one, the cause is unknown.
    const isTooBig = tooBig !== undefined && exit.stopped?.code === "k6-memory" && !exit.interrupted;
    const thresholds = summary === undefined ? [] : [...figuresOf({ ...run, summary }).thresholds];
    return isTooBig
      ? { thresholds, notes: [], verdict: "fail", findings: [tooBig, ...cutShort] }
      : { thresholds, notes: [], verdict: "invalid", findings: cutShort };
  }
  const figures = figuresOf({ ...run, summary });
  const found: Found = { run: [], target: [], note: [] };
  for (const { on, find } of rules) found[on].push(...find(figures, found).filter((one) => !!one));
  const { thresholds } = figures;
  const isResult = capacityIn(figures, found.run)?.fromTheStart === false || isYielded(figures);
  const judged = {
    ...given({ failures: failuresOf(thresholds, summary, profile) }),
    thresholds: thresholds.map((one) =>
      isResult && isLostCrossing(one) ? { ...one, guards: "search" as const } : one,
    ),
    notes: found.note,
  };
  if (hasFailed(found, figures))
    return { ...judged, verdict: "fail", findings: [...found.target, ...found.run, ...figures.emptied] };
  if (found.run.length > 0)
    return { ...judged, verdict: "invalid", findings: [...found.run, ...found.target] };
  return { ...judged, verdict: found.target.length > 0 ? "fail" : "pass", findings: found.target };
}

/** Whether the target failed in a way that no delay explains; in a search that is not sure of its result, failed requests may be one. */
function hasFailed({ target, run }: Found, { isSearch }: LoadFigures): boolean {
  const isUnsure = isSearch && run.length > 0;
  return target.some(
    ({ code }) => code !== "latency-over-limit" && !(isUnsure && code === "failed-requests"),
  );
}

function hasCode(findings: readonly Finding[], { code }: Finding): boolean {
  return findings.some((one) => one.code === code);
}

function isOnTarget(cause: Finding | undefined): boolean {
  return cause?.code === "rate-limit-reached" || cause?.code === "slower-than-planned";
}

function isRefused({ cause }: LoadFigures): boolean {
  return cause?.code === "rate-limit-reached";
}

function isLossDecisive({ loss, cause, isLossTooHigh }: LoadFigures): boolean {
  return isLossTooHigh || (loss !== undefined && cause === loss);
}

/** The rate of a gate is not the choice of the user, and no promise of the target: it sends what the limit accepts. */
function isYielded(figures: LoadFigures): boolean {
  const { run, onRun } = figures;
  return (
    isRefused(figures) && run.profile.untilJudged === true && !onRun.some(({ code }) => emptyCodes.has(code))
  );
}

/** Whether another finding says why a limit of the run was crossed. */
function isExplained(crossing: LoadFigures["onRun"][number], figures: LoadFigures): boolean {
  const { cause, gone, emptied, isSearch } = figures;
  switch (crossing.code) {
    case "iterations-dropped":
      return true;
    case "iterations-late":
      return !isSearch && (cause ?? gone) !== undefined;
    case "no-samples":
    case "nothing-checked":
      return emptied.includes(crossing) || isRefused(figures) || figures.isLossTooHigh;
    default:
      return false;
  }
}

/** The result of a search. Load that was not generated as planned shows no capacity. */
function capacityIn(figures: LoadFigures, onRun: readonly Finding[]) {
  const { isSearch, gone, cause, run } = figures;
  return isSearch && gone === undefined && onRun.length === 0
    ? capacityOf(run, isOnTarget(cause))
    : undefined;
}

/** Exit code of k6 after an exception in the setup or in the script. */
export const k6ExitScriptException = 107;

/** Why the run ended early, so that its thresholds mean nothing; empty when it did not. */
function cutShortBy({ exit, summary, use, grantedBytes }: EndedRun): Finding[] {
  if (exit.interrupted) return [{ code: "load-interrupted" }];
  if (exit.stopped !== undefined) return [exit.stopped];
  const isEndedByScript = exit.code === k6ExitScriptException || summary === undefined;
  if (exit.reported.length > 0 && isEndedByScript) return [...exit.reported];
  if (summary !== undefined) return [];
  if (exit.signal === undefined) return [{ code: "no-summary", actual: exit.code }];
  const used = use && ({ actual: use.memoryBytes, expected: grantedBytes, unit: "bytes" } as const);
  return [{ code: "k6-killed", subject: exit.signal, ...used }];
}

function unexplainedExit({ exit: { code, reported, finished }, summary }: LoadFigures["run"]): Finding[] {
  const isExplained = code === 0 || code === 99 || reported.length > 0 || finished === true;
  // k6 counts requests lost at a gateway as failed.
  const isByLoss = countOf(summary, "on_the_way") > 0;
  const contradicts = code === 99 && !isByLoss && summary.thresholds.every(({ met }) => met);
  return isExplained && !contradicts ? [] : [{ code: "k6-exit", actual: code }];
}

/** Kinds of request that the profile limits but the scenario does not send. */
function unknownRequests({ profile }: LoadFigures["run"], thresholds: readonly Threshold[]): Finding[] {
  return Object.keys(profile.thresholds.endpoints ?? {})
    .filter((name) => !thresholds.some(({ request }) => request === name))
    .map((subject) => ({ code: "endpoint-not-asked", subject }));
}

/** Number of broken waits that is no coincidence. */
const leastBrokenWaits = 3;

/**
 * A Retry-After after which requests are refused again (spec, Errors). One wait may have been tried after the start of a
 * ban. A gateway that takes part has a limit of its own.
 */
function brokenWaits(summary: RunSummary): Finding[] {
  const of = (metric: string) => countOf(summary, metric);
  // A polite run waits a second where the service names none, and cannot be sure that it is alone after a wait of 0.
  const isNamed = of("refusals_malformed") === 0 && of("polite_wait_seconds") >= of("polite_waits");
  const count = isNamed ? of("probe_waits_refused") + of("polite_refused_again") : 0;
  const total = of("probe_waits_tried") + of("polite_waits");
  if (of("on_the_way") > 0 || count < leastBrokenWaits || count < total - 1) return [];
  return [{ code: "refused-after-waits", seen: { count, total, of: "attempts" } }];
}

/** Notes on the thresholds with too few samples to judge: of all kinds of request together where there are several. */
function notJudged(thresholds: readonly Threshold[], summary: RunSummary): Finding[] {
  return thresholds.flatMap((threshold): Finding[] => {
    const { notJudged: few, crossing, limit, request, statistic, unit, guards } = threshold;
    const isPart =
      request !== undefined &&
      thresholds.some((one) => one.request === undefined && one.crossing === crossing && one.limit === limit);
    // What a search looks for is not judged at all.
    if (few === undefined || isPart || guards === "search") return [];
    const details = { crossing, needed: few.needed, ...(unit === "ms" ? { statistic } : {}) };
    return [{ ...crossingOf(threshold, summary), code: "share-not-judged", details }];
  });
}
