import type { FieldsByRetailer } from "../../schemas/contracts/discovered.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import type { ContractCode, LimitEstimate } from "./comparison-words.ts";
import type { ContractDifference } from "./since-result.ts";

/** What a run showed of the target that clients rely on. */
export interface Contract {
  readonly keyFingerprint: string;
  readonly names: FieldNames;
  readonly retailers: readonly string[];
  readonly categories: readonly string[];
  readonly fieldsByRetailer: FieldsByRetailer;
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** As a probe under load estimated it. */
  readonly limit?: LimitEstimate;
}

/** The part of the results that the contract is taken from. */
export type ContractSource = Pick<Results<Finding>, "discovered" | "load"> & {
  readonly target: Pick<Results["target"], "keyFingerprint">;
};

export function contractOf({ target, discovered, load }: ContractSource): Contract {
  const { dialect, retailers, categories = [], fieldsByRetailer = {}, types = {} } = discovered;
  const { keyFingerprint } = target;
  const limit = probedLimit(load);
  return {
    keyFingerprint,
    names: dialect,
    retailers,
    categories,
    fieldsByRetailer,
    types,
    ...given({ limit }),
  };
}

/** Whether a run finished and measured the rate limit. Two such runs can be compared even if they judged no requirement. */
export function hasProbed({ verdict, exitCode, load }: Results): boolean {
  return verdict !== "error" && exitCode !== 130 && probedLimit(load) !== undefined;
}

// An invalid run says nothing about the target.
function probedLimit(load: readonly LoadResult[]): LimitEstimate | undefined {
  const probe = load.find(({ verdict, rateLimit }) => verdict !== "invalid" && rateLimit?.mode === "probe");
  const { perSecond, low, high } = probe?.rateLimit?.limit ?? {};
  return perSecond === undefined || low === undefined || high === undefined
    ? undefined
    : { perSecond, low, high };
}

/**
 * Every rule. What breaks makes a client fail that follows the spec and relies on what the service returned; the rest a
 * person should see: the spec allows it at any time.
 */
export const isBreaking = {
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
} as const satisfies Record<ContractCode, boolean>;

/** Whether an id may be the name of a difference that breaks clients. */
export function isDifferenceName(id: string): boolean {
  return Object.entries(isBreaking).some(([code, breaks]) => breaks && id.startsWith(`${code}/`));
}

/** The differences between the contracts of two whole runs, breaking ones first. */
export function differencesBetween(before: Contract, after: Contract): ContractDifference<Finding>[] {
  const found: FindingOf<ContractCode>[] = [
    ...nameChanges(before, after),
    ...retailerChanges(before, after),
    ...fieldChanges(before, after),
    ...limitChanges(before, after),
  ];
  return found
    .map((finding) => ({
      name: `${finding.code}/${finding.subject}`,
      breaking: isBreaking[finding.code],
      finding,
    }))
    .toSorted((one, other) => Number(other.breaking) - Number(one.breaking));
}

const nameKeys = ["batchRequestField", "batchFoundField", "batchFoundProduct", "gtin"] as const;

/** Names that the spec leaves open. One that is not found this time is not judged, which the requirements say. */
function nameChanges(before: Contract, after: Contract): FindingOf<"name-changed">[] {
  return nameKeys.flatMap((subject) => {
    const [expected, actual] = [before.names[subject], after.names[subject]];
    if (expected === undefined || actual === undefined || expected === actual) return [];
    // The GTIN was found in another place, but who reads the old one still finds a value.
    if (subject === "gtin" && pathsIn(after).has(expected)) return [];
    return [{ code: "name-changed", subject, expected, actual }];
  });
}

function retailerChanges(before: Contract, after: Contract): FindingOf<"retailer-gone" | "retailer-new">[] {
  const [had, has] = [new Set(before.retailers), new Set(after.retailers)];
  const otherKey = before.keyFingerprint === after.keyFingerprint ? undefined : (true as const);
  return [
    ...[...had.difference(has)].map((subject) => ({
      code: "retailer-gone" as const,
      subject,
      details: { otherKey },
    })),
    ...[...has.difference(had)].map((subject) => ({ code: "retailer-new" as const, subject })),
  ];
}

/** Fewer products say too little about what products have. */
const leastProducts = 10;
/** From this share of a retailer's products on, a field is one that clients rely on. */
const nearlyAll = 0.95;
/** A list that so many products had, of all retailers, and that none has any more, is gone as well. */
const someOfAll = { share: 0.25, products: 40 };

type FieldChange = FindingOf<"field-gone" | "field-type" | "field-new">;

