import { waiverFor } from "../../../conformance/engine/waiver.ts";
import type { CheckResult, LoadResult, RequirementResult } from "../../../schemas/types.ts";
import { UsageError } from "../../errors.ts";
import { comesAndGoes, thresholdId } from "./load-waivers.ts";
import { isExpired } from "./waiver-states.ts";
import type { ListedWaiver } from "./waivers.ts";

/** A failing check, or a crossed threshold. */
export type Waivable = Pick<CheckResult, "id" | "title" | "flaky">;

/** Checks without a waiver in force. */
export interface OpenChecks {
  readonly failing: readonly CheckResult[];
  readonly unjudged: readonly CheckResult[];
}

/** What the next run would stumble over: also what a waiver covered in that run that is not there any more. */
export function openChecks(
  requirements: readonly RequirementResult[],
  own: readonly ListedWaiver[],
  today: string,
): OpenChecks {
  const inForce = own.filter((one) => !isExpired(one, today)).map(({ waiver }) => waiver);
  const all = requirements.flatMap((one) => one.checks.map((check) => ({ check, requirement: one })));
  const open = all.filter(
    ({ check, requirement }) =>
      waiverFor({ id: check.id, requirement: requirement.id }, inForce) === undefined,
  );
  return {
    failing: open.filter(({ check }) => isFailing(check)).map(({ check }) => check),
    unjudged: open
      .filter(({ check, requirement }) => check.verdict === "inconclusive" && requirement.level === "must")
      .map(({ check }) => check),
  };
}

/** Thresholds that a gate crossed. Only a gate holds load against waivers: a run of load alone is looked at by whoever makes it. */
export function openThresholds(
  load: readonly LoadResult[],
  own: readonly ListedWaiver[],
  today: string,
): Waivable[] {
  const inForce = own.filter((one) => !isExpired(one, today)).map(({ waiver }) => waiver.id);
  const crossed = load.flatMap(({ scenario, thresholds, verdict }) =>
    verdict === "invalid"
      ? []
      : thresholds
          .filter(({ held, guards }) => !held && guards !== "run")
          .map(({ metric, expression }) => ({
            id: thresholdId(scenario, metric),
            title: `${metric} crossed ${expression}`,
            flaky: comesAndGoes(metric),
          })),
  );
  const byId = new Map(crossed.map((one) => [one.id, one]));
  return [...byId.values()].filter(({ id }) => !inForce.includes(id));
}

/** Whether a check failed, or would have without its waiver. */
export function isFailing({ verdict, waiver }: CheckResult): boolean {
  return verdict === "fail" || (verdict === "warn" && waiver !== undefined);
}

/** @throws UsageError when the waiver of a failure is expired: to renew it is for a person to say. */
export function refuseExpired(
  failing: readonly Waivable[],
  own: readonly ListedWaiver[],
  today: string,
): void {
  const over = own.filter(
    (one) =>
      isExpired(one, today) &&
      failing.some(({ id }) => waiverFor({ id, requirement: requirementOf(id) }, [one.waiver]) !== undefined),
  );
  if (over.length === 0) return;
  throw new UsageError({
    what: `${counted(over.length, "waiver")} of what still fails ${over.length === 1 ? "is" : "are"} expired`,
    where: over.map(({ waiver, where }) => `${waiver.id} (${where}, ${waiver.expires})`).join("; "),
    mend: "Agree on a later day with the owner and write it to `expires` by hand, or remove the entry and accept again.",
  });
}

// The id of a check begins with that of its requirement.
function requirementOf(check: string): string {
  return check.split("/", 1)[0] ?? check;
}

/** `1 failure`, `2 failures`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
