import type { Contract, Drift } from "../../../schemas/types.ts";
import { change } from "./change.ts";

/**
 * What a burst lets in is what the requests before it left of the allowance: 63 to 200 of 200 on the unchanged reference
 * service, and anything where the limit counts in windows. So only a drop by this factor is told, and never as breaking.
 */
const burstTolerance = 4;

/** The limit: by the probes of load runs where both runs have one, else by the burst that provoked it. */
export function limitDrift(before: Contract, after: Contract): Drift[] {
  if (before.limit !== undefined && after.limit !== undefined) return probeDrift(before.limit, after.limit);
  return burstDrift(before, after);
}

type Probe = NonNullable<Contract["limit"]>;

function probeDrift(before: Probe, after: Probe): Drift[] {
  const apart = before.low > after.high || after.low > before.high;
  if (!apart) return [];
  const told = { subject: "requests a second", before: shown(before), after: shown(after) };
  const statement = `the limit was ${told.before} requests a second, and is ${told.after}`;
  if (after.perSecond > before.perSecond) return [change("limit.raised", { ...told, statement })];
  const halved = after.perSecond <= before.perSecond / 2;
  return [change(halved ? "limit.halved" : "limit.lowered", { ...told, statement })];
}

function burstDrift(before: Contract, after: Contract): Drift[] {
  // A run that provoked no limit says nothing of it.
  if (before.letIn === undefined || after.letIn === undefined) return [];
  const told = { subject: "requests at once", before: letIn(before), after: letIn(after) };
  const statement = `a burst let in ${told.before} requests, and lets in ${told.after}`;
  const lowered = before.letIn >= burstTolerance * after.letIn && after.refused > 0;
  if (lowered) return [change("limit.lowered", { ...told, statement })];
  const raised = after.letIn >= burstTolerance * before.letIn && before.refused > 0;
  return raised ? [change("limit.raised", { ...told, statement })] : [];
}

// Without a refusal, the burst ended before the limit.
function letIn({ letIn: count = 0, refused }: Contract): string {
  return refused === 0 ? `all ${count}` : String(count);
}

function shown({ perSecond, low, high }: Probe): string {
  return `${round(perSecond)} (${round(low)} to ${round(high)})`;
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}
