import type { Waiver } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import type { FieldsByRetailer, Results } from "../../schemas/contracts/results.ts";
import { clip, counted, figure, listed } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import { fieldNameLabels, fieldNameText } from "../report/subjects/run/discovered.ts";

/** The part of a run's results that shows what clients rely on. */
export type Contract = Pick<Results<Finding>, "discovered" | "load"> & {
  readonly target: Pick<Results["target"], "keyFingerprint">;
};

/** A difference between the contracts of two runs. */
export interface ContractDifference {
  /** By which a waiver accepts it, such as `field-gone/images`. */
  name: string;
  /** It fails a client that follows the spec, and with it the gate. */
  breaking: boolean;
  /** What was before and what is now, as a sentence. */
  message: string;
  waiver?: Waiver | undefined;
}

/**
 * What breaks makes a client fail that follows the spec and relies on what the service returned; the rest,
 * which the spec allows at any time, a person should see.
 */
const isBreaking = {
  // Every client sends or reads the old name.
  "name-changed": true,
  // The spec allows it, but a release should not do it unnoticed: clients lose its products.
  "retailer-gone": true,
  "field-gone": true,
  "field-type": true,
  // Clients that stayed well below the limit are refused now.
  "limit-halved": true,
  "retailer-new": false,
  "field-new": false,
  // Clients must not assume a fixed rate.
  "limit-changed": false,
} as const;

/** Whether an id may be the name of a difference that breaks clients and that a gate, which compares before load, finds. */
export function isDifferenceName(id: string): boolean {
  const rules = Object.entries(isBreaking).filter(([rule, breaks]) => breaks && rule !== "limit-halved");
  return rules.some(([rule]) => id.startsWith(`${rule}/`));
}

/** The differences between the contracts of two whole runs, breaking ones first. */
export function differencesBetween(before: Contract, after: Contract): ContractDifference[] {
  return [nameChanges, retailerChanges, fieldChanges, limitChanges]
    .flatMap((changes) => changes(before, after))
    .toSorted((one, other) => Number(other.breaking) - Number(one.breaking));
}

const longestMessage = 2000;

function difference(rule: keyof typeof isBreaking, subject: string, text: string): ContractDifference {
  return { name: `${rule}/${subject}`, breaking: isBreaking[rule], message: clip(text, longestMessage) };
}

/** Names that the spec leaves open. One that is not found now is not judged, which the requirements say. */
function nameChanges(before: Contract, after: Contract): ContractDifference[] {
  return (Object.keys(fieldNameLabels) as (keyof FieldNames)[]).flatMap((name) => {
    const [old, now] = [before.discovered.dialect[name], after.discovered.dialect[name]];
    if (old === undefined || now === undefined || old === now) return [];
    // The GTIN was found in another place, but who reads the old one still finds a value.
    if (name === "gtin" && Object.hasOwn(allProducts(after).fields, old)) return [];
    const text = `${fieldNameLabels[name]}: ${fieldNameText(old)} before, ${fieldNameText(now)} now.`;
    return difference("name-changed", name, text);
  });
}

function retailerChanges(before: Contract, after: Contract): ContractDifference[] {
  const [old, now] = [before.discovered.retailers, after.discovered.retailers];
  // A list that could not be read is not judged, which the requirements say.
  if (old === undefined || now === undefined) return [];
  const [had, has] = [new Set(old), new Set(now)];
  const isOtherKey = before.target.keyFingerprint !== after.target.keyFingerprint;
  const why = " The primary key has changed: another organization may have other retailers.";
  return [
    ...[...had.difference(has)].map((slug) =>
      difference(
        "retailer-gone",
        slug,
        `The retailer ${code(slug)} is no longer listed.${isOtherKey ? why : ""}`,
      ),
    ),
    ...[...has.difference(had)].map((slug) =>
      difference("retailer-new", slug, `The retailer ${code(slug)} is listed now.`),
    ),
  ];
}

/** Fewer products say too little about what products have. */
const leastProducts = 10;
/** A field that so many of a retailer's products have is one that clients rely on. */
const nearlyAll = { share: 0.95, least: leastProducts };
/** A field that so many products had, of all retailers, and that none has any more, is gone as well. */
const someOfAll = { share: 0.25, least: 40 };
/** Products of the earlier run that would have had the unseen type, had it been as frequent then as now. */
const leastRetyped = 5;

function fieldChanges(before: Contract, after: Contract): ContractDifference[] {
  const [had, has] = [allProducts(before), allProducts(after)];
  const known = new Set([...Object.keys(before.discovered.productsByType ?? {}), ...Object.keys(had.fields)]);
  const changed = [...known].flatMap((path) => {
    const [rule, text] = retyped(path, before, after) ?? gone(path, before, after) ?? [];
    return rule === undefined ? [] : [{ path, ...difference(rule, path, `Field ${code(path)}: ${text}`) }];
  });
  const isWithin = (path: string, above: string) => path !== above && isBelow(path, above);
  const whole = changed.filter(({ path }) => !changed.some((one) => isWithin(path, one.path)));
  const isComparable = had.products > 0 && !browsedMore(after, before);
  const fresh = Object.keys(has.fields).filter(
    (path) => !Object.hasOwn(had.fields, path) && !whole.some((one) => isBelow(path, one.path)),
  );
  const named = `New on products: ${listed(fresh.map(code))}.`;
  return [
    ...whole.map(({ path: _, ...one }) => one),
    ...(isComparable && fresh.length > 0 ? [difference("field-new", "products", named)] : []),
  ];
}

