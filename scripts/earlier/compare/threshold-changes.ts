import type { LoadResult, Results } from "../../../schemas/types.ts";

/**
 * What became of the load's own verdict. `crossed, not measured before` is no regression that can be shown, and nothing
 * to let pass either.
 */
type ThresholdChangeKind = "newly crossed" | "crossed, not measured before" | "no longer measured";

/** A threshold that holds no more, or a scenario that was measured and is not any more. */
export interface ThresholdChange {
  readonly kind: ThresholdChangeKind;
  readonly scenario: string;
  /** `answers_invalid{name:lookup-by-id} rate<=0`; left out when the scenario was not measured. */
  readonly threshold?: string;
}

type Side = Pick<Results, "command" | "load">;

/**
 * Thresholds that the later run crosses without a waiver and the earlier one did not, and scenarios that only the earlier
 * one measured. Another command sends other load: then nothing is missing.
 */
export function thresholdChanges(before: Side, after: Side): ThresholdChange[] {
  const crossings = after.load.flatMap((now) => {
    const old = before.load.find(
      ({ scenario, profile }) => scenario === now.scenario && profile === now.profile,
    );
    return newCrossings(old, now);
  });
  if (before.command !== after.command) return crossings;
  const missing = before.load.filter(
    (old) =>
      old.verdict !== "invalid" &&
      !after.load.some(({ scenario, verdict }) => scenario === old.scenario && verdict !== "invalid"),
  );
  return [
    ...crossings,
    ...missing.map(({ scenario }) => ({ kind: "no longer measured" as const, scenario })),
  ];
}

function newCrossings(old: LoadResult | undefined, now: LoadResult): ThresholdChange[] {
  if (now.verdict === "invalid") return [];
  const isMeasured = old !== undefined && old.verdict !== "invalid";
  const already = isMeasured ? crossed(old).map(nameOf) : [];
  return crossed(now)
    .filter((one) => one.waiver === undefined && !already.includes(nameOf(one)))
    .map((one) => ({
      kind: isMeasured ? "newly crossed" : "crossed, not measured before",
      scenario: now.scenario,
      threshold: nameOf(one),
    }));
}

type Threshold = LoadResult["thresholds"][number];

function crossed({ thresholds }: LoadResult): Threshold[] {
  return thresholds.filter(({ held, guards }) => !held && guards !== "run");
}

function nameOf({ metric, expression }: Threshold): string {
  return `${metric} ${expression}`;
}
