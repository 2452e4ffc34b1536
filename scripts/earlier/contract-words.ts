import { endpointLabel } from "../../schemas/api.ts";
import { counted, figure } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import type { Burst, Drift, FieldNameDrift, LimitEstimate, RetailerDrift } from "./contract-change.ts";

// Words for changes of the contract.

/** How much a change of the contract matters, most important first. */
export const driftLabels = {
  breaking: "breaking",
  notable: "notable",
  harmless: "harmless",
} as const satisfies Record<Drift["rank"], string>;

/** One change of the contract, as a sentence or two. */
export function driftText(drift: Drift): string {
  switch (drift.kind) {
    case "field":
      return fieldText(drift);
    case "dialect":
      return fieldNameText(drift);
    case "retailer":
      return retailerText(drift);
    case "status": {
      const { subject, endpoint, before, after } = drift;
      return `${endpointLabel(endpoint)}, ${subject} responses: ${share(before)} before, ${share(after)} now.`;
    }
    case "limit":
      return drift.subject === "rate"
        ? `Rate limit: ${estimate(drift.before)} before, ${estimate(drift.after)} now.`
        : `Requests accepted in a burst: ${burst(drift.before)} before, ${burst(drift.after)} now.`;
    default:
      return drift satisfies never;
  }
}

/** What changed, in a few words that are unique within a run. */
export function driftSubject(drift: Drift): string {
  switch (drift.kind) {
    case "status":
      return `${drift.subject} from ${endpointLabel(drift.endpoint)}`;
    case "limit":
      return drift.subject === "rate" ? "requests a second" : "requests in a burst";
    default:
      return drift.subject;
  }
}

function fieldText({ subject, retailers, more }: Extract<Drift, { kind: "field" }>): string {
  const sum = (of: "before" | "after") => ({
    count: retailers.reduce((all, one) => all + one[of].count, 0),
    total: retailers.reduce((all, one) => all + one[of].total, 0),
  });
  const [before, after] = [sum("before"), sum("after")];
  const [only, ...others] = retailers;
  const where =
    only === undefined || others.length > 0
      ? ` (${counted(retailers.length, "retailer")})`
      : ` (retailer ${code(only.retailer)})`;
  const moved =
    after.count === 0
      ? `gone. ${share(before)} products had it, now none of ${after.total}`
      : before.count === 0
        ? `new. No product had it, now ${share(after)}`
        : `on ${share(before)} products before, on ${share(after)} now`;
  const rest = more === undefined ? "" : ` ${counted(more, "more field")} changed in the same way.`;
  return `Field ${code(subject)}: ${moved}${where}.${rest}`;
}

const fieldNames: Readonly<Record<FieldNameDrift["subject"], string>> = {
  batchRequestField: "Field of a batch request that carries the items",
  batchFoundField: "List of found products in a batch result",
  batchFoundProduct: "Place of the product in an entry of the list of found products",
  gtin: "Place of the GTIN on a product",
};

function fieldNameText({ subject, rule, before, after }: FieldNameDrift): string {
  const both = rule === "dialect.moved" ? ` Products still have ${fieldName(before)}.` : "";
  return `${fieldNames[subject]}: ${fieldName(before)} before, ${fieldName(after)} now.${both}`;
}

function fieldName(name: string | undefined): string {
  if (name === undefined) return "not found";
  return name === "" ? "the body itself" : code(name);
}

function retailerText({ subject, rule, otherKey }: RetailerDrift): string {
  const key =
    otherKey === undefined
      ? ""
      : " The primary key has changed: another organization may have other retailers.";
  switch (rule) {
    case "retailer.vanished":
      return `The key may no longer use the retailer ${code(subject)}.${key}`;
    case "retailer.appeared":
      return `The key may now use the retailer ${code(subject)}.`;
    default:
      return `No product of the retailer ${code(subject)} was seen, so its fields were not compared.`;
  }
}

function share({ count, total }: { readonly count: number; readonly total: number }): string {
  return `${count} of ${total}`;
}

function estimate({ perSecond, low, high }: LimitEstimate): string {
  return `about ${figure(perSecond)} requests a second (${figure(low)} to ${figure(high)})`;
}

function burst({ accepted, limitReached }: Burst): string {
  return limitReached ? `${accepted}` : `all ${accepted}`;
}
