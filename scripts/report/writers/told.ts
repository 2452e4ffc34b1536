import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import { verdictLabels } from "../../../schemas/contracts/verdicts.ts";
import type { Waiver } from "../../../schemas/contracts/waivers.ts";
import type { Item, ShownPlace } from "../model.ts";

// What the writers say of an item in the same way.

/** Whether an item is told of. What was not judged stands under its causes, and what passed is counted. */
export function isToldOf(item: Item): boolean {
  return isFailed(item) || item.verdict === "warn" || item.verdict === "waived";
}

/** Whether an item is told of with an exchange. */
export function isFailed({ verdict }: Item): boolean {
  return verdict === "fail" || verdict === "error";
}

export const itemLabels: Readonly<Record<Item["verdict"], string>> = { ...verdictLabels, waived: "waived" };

/** The first place that shows a finding, which follows the one that it is compared with. */
export function placeOf({ said }: Item): ShownPlace | undefined {
  return said.find(({ places }) => places.length > 0)?.places.at(-1);
}

/** The exchanges that show the first finding that has places; without places, the first exchange. */
export function shownExchanges({ said, evidence }: Item): Evidence[] {
  const places = said.find((one) => one.places.length > 0)?.places ?? [{ exchange: 0 }];
  return [...new Set(places.map(({ exchange }) => exchange))].flatMap((at) => evidence[at] ?? []);
}

export function waivedText({ expires, owner, ticket, reason }: Waiver): string {
  return `Waived until ${expires} by ${owner}, \`${ticket}\`: ${reason}`;
}
