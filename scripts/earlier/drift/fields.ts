import type { Contract, Drift } from "../../../schemas/types.ts";
import { chanceOfSoFew, improbable, isGone, type Met } from "./chance.ts";
import { change } from "./change.ts";
import type { DriftRuleId } from "./rules.ts";

/** From this share on, a field counts as one that every product had. */
const nearlyAlways = 0.95;
/** Most changes told of one rule: a field whose names are data could give thousands. */
const mostOfOneRule = 20;

interface FieldChange {
  readonly rule: DriftRuleId;
  readonly path: string;
  readonly retailer: string;
  readonly before: Met;
  readonly after: Met;
}

/** Fields that came, went or became rare, retailer by retailer; alike ones of several retailers are one change. */
export function fieldDrift(before: Contract, after: Contract): Drift[] {
  const shared = Object.keys(before.fieldsByRetailer).filter(
    (slug) => sampleOf(before, slug) > 0 && sampleOf(after, slug) > 0,
  );
  const known = new Set(Object.values(before.fieldsByRetailer).flatMap(({ fields }) => Object.keys(fields)));
  const sameCategories = before.categories.every((category) => after.categories.includes(category));
  const changes = shared.flatMap((retailer) =>
    pathsOf(before, after, retailer).flatMap((path): FieldChange[] => {
      const told = {
        path,
        retailer,
        before: metOf(before, retailer, path),
        after: metOf(after, retailer, path),
      };
      const rule = ruleFor(told, { known: known.has(path), sameCategories });
      return rule === undefined ? [] : [{ ...told, rule }];
    }),
  );
  return [...Map.groupBy(changes, ({ rule }) => rule)].flatMap(([rule, group]) => {
    const byPath = [...Map.groupBy(group, ({ path }) => path)];
    const told = byPath.slice(0, mostOfOneRule).map(([path, alike]) => tell(rule, path, alike));
    const rest = byPath.length - told.length;
    if (rest === 0) return told;
    const statement = `and ${rest} more fields alike`;
    return [...told, change(rule, { subject: `${rest} more fields`, statement })];
  });
}

function ruleFor(
  { before, after }: Pick<FieldChange, "before" | "after">,
  { known, sameCategories }: { readonly known: boolean; readonly sameCategories: boolean },
): DriftRuleId | undefined {
  if (before.hits === 0) {
    if (after.hits === 0) return undefined;
    return known ? "field.appeared" : "field.new";
  }
  if (after.hits === 0) {
    if (!isGone(before, after)) return "field.not-seen";
    if (!sameCategories) return "field.vanished-elsewhere";
    return before.hits >= nearlyAlways * before.of ? "field.vanished" : "field.vanished-optional";
  }
  const halved = after.hits / after.of < before.hits / before.of / 2;
  return halved && sameCategories && chanceOfSoFew(before, after) < improbable ? "field.rarer" : undefined;
}

function tell(rule: DriftRuleId, path: string, alike: readonly FieldChange[]): Drift {
  const retailers = alike.map(({ retailer }) => retailer).join(", ");
  const counts = (which: "before" | "after") =>
    alike.map((one) => `${one[which].hits} of ${one[which].of} products of ${one.retailer}`).join(", ");
  const told = { before: counts("before"), after: counts("after") };
  const statement = `the field ${path} was on ${told.before}, and is on ${told.after}`;
  return change(rule, { subject: `${path} of ${retailers}`, ...told, statement });
}

function pathsOf(before: Contract, after: Contract, retailer: string): string[] {
  const paths = [before, after].flatMap(({ fieldsByRetailer }) =>
    Object.keys(own(fieldsByRetailer, retailer)?.fields ?? {}),
  );
  return [...new Set(paths)];
}

// Slugs and field names come from the target: "constructor" is one of them when only asked for as our own.
function sampleOf({ fieldsByRetailer }: Contract, retailer: string): number {
  return own(fieldsByRetailer, retailer)?.products ?? 0;
}

function metOf(contract: Contract, retailer: string, path: string): Met {
  const fields = own(contract.fieldsByRetailer, retailer)?.fields ?? {};
  return { hits: own(fields, path) ?? 0, of: sampleOf(contract, retailer) };
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
