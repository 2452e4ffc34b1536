import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { type JudgedLimit, measuredOf, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import type { CrossingFinding, Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { given } from "../../schemas/json.ts";
import { type RequestKindId, requestKinds, type ScenarioId } from "../../schemas/scenarios.ts";
import { isCrossed } from "../../schemas/verdicts.ts";
import {
  type Blame,
  blameForLost,
  capacityOf,
  type LoadFacts,
  lossUnderLoad,
  rateLimitFinding,
  targetGoneFinding,
} from "./blame.ts";
import type { K6Exit } from "./k6-process.ts";
import { unsureSearch } from "./search.ts";
import { failuresOf, isLossTooHigh, judgeShares } from "./shares.ts";

/** A finished run. */
export interface EndedRun {
  readonly scenario: ScenarioId;
  readonly profile: Profile;
  readonly exit: K6Exit;
  /** Undefined when k6 did not write one. */
  readonly summary: RunSummary | undefined;
  /** Resources that the load generators ran out of. */
  readonly starved?: readonly Finding[];
  /** Peak memory of the generators and the memory available to them, in bytes. */
  readonly memory?: { readonly used: number; readonly granted: number } | undefined;
  /** A response that is too big to read, found after k6 had exceeded its memory limit. */
  readonly tooBig?: Finding | undefined;
  /** Responses that were kept, for who gave them. Default: none */
  readonly evidence?: LoadResult["evidence"];
  /** Time series of the run; undefined when it was not recorded. */
  readonly series?: LoadResult["series"] | undefined;
}

export type LoadJudgement = Pick<LoadResult, "verdict" | "findings" | "notes" | "thresholds" | "failures">;

/** The id that waives a threshold. */
export function thresholdId(scenario: string, metric: string): string {
  return `load.${scenario}/${metric}`;
}

/**
 * Decides the verdict of a load run; nothing else does.
 *
 * - `fail`: the target failed. Failed requests, invalid responses and refusals below the planned rate show this even in a
 *   run that is otherwise invalid; latency over its limit does not.
 * - `invalid`: the run says nothing about the target.
 *
 * @param waivers Active ones. Only those of thresholds apply.
 *
 * The exit code of k6 is not enough: it is 0 in many of these cases, and some codes hide a crossed threshold.
 */
export function judgeLoad(run: EndedRun, waivers: readonly Waiver[] = []): LoadJudgement {
  const thresholds = thresholdsOf(run, waivers);
  const { summary, profile } = run;
  const cutShort = cutShortFindings(run);
  // An oversized response explains high memory use and is the target's fault; without one, the cause is unknown.
  if (run.tooBig !== undefined && run.exit.stopped?.code === "k6-memory" && !run.exit.interrupted) {
    return { thresholds, notes: [], verdict: "fail", findings: [run.tooBig, ...cutShort] };
  }
  if (summary === undefined || cutShort.length > 0) {
    return { thresholds, notes: [], verdict: "invalid", findings: cutShort };
  }
  const facts: LoadFacts = { ...run, summary, starved: run.starved ?? [] };
  const { onTarget, onRun, waived } = crossings(thresholds, facts);
  const gone = targetGoneFinding(summary, run.series);
  const blame = gone === undefined ? (refusedInSearch(run, facts) ?? blameOf(facts, onRun)) : undefined;
  const onTheWay = lossUnderLoad(facts);
  const isEmpty = onRun.some(({ code }) => emptyCodes.has(code));
  const tooManyLost = onTheWay !== undefined && (isEmpty || isLossTooHigh(onTheWay, profile));
  const refused = blame?.findings.some(({ code }) => code === "rate-limit-reached") ?? false;
  const emptied = [...emptiedByFailures(onRun, summary), ...emptiedByDrops(onRun, summary)];
  // The rate is not the choice of the user, and no promise of the target: such a run sends what the limit accepts.
  const yielded = refused && profile.untilJudged === true && onRun.every(({ code }) => !emptyCodes.has(code));
  const isSearch = profile.findsCapacity === true;
  const unsure = isSearch ? unsureSearch(facts) : [];
  const isExplained = (finding: CrossingFinding) =>
    emptied.includes(finding) ||
    (lostCodes.has(finding.code) && !(isSearch && finding.code === "iterations-late")) ||
    ((refused || tooManyLost) && emptyCodes.has(finding.code));
  const starved = blame?.guards === "run" ? [] : facts.starved;
  const ofBlame = blame?.guards === "run" ? blame.findings : [];
  const isBlamed = ofBlame.some(({ code }) => code === "lost-on-the-way");
  const runFindings = [
    ...(tooManyLost && !isBlamed ? [onTheWay.finding] : []),
    ...run.exit.reported,
    ...ofBlame,
    ...starved,
    ...onRun.filter((finding) => !isExplained(finding)),
    ...notSentFindings(thresholds, profile),
    ...unsure,
    ...exitFindings(run.exit, summary),
  ].filter(
    ({ code }, place, all) =>
      code !== "iterations-late" || all.findIndex((one) => one.code === code) === place,
  );
  // Load that was not generated as planned shows no capacity, and its delays were not part of a search.
  const capacity =
    isSearch && gone === undefined && runFindings.length === 0
      ? capacityOf(facts, blame?.guards === "target")
      : undefined;
  const isFound = capacity?.fromTheStart === false;
  // Nor does it show that the target was the reason why a search lost iterations.
  const isOnTarget = blame?.guards === "target" && !(isSearch && runFindings.length > 0);
  const targetFindings = [
    ...(gone === undefined ? [] : [gone]),
    ...(isOnTarget && !isFound && !yielded ? blame.findings : []),
    ...(capacity?.fromTheStart === true ? [capacity.finding] : []),
    ...brokenWaitFindings(summary),
    ...onTarget,
  ];
  const hasFailed = targetFindings.some(({ code }) => code !== "latency-over-limit");
  const failures = failuresOf(thresholds, summary, profile);
  const judged = {
    ...given({ failures }),
    thresholds:
      isFound || yielded
        ? thresholds.map((one) => (isLostCrossing(one) ? { ...one, guards: "search" as const } : one))
        : thresholds,
    notes: [
      ...(isFound ? [refused ? (blame?.findings[0] ?? capacity.finding) : capacity.finding] : []),
      ...(yielded ? (blame?.findings ?? []) : []),
      ...(onTheWay === undefined || tooManyLost || isBlamed ? [] : [onTheWay.finding]),
      ...(hasFailed ? [] : emptied),
      ...waived,
      ...notJudgedNotes(thresholds, summary),
    ],
  };
  if (hasFailed) {
    return { ...judged, verdict: "fail", findings: [...targetFindings, ...runFindings, ...emptied] };
  }
  if (runFindings.length > 0) {
    return { ...judged, verdict: "invalid", findings: [...runFindings, ...targetFindings] };
  }
  if (targetFindings.length > 0) {
    return { ...judged, verdict: "fail", findings: targetFindings };
  }
  return { ...judged, verdict: "pass", findings: [] };
}

/** Crossings that lost iterations cause. `blameForLost` decides why they were lost. */
const lostCodes: ReadonlySet<Finding["code"]> = new Set(["iterations-dropped", "iterations-late"]);
/** Crossings that a target causes by refusing every request. */
const emptyCodes: ReadonlySet<Finding["code"]> = new Set(["no-samples", "nothing-checked"]);

function isLostCrossing({ crossing, met }: Threshold): boolean {
  return !met && (lostCodes.has(crossing) || emptyCodes.has(crossing));
}

/**
 * The crossings that say that nothing was measured of a kind, where its requests were sent and failed. Their share judges
 * them, unless there is no other kind.
 */
function emptiedByFailures(onRun: readonly CrossingFinding[], { metrics }: RunSummary): CrossingFinding[] {
  const empty = onRun.filter(({ code }) => emptyCodes.has(code));
  const responded = Object.entries(metrics).some(
    ([name, { fails = 0 }]) => name.startsWith("http_req_failed{name:") && fails > 0,
  );
  return responded
    ? empty.filter(({ subject }) => (metrics[`http_req_failed{name:${subject}}`]?.passes ?? 0) > 0)
    : [];
}

/**
 * The crossings that say that nothing was measured of a kind, where the profile lets the run drop as many iterations as
 * the plan has of it: a kind with one or two requests decides nothing alone.
 */
function emptiedByDrops(onRun: readonly CrossingFinding[], summary: RunSummary): CrossingFinding[] {
  const dropped = summary.metrics.dropped_iterations?.count ?? 0;
  const isMeasured = summary.thresholds.some(({ measure, met }) => measure === "http_reqs" && met);
  if (!isMeasured || onRun.some(({ code }) => code === "iterations-dropped")) return [];
  const rare = summary.thresholds.filter(({ planned = Number.POSITIVE_INFINITY }) => planned <= dropped);
  return onRun.filter(
    ({ code, subject }) => emptyCodes.has(code) && rare.some(({ request }) => request === subject),
  );
}

/** The rate limit as the answer of a search, which ends before its refusals cost it an iteration. */
function refusedInSearch({ exit, profile }: EndedRun, facts: LoadFacts): Blame | undefined {
  if (profile.findsCapacity !== true || exit.finished !== true) return undefined;
  const limit = rateLimitFinding(facts);
  return limit && { guards: "target", findings: [limit] };
}

/** Why iterations were lost; undefined when the profile allows as many. */
function blameOf(facts: LoadFacts, onRun: readonly Finding[]): Blame | undefined {
  const { summary, profile } = facts;
  const counted = (metric: string) => summary.metrics[metric]?.count ?? 0;
  const allowed = Math.floor(profile.thresholds.droppedShare * summary.plannedIterations);
  const abandoned = counted("abandoned_iterations");
  const isLost =
    onRun.some(({ code }) => lostCodes.has(code)) ||
    (abandoned > 0 && abandoned + counted("dropped_iterations") > allowed) ||
    (counted("refusals") > 0 && onRun.some(({ code }) => emptyCodes.has(code)));
  return isLost
    ? blameForLost(
        facts,
        onRun.filter(({ code }) => code === "iterations-late"),
      )
    : undefined;
}

/** Which of the kept responses cause a crossing, whoever gives them. */
const causes: Partial<Record<Finding["code"], (status: number) => boolean>> = {
  "retry-after-malformed": (status) => status === 429,
  "other-organization-refused": (status) => status === 429,
  "failed-requests": (status) => status >= 400 && status !== 429,
};

/** Who gave the responses that cause a crossing, if it was the same for all that were kept. */
function senderOf({ crossing, request }: Threshold, evidence: NonNullable<LoadFacts["evidence"]>) {
  const isCause = causes[crossing];
  const kept = evidence.filter(
    (one) =>
      isCause?.(one.exchange.response.status) === true &&
      (!isRequestKind(request) || one.request === request),
  );
  const [from, ...others] = kept.map(({ finding }) => finding.from);
  return others.every((one) => one?.by === from?.by && one?.name === from?.name) ? from : undefined;
}

/** The findings of crossed thresholds: on the target, on the run itself, and those that a waiver covers. */
function crossings(thresholds: readonly Threshold[], { summary, evidence = [] }: LoadFacts) {
  const crossed = thresholds.filter(isCrossed);
  const late = thresholds.find(({ crossing }) => crossing === "iterations-late")?.value ?? 0;
  const of = (guards: Threshold["guards"], isWaived: boolean): CrossingFinding[] =>
    crossed
      .filter((one) => one.guards === guards && (one.waiver !== undefined) === isWaived)
      .map((one) => ({
        ...crossingOf(one, summary),
        ...given({ from: senderOf(one, evidence) }),
      }));
  const { ours = [], theirs = [] } = Object.groupBy(of("target", false), (finding) =>
    isWithinDelay(finding, late) ? "ours" : "theirs",
  );
  return {
    onTarget: theirs,
    onRun: [
      ...of("run", false),
      ...ours.map((one) => ({ ...one, details: { ...one.details, lateMilliseconds: late } })),
    ],
    waived: of("target", true).map((waived): Finding => ({ code: "threshold-waived", details: { waived } })),
  };
}

/** From this delay of its iterations on, a machine may also have delayed what it measured. */
const leastDelayMilliseconds = 20;

/** Whether latency is above its limit by no more than this machine was late itself, so that either may be the reason. */
function isWithinDelay({ code, actual = 0, expected = 0 }: CrossingFinding, late: number): boolean {
  return code === "latency-over-limit" && late >= leastDelayMilliseconds && actual - late <= expected;
}

function thresholdsOf({ scenario, profile, summary }: EndedRun, waivers: readonly Waiver[]): Threshold[] {
  if (summary === undefined) return [];
  const measured = summary.thresholds.map((limit: JudgedLimit): Threshold => {
    const threshold = withoutDropped(thresholdOf(limit, measuredOf(limit, summary.metrics)), summary);
    const searched = profile.findsCapacity === true && threshold.crossing === "latency-over-limit";
    return searched ? { ...threshold, guards: "search" } : threshold;
  });
  return judgeShares(measured, summary).map((threshold) => {
    const waiver = waivers.find(({ id }) => id === thresholdId(scenario, threshold.metric));
    // A threshold on the run itself cannot be waived, since it shows that nothing was measured.
    return waiver !== undefined && threshold.guards === "target" && isCrossed(threshold)
      ? { ...threshold, waiver }
      : threshold;
  });
}

/**
 * Corrects the measured delay of iterations for dropped ones. The planned time of an iteration follows from its number,
 * and a dropped iteration has none, so each one makes all later iterations seem late by one interval.
 */
function withoutDropped(threshold: Threshold, summary: RunSummary): Threshold {
  const { crossing, value, limit } = threshold;
  const dropped = summary.metrics.dropped_iterations?.count ?? 0;
  if (crossing !== "iterations-late" || value === undefined || dropped === 0) return threshold;
  const spacing = summary.durationMilliseconds / Math.max(1, summary.plannedIterations);
  const late = Math.max(0, value - dropped * spacing);
  return { ...threshold, value: late, met: late <= limit };
}

/** Exit code of k6 after an exception in the setup or in the script. */
export const k6ExitScriptException = 107;

/** Why the run ended early, so that its thresholds mean nothing; empty when it did not. */
function cutShortFindings({ exit, summary, memory }: EndedRun): Finding[] {
  if (exit.interrupted) return [{ code: "load-interrupted" }];
  if (exit.stopped !== undefined) return [exit.stopped];
  const endedByScript =
    exit.reported.length > 0 && (exit.code === k6ExitScriptException || summary === undefined);
  if (endedByScript) return [...exit.reported];
  if (summary !== undefined) return [];
  if (exit.signal !== undefined) {
    const used = memory && ({ actual: memory.used, expected: memory.granted, unit: "bytes" } as const);
    return [{ code: "k6-killed", subject: exit.signal, ...used }];
  }
  return [{ code: "no-summary", actual: exit.code }];
}

/** An exit code of k6 that the summary does not explain. */
function exitFindings({ code, reported, finished }: K6Exit, { thresholds, metrics }: RunSummary): Finding[] {
  const isExplained = code === 0 || code === 99 || reported.length > 0 || finished === true;
  // k6 counts requests lost at a gateway as failed.
  const someLostOnTheWay = (metrics.on_the_way?.count ?? 0) > 0;
  const contradicts = code === 99 && !someLostOnTheWay && thresholds.every(({ met }) => met);
  if (isExplained && !contradicts) return [];
  return [{ code: "k6-exit", actual: code }];
}

/** The finding of a crossed threshold, with its counts. */
function crossingOf(threshold: Threshold, summary: RunSummary): CrossingFinding {
  const { crossing, request, statistic, limit, value, unit } = threshold;
  const seen = seenOf(threshold, summary);
  return {
    code: crossing,
    ...(isRequestKind(request) ? { endpoint: requestKinds[request].endpoint, subject: request } : {}),
    expected: limit,
    actual: value,
    unit,
    seen,
    ...(unit === "ms" ? { details: { statistic } } : {}),
  };
}

/** Notes on the thresholds with too few samples to judge: of all kinds of request together where there are several. */
function notJudgedNotes(thresholds: readonly Threshold[], summary: RunSummary): Finding[] {
  return thresholds.flatMap((threshold): Finding[] => {
    const { notJudged, crossing, limit, request } = threshold;
    const isPart =
      request !== undefined &&
      thresholds.some((one) => one.request === undefined && one.crossing === crossing && one.limit === limit);
    if (notJudged === undefined || isPart) return [];
    const { statistic } = threshold;
    const details = { crossing, needed: notJudged.needed, ...(threshold.unit === "ms" ? { statistic } : {}) };
    return [{ ...crossingOf(threshold, summary), code: "share-not-judged", details }];
  });
}

/** Number of broken waits that is no coincidence. */
const leastBrokenWaits = 3;

/**
 * A Retry-After after which requests are refused again (spec, Errors). One wait may have been tried after the start of a
 * ban. A gateway that takes part has a limit of its own.
 */
function brokenWaitFindings({ metrics }: RunSummary): Finding[] {
  const of = (metric: string) => metrics[metric]?.count ?? 0;
  // A polite run waits a second where the service names none, and cannot be sure that it is alone after a wait of 0.
  const isNamed = of("refusals_malformed") === 0 && of("polite_wait_seconds") >= of("polite_waits");
  const count = isNamed ? of("probe_waits_refused") + of("polite_refused_again") : 0;
  const total = of("probe_waits_tried") + of("polite_waits");
  const isByGateway = (metrics.on_the_way?.count ?? 0) > 0;
  if (isByGateway || count < leastBrokenWaits || count < total - 1) return [];
  const cached = of("probe_waits_cached");
  const details = cached > 0 ? { cached } : undefined;
  return [{ code: "refused-after-waits", seen: { count, total, of: "attempts" }, ...given({ details }) }];
}

function isRequestKind(name: string | undefined): name is RequestKindId {
  return name !== undefined && Object.hasOwn(requestKinds, name);
}

/** How often something that a threshold limits happened, and in how many requests or iterations. */
function seenOf(threshold: Threshold, summary: RunSummary): Finding["seen"] {
  const { metric, crossing, request, value } = threshold;
  const { passes = 0, fails = 0, count = 0 } = summary.metrics[metric] ?? {};
  const counted = (name: string) => summary.metrics[name]?.count ?? 0;
  switch (crossing) {
    case "latency-over-limit":
    case "iterations-late":
      return { count, of: "samples" };
    case "failed-requests":
    case "invalid-responses": {
      const of = crossing === "failed-requests" ? "requests" : "responses";
      return { ...(threshold.counted ?? { count: passes, total: passes + fails }), of };
    }
    case "no-samples": {
      const { passes: failed = 0 } = summary.metrics[`http_req_failed{name:${request}}`] ?? {};
      return failed === 0 ? undefined : { count: 0, total: failed, of: "requests" };
    }
    case "foreign-responses": {
      const total = counted("fitting_responses") + (value ?? 0);
      return { count: value ?? 0, total, of: "responses" };
    }
    case "retry-after-malformed":
      return { count: value ?? 0, total: counted("refusals"), of: "responses" };
    case "other-organization-refused":
      return { count: value ?? 0, total: counted("probe_other_requests"), of: "requests" };
    case "script-exceptions":
    case "cursor-repeated":
      return { count: value ?? 0, of: "iterations" };
    default:
      return undefined;
  }
}

/** Kinds of request that the profile limits but the scenario does not send. */
function notSentFindings(thresholds: readonly Threshold[], profile: Profile): Finding[] {
  return Object.keys(profile.thresholds.endpoints ?? {})
    .filter((name) => !thresholds.some(({ request }) => request === name))
    .map((subject) => ({ code: "endpoint-not-asked", subject }));
}
