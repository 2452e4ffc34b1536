import type { FieldsByRetailer, Statuses } from "../../schemas/contracts/discovered.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import type {
  Burst,
  BurstDrift,
  Drift,
  FieldDrift,
  FieldNameDrift,
  LimitDrift,
  LimitEstimate,
  RetailerDrift,
  Share,
  StatusDrift,
} from "./contract-change.ts";
import { type DriftRuleId, driftRules } from "./drift-rules.ts";

/** The part of the results that the contract is taken from. */
export type ContractSource = Pick<Results<Finding>, "discovered" | "load"> & {
  readonly target: Pick<Results["target"], "keyFingerprint">;
};

/** What a run showed of the target that clients rely on. */
export interface Contract {
  readonly fieldsByRetailer: FieldsByRetailer;
  readonly statuses: Statuses;
  readonly categories: string[];
  readonly keyFingerprint: string;
  readonly retailers: string[];
  readonly dialect: FieldNames;
  /** Requests accepted in a burst before the first 429. */
  readonly accepted?: number;
  /** 429 responses in the whole run. */
  readonly refused: number;
  /** The limit as a probe under load estimated it. */
  readonly limit?: LimitEstimate;
}

/** The contract of a target, as far as clients depend on it. */
export function contractOf({ target, discovered, load }: ContractSource): Contract {
  const { retailers, categories = [], dialect, fieldsByRetailer = {}, statuses = {}, rateLimit } = discovered;
  const { accepted, refused } = rateLimit;
  const limit = probedLimit(load);
  return {
    keyFingerprint: target.keyFingerprint,
    retailers: retailers.toSorted(),
    categories: categories.toSorted(),
    dialect,
    fieldsByRetailer,
    statuses,
    refused,
    ...given({ accepted, limit }),
  };
}

/** Whether a run finished and measured the rate limit. Two such runs can be compared even if they judged no requirement. */
export function hasProbed({ verdict, exitCode, load }: Results): boolean {
  return verdict !== "error" && exitCode !== 130 && probedLimit(load) !== undefined;
}

function probedLimit(load: readonly LoadResult[]): Contract["limit"] {
  // An invalid run says nothing about the target.
  const probe = load.find(({ verdict, rateLimit }) => verdict !== "invalid" && rateLimit?.mode === "probe");
  const limit = probe?.rateLimit?.limit;
  if (limit === undefined) return undefined;
  const { perSecond, low, high } = limit;
  return { perSecond, low, high };
}

const ranks: readonly Drift["rank"][] = ["breaking", "notable", "harmless"];

/**
 * The changes of the contract between two completed runs, by the rules in `drift-rules.ts`, breaking changes first. Empty
 * when nothing changed.
 */
export function driftBetween(before: Contract, after: Contract): Drift[] {
  const changes = [
    ...fieldNameDrift(before, after),
    ...retailerDrift(before, after),
    ...fieldDrift(before, after),
    ...limitDrift(before, after),
    ...statusDrift(before, after),
  ];
  return changes.toSorted((one, other) => ranks.indexOf(one.rank) - ranks.indexOf(other.rank));
}

/** The fields that all changes of one rule share. */
function ranked<Id extends DriftRuleId>(rule: Id) {
  return { rank: driftRules[rule].rank, rule };
}

const fieldNames = [
  "batchRequestField",
  "batchFoundField",
  "batchFoundProduct",
  "gtin",
] as const satisfies readonly (keyof FieldNames)[];

/** Changes of the names that the spec leaves open and clients depend on. */
function fieldNameDrift(before: Contract, after: Contract): FieldNameDrift[] {
  return fieldNames.flatMap((subject): FieldNameDrift[] => {
    const [old, now] = [before.dialect[subject], after.dialect[subject]];
    const kind = "dialect";
    if (old === now) return [];
    if (old === undefined) return [{ kind, ...ranked("dialect.found"), subject, after: now }];
    if (now === undefined) return [{ kind, ...ranked("dialect.lost"), subject, before: old }];
    const stillThere =
      subject === "gtin" &&
      Object.values(after.fieldsByRetailer).some(({ fields }) => Object.hasOwn(fields, old));
    const rule = stillThere ? "dialect.moved" : "dialect.renamed";
    return [{ kind, ...ranked(rule), subject, before: old, after: now }];
  });
}