type FieldChange = readonly [rule: "field-type" | "field-gone", text: string];

/** A type in which the earlier run, which saw enough products with the field, did not see it. */
function retyped(path: string, before: Contract, after: Contract): FieldChange | undefined {
  if (browsedMore(after, before)) return undefined;
  const [old, now] = [typesAt(path, before), typesAt(path, after)];
  const [had = 0, has = 0] = [before, after].map((run) => productsWith(allProducts(run), path));
  if (Math.min(had, has) < leastProducts || Object.keys(old).length === 0) return undefined;
  const fresh = Object.entries(now).filter(
    ([type, count]) => !Object.hasOwn(old, type) && count * Math.min(1, had / has) >= leastRetyped,
  );
  const texts = fresh.map(([type, count]) => `${type} in ${counted(count, "product")}`);
  return fresh.length === 0
    ? undefined
    : ["field-type", `${listed(Object.keys(old))} before, now ${listed(texts)}.`];
}

/** A field of nearly all products of a retailer, or of many of all, that no product has now. */
function gone(path: string, before: Contract, after: Contract): FieldChange | undefined {
  if (browsedMore(before, after)) return undefined;
  const now = new Map(Object.entries(after.discovered.fieldsByRetailer ?? {}));
  const retailers = Object.entries(before.discovered.fieldsByRetailer ?? {}).flatMap(([slug, had]) => {
    const has = now.get(slug);
    return has === undefined ? [] : [{ of: [code(slug)], had, has, ...nearlyAll }];
  });
  const all = { of: [] as string[], had: allProducts(before), has: allProducts(after), ...someOfAll };
  // A list may be empty in all products.
  const isUnseen = !path.includes("[]") && Object.keys(typesAt(path, after)).length === 0;
  const isGone = ({ had, has, share, least }: typeof all) => {
    const isMany = productsWith(had, path) >= share * had.products;
    return isMany && Math.min(had.products, has.products) >= least && productsWith(has, path) === 0;
  };
  const without = isUnseen && isGone(all) ? [all] : retailers.filter(isGone);
  if (without.length === 0) return undefined;
  const sum = (of: (one: (typeof without)[number]) => number) =>
    without.reduce((total, one) => total + of(one), 0);
  const of = without.flatMap((one) => one.of);
  const where = of.length === 0 ? "" : ` (${listed(of)})`;
  // What has several fields counts by its own type: each may be missing in some products.
  const typed = of.length > 0 ? [] : Object.values(typesAt(path, before));
  const count = Math.max(
    sum((one) => productsWith(one.had, path)),
    typed.reduce((total, one) => total + one, 0),
  );
  const had = `${count} of ${sum((one) => one.had.products)} products`;
  return ["field-gone", `gone. ${had} had it, now none of ${sum((one) => one.has.products)}${where}.`];
}

/** Whether a run browsed a category that the other did not: it has fields and types that others lack. */
function browsedMore({ discovered }: Contract, { discovered: { categories = [] } }: Contract): boolean {
  return discovered.categories?.some((one) => !categories.includes(one)) ?? false;
}

/** In how many products a run saw each type of a field. */
function typesAt(path: string, { discovered: { productsByType = {} } }: Contract) {
  // Names of fields come from the target, and may be "constructor".
  return Object.hasOwn(productsByType, path) ? (productsByType[path] ?? {}) : {};
}

type Products = FieldsByRetailer[string];

/** The products of all retailers together. */
function allProducts({ discovered: { fieldsByRetailer = {}, fields } }: Contract): Products {
  return { products: Object.values(fieldsByRetailer).reduce((sum, one) => sum + one.products, 0), fields };
}

/** How many products have a field; a list or an object as many as have the field in it that most have. */
function productsWith({ fields }: Products, above: string): number {
  const counts = Object.entries(fields).flatMap(([path, count]) => (isBelow(path, above) ? count : []));
  return Math.max(0, ...counts);
}

function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[]`);
}

/** The rate limit that a probe under load estimated. An invalid run says nothing about the target. */
export function probedLimit(load: readonly LoadResult[]) {
  const probe = load.find(({ verdict, rateLimit }) => verdict !== "invalid" && rateLimit?.mode === "probe");
  return probe?.rateLimit?.limit;
}

/** Two probes whose intervals do not touch. */
function limitChanges({ load: before }: Contract, { load: after }: Contract): ContractDifference[] {
  const [old, now] = [probedLimit(before), probedLimit(after)];
  if (old === undefined || now === undefined || (old.low <= now.high && now.low <= old.high)) return [];
  const text = ({ perSecond, low, high }: typeof old) =>
    `about ${figure(perSecond)} requests a second (${figure(low)} to ${figure(high)})`;
  const rule = now.perSecond <= old.perSecond / 2 ? "limit-halved" : "limit-changed";
  return [difference(rule, "rate", `Rate limit: ${text(old)} before, ${text(now)} now.`)];
}