function fieldChanges(before: Contract, after: Contract): FieldChange[] {
  const retyped = Object.keys(before.types).flatMap((subject): FindingOf<"field-type">[] => {
    const [old, now] = [before.types[subject] ?? [], own(after.types, subject) ?? []];
    const seen = Math.min(productsWith(before, subject), productsWith(after, subject));
    const isOther = seen >= leastProducts && now.length > 0 && !now.some((type) => old.includes(type));
    return isOther ? [{ code: "field-type", subject, expected: old.join(", "), actual: now.join(", ") }] : [];
  });
  const isRetyped = (path: string) => retyped.some(({ subject }) => isBelow(path, subject));
  const [had, has] = [pathsIn(before), pathsIn(after)];
  const fresh = [...has].filter((path) => !had.has(path) && !isRetyped(path));
  // A category has fields that another lacks.
  const isComparable = before.categories.every((category) => after.categories.includes(category));
  const gone = isComparable ? [...goneLists(before, after), ...goneFields(before, after)] : [];
  const lost = gone.filter(({ subject }) => !isRetyped(subject));
  return [
    ...retyped,
    // The outermost of them.
    ...lost.filter(
      ({ subject }) => !lost.some((other) => other.subject !== subject && isBelow(subject, other.subject)),
    ),
    ...(had.size === 0 || fresh.length === 0
      ? []
      : [
          {
            code: "field-new" as const,
            subject: "products",
            actual: fresh.slice(0, mostListed),
            details: { count: fresh.length },
          },
        ]),
  ];
}

const mostListed = 20;

/** Fields that (nearly) all products of a retailer had, and none of them has now. */
function goneFields(before: Contract, after: Contract): FindingOf<"field-gone">[] {
  const gone = Object.entries(before.fieldsByRetailer).flatMap(([retailer, { products, fields }]) => {
    const now = own(after.fieldsByRetailer, retailer);
    if (now === undefined || Math.min(products, now.products) < leastProducts) return [];
    return Object.entries(fields)
      .filter(([path, count]) => count >= nearlyAll * products && !Object.hasOwn(now.fields, path))
      .map(([path, count]) => ({ path, retailer, count, total: products, now: now.products }));
  });
  return [...Map.groupBy(gone, ({ path }) => path)].map(([subject, all]) => {
    const sum = (of: "count" | "total" | "now") => all.reduce((before, one) => before + one[of], 0);
    const details = {
      before: { count: sum("count"), total: sum("total") },
      now: sum("now"),
      retailers: all.map(({ retailer }) => retailer),
    };
    return { code: "field-gone", subject, details };
  });
}

/** Lists that many products had, and no product of any retailer has now. */
function goneLists(before: Contract, after: Contract): FindingOf<"field-gone">[] {
  const [total, now] = [before, after].map(({ fieldsByRetailer }) =>
    Object.values(fieldsByRetailer).reduce((sum, { products }) => sum + products, 0),
  ) as [number, number];
  const seen = pathsIn(after);
  const lists = Object.keys(before.types).filter(
    (path) =>
      before.types[path]?.includes("array") &&
      !Object.hasOwn(after.types, path) &&
      ![...seen].some((field) => isBelow(field, path)),
  );
  return lists.flatMap((subject) => {
    const count = productsWith(before, subject);
    const isGone = Math.min(total, now) >= someOfAll.products && count >= someOfAll.share * total;
    return isGone
      ? [{ code: "field-gone", subject, details: { before: { count, total }, now, retailers: [] } }]
      : [];
  });
}

/** How many products have a field; a list or an object as many as have the field in it that most have. */
function productsWith({ fieldsByRetailer }: Contract, subject: string): number {
  return Object.values(fieldsByRetailer).reduce((sum, { fields }) => {
    const counts = Object.entries(fields).flatMap(([path, count]) => (isBelow(path, subject) ? count : []));
    return sum + Math.max(0, ...counts);
  }, 0);
}

function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[]`);
}

function pathsIn({ fieldsByRetailer }: Contract): Set<string> {
  return new Set(Object.values(fieldsByRetailer).flatMap(({ fields }) => Object.keys(fields)));
}

// Slugs and field names come from the target, and may be "constructor".
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Two probes whose intervals do not touch. */
function limitChanges(
  { limit: before }: Contract,
  { limit: after }: Contract,
): FindingOf<"limit-halved" | "limit-changed">[] {
  if (before === undefined || after === undefined) return [];
  if (before.low <= after.high && after.low <= before.high) return [];
  const code = after.perSecond <= before.perSecond / 2 ? "limit-halved" : "limit-changed";
  return [{ code, subject: "rate", details: { before, after } }];
}
