import { waiverFor } from "../../conformance/requirements/verdict.ts";
import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import type { Waiver, WaiverResult } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { CheckResult, Results } from "../../schemas/contracts/results.ts";
import type { Settings } from "../config/settings.ts";

/** The waivers whose last day has not passed. Days are those in UTC. */
export function inForce(waivers: readonly Waiver[], now: Date): Waiver[] {
  return waivers.filter(({ expires }) => expires >= dayOf(now));
}

/** Such as `2026-12-31`. */
function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

/**
 * The states of waivers after a run. `stale`: all that it waives was judged and passed; it must be removed,
 * so that the next failure is reported. `unused`: something was not judged, or the run is a part, in which a
 * rule may lack the responses that showed its failure.
 * @param checks Default: all checks of the suite
 */
export function waiverStates(
  { waivers, file }: Pick<Settings, "waivers" | "file">,
  now: Date,
  { requirements, scope }: Pick<Results<Finding>, "requirements" | "scope">,
  checks: readonly Listed[] = listChecks(),
): WaiverResult[] {
  const results = new Map(requirements.flatMap((one) => one.checks.map((check) => [check.id, check])));
  return waivers.map((waiver, at) => {
    const covered = checks.filter(({ id }) => waiverFor(id, [waiver]) !== undefined);
    const mayLack = scope !== undefined && covered.some(({ requests }) => requests === 0);
    const whole = stateOf(waiver, results, covered);
    const state = whole === "stale" && mayLack ? "unused" : whole;
    // What is repaired needs no later date.
    const isExpired = waiver.expires < dayOf(now) && state !== "stale";
    return { waiver, state: isExpired ? "expired" : state, where: `${file}, waivers[${at}]` };
  });
}

function stateOf(
  waiver: Waiver,
  results: ReadonlyMap<string, CheckResult>,
  checks: readonly Listed[],
): WaiverResult["state"] {
  const covered = checks.map(({ id }) => results.get(id));
  if (covered.some((check) => check?.waiver?.id === waiver.id)) return "active";
  const isJudged = covered.every(isSettled) && covered.some((check) => check?.verdict !== "notApplicable");
  return isJudged ? "stale" : "unused";
}

// A warning without a waiver is not a failure, but an intermittent failure may occur again.
function isSettled(check: CheckResult | undefined): boolean {
  if (check === undefined || check.attempts !== undefined) return false;
  return check.verdict === "pass" || check.verdict === "notApplicable" || check.verdict === "warn";
}
