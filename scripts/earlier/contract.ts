import type { FieldsByRetailer } from "../../schemas/contracts/discovered.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { clip } from "../../schemas/counts.ts";
import { counted, figure, listed } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import type { ContractDifference } from "./since-result.ts";

/** The part of a run's results that shows what clients rely on. */
export type Contract = Pick<Results<Finding>, "discovered" | "load"> & {
  readonly target: Pick<Results["target"], "keyFingerprint">;
};

/**
 * Every rule. What breaks makes a client fail that follows the spec and relies on what the service returned; the rest a
 * person should see: the spec allows it at any time.
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

/** Whether an id may be the name of a difference that breaks clients. */
export function isDifferenceName(id: string): boolean {
  return Object.entries(isBreaking).some(([rule, breaks]) => breaks && id.startsWith(`${rule}/`));
}

/** The differences between the contracts of two whole runs, breaking ones first. */
export function differencesBetween(before: Contract, after: Contract): ContractDifference[] {
  return [nameChanges, retailerChanges, fieldChanges, limitChanges]
    .flatMap((changes) => changes(before, after))
    .toSorted((one, other) => Number(other.breaking) - Number(one.breaking));
}

const longestMessage = 2000;

function difference(rule: keyof typeof isBreaking, subject: string, message: string): ContractDifference {
  return {
    name: `${rule}/${subject}`,
    breaking: isBreaking[rule],
    message: clip(message, longestMessage),
  };
}

const nameLabels = {
  batchRequestField: "Field of a batch request that carries the items",
  batchFoundField: "List of found products in a batch result",
  batchFoundProduct: "Place of the product in an entry of the list of found products",
  gtin: "Place of the GTIN on a product",
} as const;

/** Names that the spec leaves open. One that is not found this time is not judged, which the requirements say. */
function nameChanges(before: Contract, after: Contract): ContractDifference[] {
  const text = (name: string) => (name === "" ? "the body itself" : code(name));
  return (Object.keys(nameLabels) as (keyof typeof nameLabels)[]).flatMap((name) => {
    const [old, now] = [before.discovered.dialect[name], after.discovered.dialect[name]];
    if (old === undefined || now === undefined || old === now) return [];
    // The GTIN was found in another place, but who reads the old one still finds a value.
    if (name === "gtin" && Object.hasOwn(allProducts(after).fields, old)) return [];
    return difference("name-changed", name, `${nameLabels[name]}: ${text(old)} before, ${text(now)} now.`);
  });
}

function retailerChanges(before: Contract, after: Contract): ContractDifference[] {
  const [had, has] = [new Set(before.discovered.retailers), new Set(after.discovered.retailers)];
  const why =
    before.target.keyFingerprint === after.target.keyFingerprint
      ? ""
      : " The primary key has changed: another organization may have other retailers.";
  return [
    ...[...had.difference(has)].map((slug) =>
      difference("retailer-gone", slug, `The key may no longer use the retailer ${code(slug)}.${why}`),
    ),
    ...[...has.difference(had)].map((slug) =>
      difference("retailer-new", slug, `The key may now use the retailer ${code(slug)}.`),
    ),
  ];
}

/** Fewer products say too little about what products have. */
const leastProducts = 10;
/** From this share of a retailer's products on, a field is one that clients rely on. */
const nearlyAll = 0.95;
/** A list that so many products had, of all retailers, and that none has any more, is gone as well. */
const someOfAll = { share: 0.25, products: 40 };
const mostListed = 20;

function fieldChanges(before: Contract, after: Contract): ContractDifference[] {
  const { types: oldTypes = {}, categories = [] } = before.discovered;
  const types = new Map(Object.entries(after.discovered.types ?? {}));
  const [had, has] = [allProducts(before), allProducts(after)];
  const retyped = Object.entries(oldTypes).filter(([path, old]) => {
    const seen = Math.min(productsWith(had, path), productsWith(has, path));
    const now = types.get(path) ?? [];
    return seen >= leastProducts && now.length > 0 && !now.some((type) => old.includes(type));
  });
  const isRetyped = (path: string) => retyped.some(([above]) => isBelow(path, above));
  // A category has fields that another lacks.
  const isComparable = categories.every((one) => after.discovered.categories?.includes(one));
  const gone = (isComparable ? goneFields(before, after) : []).filter(({ path }) => !isRetyped(path));
  const isInGone = (path: string) => gone.some((other) => other.path !== path && isBelow(path, other.path));
  const fresh = Object.keys(has.fields).filter(
    (path) => !Object.hasOwn(had.fields, path) && !isRetyped(path),
  );
  const named = fresh.slice(0, mostListed).map(code);
  const more = fresh.length > mostListed ? [counted(fresh.length - mostListed, "more field")] : [];
  return [
    ...retyped.map(([path, old]) => {
      const now = types.get(path) ?? [];
      return difference(
        "field-type",
        path,
        `Field ${code(path)}: ${old.join(", ")} before, ${now.join(", ")} now.`,
      );
    }),
    ...gone
      .filter(({ path }) => !isInGone(path))
      .map(({ path, count, total, now, of }) =>
        difference(
          "field-gone",
          path,
          `Field ${code(path)}: gone. ${count} of ${total} products had it, now none of ${now}${of}.`,
        ),
      ),
    ...(had.products === 0 || fresh.length === 0
      ? []
      : [difference("field-new", "products", `New on products: ${listed([...named, ...more])}.`)]),
  ];
}

