import jStat from "jstat";
import type { Contract, Dialect, Drift } from "../../schemas/types.ts";
import { type DriftRuleId, driftRules } from "./drift-rules.ts";

const ranks: readonly Drift["rank"][] = ["breaking", "notable", "harmless"];

/**
 * How the contract changed between two runs, by the rules of `drift-rules.ts`: breaking first. Pure, and empty for two
 * runs that saw the same. Both should be runs that came to their end.
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

/** A change under a rule, which gives it its kind and rank. */
function change(
  rule: DriftRuleId,
  found: Pick<Drift, "subject" | "statement"> & Partial<Pick<Drift, "before" | "after">>,
): Drift {
  const { rank, kind } = driftRules[rule];
  return { rank, kind, rule, ...found };
}

const fieldNames: Readonly<Record<keyof Dialect, string>> = {
  batchRequestField: "the field of a batch request that carries the items",
  batchFoundField: "the list of found products in a batch result",
  batchFoundProduct: "the place of the product in an entry of that list",
  gtin: "the place of the GTIN on a product",
};

/** Names that the spec leaves open, and that clients have to use as they are. */
function fieldNameDrift(before: Contract, after: Contract): Drift[] {
  return (Object.keys(fieldNames) as (keyof Dialect)[]).flatMap((name): Drift[] => {
    const [old, now] = [before.dialect[name], after.dialect[name]];
    if (old === now) return [];
    const meaning = `${fieldNames[name]} (dialect.${name})`;
    if (old === undefined) {
      const statement = `${meaning} was found: ${shownName(now)}`;
      return [change("dialect.found", { subject: name, after: shownName(now), statement })];
    }
    if (now === undefined) {
      const statement = `${meaning} was ${shownName(old)} and could not be found`;
      return [change("dialect.lost", { subject: name, before: shownName(old), statement })];
    }
    const found = { subject: name, before: shownName(old), after: shownName(now) };
    const stillThere =
      name === "gtin" &&
      Object.values(after.fieldsByRetailer).some(({ fields }) => Object.hasOwn(fields, old));
    const [rule, statement] = stillThere
      ? ([
          "dialect.moved",
          `${meaning} was ${found.before}, which is still there; found was ${found.after}`,
        ] as const)
      : (["dialect.renamed", `${meaning} was ${found.before} and is ${found.after}`] as const);
    return [change(rule, { ...found, statement })];
  });
}

function shownName(name: string | undefined): string {
  return name === "" ? "the body itself" : JSON.stringify(name ?? "");
}

/** Retailers that the primary key may use, and those of which no product was seen this time. */
function retailerDrift(before: Contract, after: Contract): Drift[] {
  const had = new Set(before.retailers);
  const has = new Set(after.retailers);
  const otherKey =
    before.keyFingerprint === after.keyFingerprint
      ? ""
      : "; the primary key is another than then: if it is another organization's, record its own baseline";
  return [
    ...[...had.difference(has)].map((slug) =>
      change("retailer.vanished", {
        subject: slug,
        statement: `the key may not use the retailer ${slug} any more${otherKey}`,
      }),
    ),
    ...[...has.difference(had)].map((slug) =>
      change("retailer.appeared", { subject: slug, statement: `the key may use the retailer ${slug} now` }),
    ),
    ...[...had.intersection(has)]
      .filter((slug) => productsOf(before, slug) > 0 && productsOf(after, slug) === 0)
      .map((slug) =>
        change("retailer.not-sampled", {
          subject: slug,
          statement: `no product of the retailer ${slug} was met, so its fields were not compared`,
        }),
      ),
  ];
}

/** How often something was seen: `count` times of `total`. */
export interface Share {
  readonly count: number;
  readonly total: number;
}

/** From this share on, a field counts as one that every product had. */
const nearlyAlways = 0.95;
/** Most changes listed of one rule: a field whose names are data could give thousands. */
const mostOfOneRule = 20;

interface FieldChange {
  readonly rule: DriftRuleId;
  readonly path: string;
  readonly retailer: string;
  readonly before: Share;
  readonly after: Share;
}

