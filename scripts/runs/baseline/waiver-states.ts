import { waiverFor } from "../../../conformance/requirements/verdict.ts";
import type { Listed } from "../../../conformance/suite/all.ts";
import { guardOf } from "../../../scenarios/lib/thresholds.ts";
import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { CheckResult, Results } from "../../../schemas/contracts/results.ts";
import type { Waiver, WaiverResult } from "../../../schemas/contracts/waivers.ts";
import { type ScenarioId, scenarioIds } from "../../../schemas/scenarios.ts";
import { isCrossed } from "../../../schemas/verdicts.ts";

/** Whether a text is an existing date in the form `2026-12-31`. */
export function isDay(text: string): boolean {
  const start = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(start.getTime()) && dayOf(start) === text;
}

/** The date of a moment in UTC, such as `2026-12-31`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** A waiver with its place for messages: `shelfcheck-baseline/waivers.yaml, line 4`. */
export interface ListedWaiver {
  readonly waiver: Waiver;
  readonly where: string;
}

export interface RunWaivers {
  /** All waivers of the target, including expired ones. */
  readonly listed: readonly ListedWaiver[];
  /** The date of the run in UTC, such as `2026-12-31`. */
  readonly today: string;
}

/** The waivers that apply to a target. */
export function waiversOf(target: string, all: readonly ListedWaiver[]): ListedWaiver[] {
  return all.filter(({ waiver }) => waiver.targets?.includes(target) ?? true);
}

/** Whether a waiver's last day has passed. */
export function isExpired({ waiver }: ListedWaiver, today: string): boolean {
  return waiver.expires < today;
}

/** How many days before its last one a waiver is announced to end. */
const announcedDays = 7;

/** A notice for each waiver whose last day is near, so that nobody is surprised by a red run. */
export function endingWaivers({ listed, today }: RunWaivers): FindingOf<"waiver-ends">[] {
  return listed.flatMap(({ waiver: { id, expires } }) => {
    const days = Math.round((Date.parse(expires) - Date.parse(today)) / 86_400_000);
    return days < 0 || days > announcedDays
      ? []
      : [{ code: "waiver-ends" as const, subject: id, expected: expires, actual: days }];
  });
}

export function inForce({ listed, today }: RunWaivers): ListedWaiver[] {
  return listed.filter((one) => !isExpired(one, today));
}

/**
 * The state of each waiver after a run. It is `stale` if everything that it waives was judged in this run and passed: then
 * it must be removed, so that the next failure is reported. It is `unused` if something was not judged, fails only
 * intermittently, or is a limit within which a load run stayed with too few samples to rule out chance.
 * @param checks All checks of the suite.
 */
export function waiverStates(
  { listed, today }: RunWaivers,
  { requirements, load }: Pick<Results<Finding>, "requirements" | "load">,
  checks: readonly Listed[],
): WaiverResult[] {
  const results = new Map(requirements.flatMap((one) => one.checks.map((check) => [check.id, check])));
  return listed.map((one) => {
    const { waiver, where } = one;
    if (isExpired(one, today)) return { waiver, state: "expired", where };
    const threshold = waivedThreshold(waiver.id);
    const state =
      threshold === undefined ? stateOfChecks(waiver, results, checks) : stateOfThreshold(threshold, load);
    return { waiver, state: state === "stale" && waiver.flaky === true ? "unused" : state, where };
  });
}

function stateOfChecks(
  waiver: Waiver,
  results: ReadonlyMap<string, CheckResult>,
  checks: readonly Listed[],
): WaiverResult["state"] {
  const covered = checks.filter(({ id }) => waiverFor(id, [waiver]) !== undefined);
  const judgedChecks = covered.map(({ id }) => results.get(id));
  if (judgedChecks.some((check) => check?.waiver?.id === waiver.id)) return "active";
  const judged =
    judgedChecks.every(isSettled) && judgedChecks.some((check) => check?.verdict !== "notApplicable");
  return judged ? "stale" : "unused";
}

function stateOfThreshold(
  { scenario, metric }: WaivedThreshold,
  load: readonly LoadResult[],
): WaiverResult["state"] {
  const runs = load.filter((result) => result.scenario === scenario && result.verdict !== "invalid");
  const limits = runs
    .flatMap(({ thresholds }) => thresholds)
    .filter((one) => one.metric === metric && one.guards === "target");
  if (limits.some(isCrossed)) return "active";
  const isShown = limits.length > 0 && limits.every(({ met, fewSamples }) => met && fewSamples === undefined);
  return isShown ? "stale" : "unused";
}

// A warning without a waiver is not a failure, but an intermittent failure may occur again.
function isSettled(check: CheckResult | undefined): boolean {
  if (check === undefined || check.attempts !== undefined) return false;
  return check.verdict === "pass" || check.verdict === "notApplicable" || check.verdict === "warn";
}

/** A threshold that a waiver names: `load.lookup/invalid_responses{name:lookup-by-id}`. */
export interface WaivedThreshold {
  readonly scenario: ScenarioId;
  /** Name of the metric in k6, with its tags. */
  readonly metric: string;
}

/** The threshold that an id names; undefined for other ids, such as that of a check. */
export function waivedThreshold(id: string): WaivedThreshold | undefined {
  const [, scenario, metric] = /^load\.([\w-]+)\/(.+)$/.exec(id) ?? [];
  if (scenario === undefined || metric === undefined || !isScenario(scenario)) return undefined;
  // A threshold on the run itself cannot be waived, since it shows that nothing was measured.
  return guardOf(metric) === "target" ? { scenario, metric } : undefined;
}

function isScenario(name: string): name is ScenarioId {
  return scenarioIds.some((id) => id === name);
}

/** Whether a metric varies between runs, so that a waiver of its limit is not stale after one run within the limit. */
export function varies(metric: string): boolean {
  return metric.startsWith("http_req_duration") || metric.startsWith("http_req_failed");
}
