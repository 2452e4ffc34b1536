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

function difference(rule: keyof typeof isBreaking, subject: string, text: string): ContractDifference {
  return { name: `${rule}/${subject}`, breaking: isBreaking[rule], message: clip(text, longestMessage) };
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
  const isOtherKey = before.target.keyFingerprint !== after.target.keyFingerprint;
  const why = " The primary key has changed: another organization may have other retailers.";
  const gone = (slug: string) =>
    `The key may no longer use the retailer ${code(slug)}.${isOtherKey ? why : ""}`;
  const fresh = (slug: string) => `The key may now use the retailer ${code(slug)}.`;
  return [
    ...[...had.difference(has)].map((slug) => difference("retailer-gone", slug, gone(slug))),
    ...[...has.difference(had)].map((slug) => difference("retailer-new", slug, fresh(slug))),
  ];
}

/** Fewer products say too little about what products have. */
const leastProducts = 10;
/** A field that so many of a retailer's products have is one that clients rely on. */
const nearlyAll = { share: 0.95, products: leastProducts };
/** A list that so many products had, of all retailers, and that none has any more, is gone as well. */
const someOfAll = { share: 0.25, products: 40 };
const mostListed = 20;

function fieldChanges(before: Contract, after: Contract): ContractDifference[] {
  const [had, has] = [allProducts(before), allProducts(after)];
  // A category has fields that another lacks.
  const isComparable = before.discovered.categories?.every((one) =>
    after.discovered.categories?.includes(one),
  );
  const all = [...retypedFields(before, after), ...(isComparable === false ? [] : goneFields(before, after))];
  const isBelowOne = (path: string) => all.some((other) => other.path !== path && isBelow(path, other.path));
  const fresh = Object.keys(has.fields).filter(
    (path) => !Object.hasOwn(had.fields, path) && !all.some((other) => isBelow(path, other.path)),
  );
  const more = fresh.length > mostListed ? [counted(fresh.length - mostListed, "more field")] : [];
  const named = listed([...fresh.slice(0, mostListed).map(code), ...more]);
  return [
    ...all
      .filter(({ path }) => !isBelowOne(path))
      .map(({ rule, path, message }) => difference(rule, path, `Field ${code(path)}: ${message}`)),
    ...(had.products === 0 || fresh.length === 0
      ? []
      : [difference("field-new", "products", `New on products: ${named}.`)]),
  ];
}

/** Fields that enough products have, each time with other types. */
function retypedFields(before: Contract, after: Contract) {
  const [had, has] = [allProducts(before), allProducts(after)];
  return Object.entries(before.discovered.types ?? {}).flatMap(([path, old]) => {
    const now = typesAt(path, after);
    const seen = Math.min(productsWith(had, path), productsWith(has, path));
    const isOther = seen >= leastProducts && now.length > 0 && !now.some((type) => old.includes(type));
    const message = `${old.join(", ")} before, ${now.join(", ")} now.`;
    return isOther ? [{ rule: "field-type" as const, path, message }] : [];
  });
}

/** Fields that nearly all products of a retailer had, and lists that many of all had, and that no product has now. */
function goneFields(before: Contract, after: Contract) {
  const now = new Map(Object.entries(after.discovered.fieldsByRetailer ?? {}));
  const lists = Object.entries(before.discovered.types ?? {}).flatMap(([path, types]) =>
    types.includes("array") && typesAt(path, after).length === 0 ? [path] : [],
  );
  const groups = [
    { of: [], had: allProducts(before), has: allProducts(after), paths: lists, ...someOfAll },
    ...Object.entries(before.discovered.fieldsByRetailer ?? {}).flatMap(([retailer, had]) => {
      const has = now.get(retailer);
      const paths = Object.keys(had.fields);
      return has === undefined ? [] : [{ of: [code(retailer)], had, has, paths, ...nearlyAll }];
    }),
  ];
  const gone = groups.flatMap(({ of, had, has, paths, share, products }) =>
    paths.flatMap((path) => {
      const count = productsWith(had, path);
      const isEnough = Math.min(had.products, has.products) >= products && count >= share * had.products;
      return isEnough && productsWith(has, path) === 0
        ? [{ path, of, count, had: had.products, now: has.products }]
        : [];
    }),
  );
  return [...Map.groupBy(gone, ({ path }) => path)].map(([path, all]) => {
    const sum = (of: "count" | "had" | "now") => all.reduce((total, one) => total + one[of], 0);
    const retailers = all.flatMap(({ of }) => of);
    const where = retailers.length === 0 ? "" : ` (${listed(retailers)})`;
    const message = `gone. ${sum("count")} of ${sum("had")} products had it, now none of ${sum("now")}${where}.`;
    return { rule: "field-gone" as const, path, message };
  });
}

/** The types in which a run saw a field; none if it did not. */
function typesAt(path: string, { discovered: { types = {} } }: Contract): readonly string[] {
  return Object.hasOwn(types, path) ? (types[path] ?? []) : [];
}

type Products = FieldsByRetailer[string];

/** The products of all retailers together. */
function allProducts({ discovered: { fieldsByRetailer = {} } }: Contract): Products {
  const all = Object.values(fieldsByRetailer);
  // Names of fields come from the target, and may be "constructor".
  const fields = new Map<string, number>();
  for (const [path, count] of all.flatMap((one) => Object.entries(one.fields)))
    fields.set(path, (fields.get(path) ?? 0) + count);
  return {
    products: all.reduce((sum, one) => sum + one.products, 0),
    fields: Object.fromEntries(fields),
  };
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
  const { perSecond, low, high } = probe?.rateLimit?.limit ?? {};
  return perSecond === undefined || low === undefined || high === undefined
    ? undefined
    : { perSecond, low, high };
}

/** Two probes whose intervals do not touch. */
function limitChanges({ load: before }: Contract, { load: after }: Contract): ContractDifference[] {
  const [old, now] = [probedLimit(before), probedLimit(after)];
  if (old === undefined || now === undefined || (old.low <= now.high && now.low <= old.high)) return [];
  const [was, is] = [old, now].map(
    ({ perSecond, low, high }) =>
      `about ${figure(perSecond)} requests a second (${figure(low)} to ${figure(high)})`,
  );
  const rule = now.perSecond <= old.perSecond / 2 ? "limit-halved" : "limit-changed";
  return [difference(rule, "rate", `Rate limit: ${was} before, ${is} now.`)];
}