/** Changes of the retailers that the primary key may use, and retailers without products this time. */
function retailerDrift(before: Contract, after: Contract): RetailerDrift[] {
  const had = new Set(before.retailers);
  const has = new Set(after.retailers);
  const kind = "retailer" as const;
  const otherKey = before.keyFingerprint === after.keyFingerprint ? undefined : (true as const);
  return [
    ...[...had.difference(has)].map((subject) => ({
      kind,
      ...ranked("retailer.vanished"),
      subject,
      otherKey,
    })),
    ...[...has.difference(had)].map((subject) => ({ kind, ...ranked("retailer.appeared"), subject })),
    ...[...had.intersection(has)]
      .filter((slug) => productsOf(before, slug) > 0 && productsOf(after, slug) === 0)
      .map((subject) => ({ kind, ...ranked("retailer.not-sampled"), subject })),
  ];
}

/** A field with at least this share of the products counts as always present. */
const nearlyAlways = 0.95;
/** Maximum number of changes listed per rule. An object whose keys are data could produce thousands. */
const mostOfOneRule = 20;

interface FieldChange {
  readonly rule: DriftRuleId;
  readonly path: string;
  readonly retailer: string;
  readonly before: Share;
  readonly after: Share;
}

/** Fields that were added, removed or became rare, by retailer. The same change at several retailers is listed once. */
function fieldDrift(before: Contract, after: Contract): FieldDrift[] {
  const shared = Object.keys(before.fieldsByRetailer).filter(
    (slug) => productsOf(before, slug) > 0 && productsOf(after, slug) > 0,
  );
  const known = new Set(Object.values(before.fieldsByRetailer).flatMap(({ fields }) => Object.keys(fields)));
  const sameCategories = before.categories.every((category) => after.categories.includes(category));
  const changes = shared.flatMap((retailer) =>
    pathsOf(before, after, retailer).flatMap((path): FieldChange[] => {
      const shares = { before: shareOf(before, retailer, path), after: shareOf(after, retailer, path) };
      const rule = fieldRule(shares, { known: known.has(path), sameCategories });
      return rule === undefined ? [] : [{ path, retailer, ...shares, rule }];
    }),
  );
  return [...Map.groupBy(changes, ({ rule }) => rule)].flatMap(([rule, group]) => {
    const byPath = [...Map.groupBy(group, ({ path }) => path)];
    const more = byPath.length - mostOfOneRule;
    return byPath.slice(0, mostOfOneRule).map(([subject, alike], place): FieldDrift => {
      const retailers = alike.map(({ retailer, before: was, after: is }) => ({
        retailer,
        before: was,
        after: is,
      }));
      const isLast = place === mostOfOneRule - 1 && more > 0;
      return { kind: "field", ...ranked(rule), subject, retailers, ...(isLast ? { more } : {}) };
    });
  });
}

function fieldRule(
  { before, after }: Pick<FieldChange, "before" | "after">,
  { known, sameCategories }: { readonly known: boolean; readonly sameCategories: boolean },
): DriftRuleId | undefined {
  if (before.count === 0) {
    if (after.count === 0) return undefined;
    return known ? "field.appeared" : "field.new";
  }
  if (after.count === 0) {
    if (!isGone(before, after)) return "field.not-seen";
    if (!sameCategories) return "field.vanished-elsewhere";
    return before.count >= nearlyAlways * before.total ? "field.vanished" : "field.vanished-optional";
  }
  const halved = after.count / after.total < before.count / before.total / 2;
  return halved && sameCategories && chanceOfSoFew(before, after) < improbable ? "field.rarer" : undefined;
}

function pathsOf(before: Contract, after: Contract, retailer: string): string[] {
  const paths = [before, after].flatMap(({ fieldsByRetailer }) =>
    Object.keys(own(fieldsByRetailer, retailer)?.fields ?? {}),
  );
  return [...new Set(paths)];
}

function productsOf({ fieldsByRetailer }: Contract, retailer: string): number {
  return own(fieldsByRetailer, retailer)?.products ?? 0;
}

function shareOf(contract: Contract, retailer: string, path: string): Share {
  const fields = own(contract.fieldsByRetailer, retailer)?.fields ?? {};
  return { count: own(fields, path) ?? 0, total: productsOf(contract, retailer) };
}

// Slugs and field names come from the target, and may be "constructor".
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * The number of accepted requests in a burst depends on what earlier requests left of the allowance: 63 to 200 of 200 on
 * the unchanged reference service, and any number with a fixed window. Therefore only a change by this factor counts, and
 * never as breaking.
 */
const burstTolerance = 4;