/** Fields that came, went or became rare, retailer by retailer; the same change at several retailers is one. */
function fieldDrift(before: Contract, after: Contract): Drift[] {
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
    const listed = byPath.slice(0, mostOfOneRule).map(([path, alike]) => fieldChange(rule, path, alike));
    const rest = byPath.length - listed.length;
    if (rest === 0) return listed;
    const statement = `and ${rest} more fields alike`;
    return [...listed, change(rule, { subject: `${rest} more fields`, statement })];
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

function fieldChange(rule: DriftRuleId, path: string, alike: readonly FieldChange[]): Drift {
  const retailers = alike.map(({ retailer }) => retailer).join(", ");
  const counts = (which: "before" | "after") =>
    alike.map((one) => `${one[which].count} of ${one[which].total} products of ${one.retailer}`).join(", ");
  const found = { before: counts("before"), after: counts("after") };
  const statement = `the field ${path} was on ${found.before}, and is on ${found.after}`;
  return change(rule, { subject: `${path} of ${retailers}`, ...found, statement });
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

// Slugs and field names come from the target, and one of them may be "constructor".
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * How many requests a burst gets through is what the requests before it left of the allowance: 63 to 200 of 200 on the
 * unchanged reference service, and anything where the limit counts in windows. So only a change by this factor counts,
 * and never as breaking.
 */
const burstTolerance = 4;

/** The limit: by the probes of load runs where both runs have one, else by the burst that provoked it. */
function limitDrift(before: Contract, after: Contract): Drift[] {
  if (before.limit !== undefined && after.limit !== undefined) return probeDrift(before.limit, after.limit);
  return burstDrift(before, after);
}

type Probe = NonNullable<Contract["limit"]>;

function probeDrift(before: Probe, after: Probe): Drift[] {
  const apart = before.low > after.high || after.low > before.high;
  if (!apart) return [];
  const found = { subject: "requests a second", before: shownProbe(before), after: shownProbe(after) };
  const statement = `the limit was ${found.before} requests a second, and is ${found.after}`;
  if (after.perSecond > before.perSecond) return [change("limit.raised", { ...found, statement })];
  const halved = after.perSecond <= before.perSecond / 2;
  return [change(halved ? "limit.halved" : "limit.lowered", { ...found, statement })];
}

function burstDrift(before: Contract, after: Contract): Drift[] {
  // A run that provoked no limit says nothing of it.
  if (before.letIn === undefined || after.letIn === undefined) return [];
  const found = { subject: "requests at once", before: shownBurst(before), after: shownBurst(after) };
  const statement = `a burst let in ${found.before} requests, and lets in ${found.after}`;
  const lowered = before.letIn >= burstTolerance * after.letIn && after.refused > 0;
  if (lowered) return [change("limit.lowered", { ...found, statement })];
  const raised = after.letIn >= burstTolerance * before.letIn && before.refused > 0;
  return raised ? [change("limit.raised", { ...found, statement })] : [];
}

// Without a refusal, the burst ended before the limit.
function shownBurst({ letIn: count = 0, refused }: Contract): string {
  return refused === 0 ? `all ${count}` : String(count);
}

function shownProbe({ perSecond, low, high }: Probe): string {
  const round = (value: number) => String(Number(value.toPrecision(3)));
  return `${round(perSecond)} (${round(low)} to ${round(high)})`;
}

// Spec, Errors. How often 429 comes depends on how hard was asked: the limit has rules of its own.
const statusesOfTheSpec: ReadonlySet<string> = new Set(["200", "400", "401", "403", "404"]);
const serverErrors: ReadonlySet<string> = new Set(["500", "502", "504"]);
const limited = "429";
/** What is asked beside the API (unknown paths, wrong methods) has no contract. */
const noEndpoint = "other";

/** Statuses that an endpoint answered with in one run and not in the other. */
function statusDrift(before: Contract, after: Contract): Drift[] {
  return Object.keys(before.statuses)
    .filter((endpoint) => endpoint !== noEndpoint && Object.hasOwn(after.statuses, endpoint))
    .flatMap((endpoint) => {
      const old = before.statuses[endpoint] ?? {};
      const now = after.statuses[endpoint] ?? {};
      const statuses = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
        (status) => status !== limited,
      );
      return statuses.flatMap((status) => {
        const was = statusShare(old, status);
        const is = statusShare(now, status);
        const rule = statusRule(status, was, is);
        if (rule === undefined) return [];
        const found = { before: shownShare(was), after: shownShare(is) };
        const statement = `${endpoint} answered ${status} to ${found.before} requests, and now to ${found.after}`;
        return [change(rule, { subject: `${status} from ${endpoint}`, ...found, statement })];
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

function shownShare({ count, total }: Share): string {
  return `${count} of ${total}`;
}

/** Below this, chance does not explain a change. */
export const improbable = 0.01;

/**
 * Probability of at most this few in the second sample, had nothing changed since the first. The share itself is only
 * known from the first sample, so this is the predictive distribution under Jeffreys' prior (beta-binomial): 1 of 40
 * says little about 38 others, and 2 of 2 little about a third.
 */
export function chanceOfSoFew(first: Share, second: Share): number {
  const a = first.count + 0.5;
  const b = first.total - first.count + 0.5;
  let sum = 0;
  for (let count = 0; count <= second.count; count += 1) {
    const ways = jStat.combinationln(second.total, count);
    sum += Math.exp(ways + jStat.betaln(a + count, b + second.total - count) - jStat.betaln(a, b));
  }
  return Math.min(1, sum);
}

/** Whether a field, a status or the like is gone, rather than not seen by chance. */
export function isGone(before: Share, after: Share): boolean {
  return after.count === 0 && chanceOfSoFew(before, after) < improbable;
}
