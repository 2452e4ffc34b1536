import type { Contract, Drift } from "../../../schemas/types.ts";
import { dialectDrift } from "./dialect.ts";
import { fieldDrift } from "./fields.ts";
import { limitDrift } from "./limit.ts";
import { retailerDrift } from "./retailers.ts";
import { statusDrift } from "./statuses.ts";

const ranks: readonly Drift["rank"][] = ["breaking", "notable", "harmless"];

/**
 * How the contract changed between two runs, by the rules of `rules.ts`: breaking first. Pure, and empty for two
 * runs that met the same. Both should be runs that came to their end.
 */
export function driftBetween(before: Contract, after: Contract): Drift[] {
  const changes = [
    ...dialectDrift(before, after),
    ...retailerDrift(before, after),
    ...fieldDrift(before, after),
    ...limitDrift(before, after),
    ...statusDrift(before, after),
  ];
  return changes.toSorted((a, b) => ranks.indexOf(a.rank) - ranks.indexOf(b.rank));
}