/** Changes of the rate limit: as measured by probes if both runs have one, otherwise by the bursts. */
function limitDrift(before: Contract, after: Contract): (LimitDrift | BurstDrift)[] {
  if (before.limit !== undefined && after.limit !== undefined) return probeDrift(before.limit, after.limit);
  return burstDrift(before, after);
}

function probeDrift(before: LimitEstimate, after: LimitEstimate): LimitDrift[] {
  const apart = before.low > after.high || after.low > before.high;
  if (!apart) return [];
  const lower = after.perSecond <= before.perSecond / 2 ? "limit.halved" : "limit.lowered";
  const rule = after.perSecond > before.perSecond ? "limit.raised" : lower;
  return [{ kind: "limit", ...ranked(rule), subject: "rate", before, after }];
}

function burstDrift(before: Contract, after: Contract): BurstDrift[] {
  const [was, is] = [burstOf(before), burstOf(after)];
  // A run that did not reach the limit says nothing about it.
  if (was === undefined || is === undefined) return [];
  const found = { kind: "limit", subject: "burst", before: was, after: is } as const;
  const lowered = was.accepted >= burstTolerance * is.accepted && is.limitReached;
  if (lowered) return [{ ...found, ...ranked("limit.lowered") }];
  const raised = is.accepted >= burstTolerance * was.accepted && was.limitReached;
  return raised ? [{ ...found, ...ranked("limit.raised") }] : [];
}

function burstOf({ accepted, refused }: Contract): Burst | undefined {
  return accepted === undefined ? undefined : { accepted, limitReached: refused > 0 };
}

// Spec, Errors. Without 429, whose number depends on the load of the run; the rate limit has its own rules.
const statusesOfTheSpec: ReadonlySet<string> = new Set(["200", "400", "401", "403", "404"]);
const serverErrors: ReadonlySet<string> = new Set(["500", "502", "504"]);
const limited = "429";
/** Requests outside the API (unknown paths, wrong methods) are not part of the contract. */
const noEndpoint = "other";

/** Statuses that an endpoint returned in only one of the runs. */
function statusDrift(before: Contract, after: Contract): StatusDrift[] {
  const endpoints = Object.keys(before.statuses).filter(
    (endpoint) => endpoint !== noEndpoint && Object.hasOwn(after.statuses, endpoint),
  );
  return endpoints.flatMap((endpoint) => {
    const old = before.statuses[endpoint] ?? {};
    const now = after.statuses[endpoint] ?? {};
    const statuses = new Set([...Object.keys(old), ...Object.keys(now)]);
    statuses.delete(limited);
    return [...statuses].flatMap((subject): StatusDrift[] => {
      const shares = { before: statusShare(old, subject), after: statusShare(now, subject) };
      const rule = statusRule(subject, shares.before, shares.after);
      return rule === undefined ? [] : [{ kind: "status", ...ranked(rule), subject, endpoint, ...shares }];
    });
  });
}

function statusRule(status: string, before: Share, after: Share): DriftRuleId | undefined {
  if (before.count === 0 && after.count > 0) {
    if (serverErrors.has(status)) return "status.server-error";
    return statusesOfTheSpec.has(status) ? "status.appeared" : "status.unknown";
  }
  if (!isGone(before, after)) return undefined;
  return status === "200" ? "status.no-success" : "status.gone";
}

function statusShare(counts: Readonly<Record<string, number>>, status: string): Share {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { count: counts[status] ?? 0, total };
}

/** A change with a lower probability is not considered chance. */
export const improbable = 0.01;

/**
 * Probability of a count as low as in the second sample if nothing has changed since the first. The true share is unknown,
 * so this uses the predictive distribution under Jeffreys' prior (beta-binomial): 1 of 40 says little about 38 others, and
 * 2 of 2 say little about a third.
 */
export function chanceOfSoFew(first: Share, second: Share): number {
  const a = first.count + 0.5;
  const b = first.total - first.count + 0.5;
  const { total } = second;
  // In logarithms, because the first term of many requests is too small for a number.
  let term = 0;
  for (let draw = 0; draw < total; draw += 1) term += Math.log((b + draw) / (a + b + draw));
  let sum = 0;
  for (let count = 0; count <= second.count; count += 1) {
    sum += Math.exp(term);
    term += Math.log(((total - count) / (count + 1)) * ((a + count) / (b + total - count - 1)));
  }
  return Math.min(1, sum);
}

/** Whether a field, status or similar is gone, rather than missing by chance. */
export function isGone(before: Share, after: Share): boolean {
  return after.count === 0 && chanceOfSoFew(before, after) < improbable;
}