/** Fields that nearly all products of a retailer had, and lists that many of all had, and that no product has now. */
function goneFields(before: Contract, after: Contract) {
  const now = new Map(Object.entries(after.discovered.fieldsByRetailer ?? {}));
  const ofRetailers = Object.entries(before.discovered.fieldsByRetailer ?? {}).flatMap(
    ([retailer, { products: total, fields }]) => {
      const same = now.get(retailer);
      if (same === undefined || Math.min(total, same.products) < leastProducts) return [];
      return Object.entries(fields)
        .filter(([path, count]) => count >= nearlyAll * total && !Object.hasOwn(same.fields, path))
        .map(([path, count]) => ({ path, retailer, count, total, now: same.products }));
    },
  );
  const fields = [...Map.groupBy(ofRetailers, ({ path }) => path)].map(([path, all]) => {
    const sum = (of: "count" | "total" | "now") => all.reduce((before, one) => before + one[of], 0);
    const of = ` (${listed(all.map(({ retailer }) => code(retailer)))})`;
    return { path, count: sum("count"), total: sum("total"), now: sum("now"), of };
  });
  const [had, has] = [allProducts(before), allProducts(after)];
  if (Math.min(had.products, has.products) < someOfAll.products) return fields;
  const lists = Object.entries(before.discovered.types ?? {}).flatMap(([path, types]) => {
    const isThere = Object.hasOwn(after.discovered.types ?? {}, path) || productsWith(has, path) > 0;
    const count = productsWith(had, path);
    const isGone = types.includes("array") && !isThere && count >= someOfAll.share * had.products;
    return isGone ? [{ path, count, total: had.products, now: has.products, of: "" }] : [];
  });
  return [...lists, ...fields];
}

type Products = FieldsByRetailer[string];

/** The products of all retailers together. */
function allProducts({ discovered: { fieldsByRetailer = {} } }: Contract): Products {
  // Names of fields come from the target, and may be "constructor".
  const fields = new Map<string, number>();
  const all = Object.values(fieldsByRetailer);
  for (const [path, count] of all.flatMap((one) => Object.entries(one.fields)))
    fields.set(path, (fields.get(path) ?? 0) + count);
  const products = all.reduce((sum, one) => sum + one.products, 0);
  return { products, fields: Object.fromEntries(fields) };
}

/** How many products have a field; a list or an object as many as have the field in it that most have. */
function productsWith({ fields }: Products, above: string): number {
  return Math.max(
    0,
    ...Object.entries(fields).flatMap(([path, count]) => (isBelow(path, above) ? count : [])),
  );
}

function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[]`);
}

/** The rate limit that a probe under load estimated. An invalid run says nothing about the target. */
export function probedLimit(load: readonly LoadResult[]) {
  const probe = load.find(({ verdict, rateLimit }) => verdict !== "invalid" && rateLimit?.mode === "probe");
  const { perSecond, low, high } = probe?.rateLimit?.limit ?? {};
  return perSecond === undefined || low === undefined || high === undefined
    ? undefined
    : { perSecond, low, high };
}

/** Two probes whose intervals do not touch. */
function limitChanges({ load: before }: Contract, { load: after }: Contract): ContractDifference[] {
  const [old, now] = [probedLimit(before), probedLimit(after)];
  if (old === undefined || now === undefined) return [];
  if (old.low <= now.high && now.low <= old.high) return [];
  const [was, is] = [old, now].map(
    ({ perSecond, low, high }) =>
      `about ${figure(perSecond)} requests a second (${figure(low)} to ${figure(high)})`,
  );
  const rule = now.perSecond <= old.perSecond / 2 ? "limit-halved" : "limit-changed";
  return [difference(rule, "rate", `Rate limit: ${was} before, ${is} now.`)];
}
