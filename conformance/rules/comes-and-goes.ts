import { identityOf } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Product, productFields } from "../../schemas/contracts/product.ts";
import { given, isObject, pointer } from "../../schemas/json.ts";
import { type Exchange, headersThatCount } from "../client/exchange.ts";
import { failed, passed, warning } from "../requirements/outcome.ts";
import { productsIn } from "../response/products-in.ts";
import { nextCursor, slugsIn } from "../response/readers.ts";
import type { HistoryRule, RuleFacts } from "./rule.ts";

// What a response with 200 lacks, although such a response to the same key had it before and has it again later.

/** Something in a response that has entries: the list of retailers, the domains of one, a category, a product. */
interface Holding {
  /** Holdings of one name are compared. */
  readonly name: string;
  readonly path: string;
  readonly entries: ReadonlySet<string>;
  /** Whether it has more entries than the response shows. */
  readonly isPart?: boolean;
  readonly product?: Finding["product"];
}

interface Sighting extends Holding {
  readonly exchange: Exchange;
}

/** Entries that are gone from one response, and come back. */
interface Loss {
  readonly at: Sighting;
  readonly before: Sighting;
  readonly after: Sighting;
  readonly gone: readonly string[];
  readonly all: readonly Sighting[];
}

/** What came later than in the first responses was added in the run: replicas learn it one by one. */
const firstSightings = 3;

const isWhole = ({ at, all }: Loss) => at.entries.size === 0 && all.some(({ entries }) => entries.size > 1);

const retailers = "/retailers";

export const comesAndGoesRules: readonly HistoryRule[] = [
  {
    id: "retailers.scope/one-list",
    title: "GET /retailers does not repeatedly lose retailers or domains and get them back",
    judge: neverLost(listsIn, (all) => {
      const losses = all.filter(({ at }) => at.path === retailers);
      const whole = losses.filter(isWhole).length;
      // A retailer may be disabled for a moment, and domains may change at any time (spec, Retailer).
      if (whole > 1 || losses.length > 2) return failed;
      return whole > 0 || losses.length > 1 || all.length - losses.length > 1 ? warning : undefined;
    }),
  },
  {
    id: "errors.false-not-found/same-category",
    title: "No category on a single page loses products and gets them back",
    judge: neverLost(categoryIn, (losses) => {
      const products = new Set(losses.flatMap(({ gone }) => gone));
      // A replica may not have learned of one product.
      return losses.length > 1 && products.size > 1 ? failed : warning;
    }),
  },
  {
    id: "product.same-shape/every-time",
    title: "No lookup path loses fields of a product that was not updated and gets them back",
    judge: neverLost(productsShownIn, (losses) => {
      const named = losses.filter(({ gone }) => gone.some((field) => field in productFields));
      // One product may have been changed without a new time, which a replica has not learned of.
      return new Set(named.map(({ at }) => at.name)).size > 1 ? failed : warning;
    }),
  },
];

/** @param weigh what some losses are, of which the largest is shown */
function neverLost(
  holdingsIn: (exchange: Exchange, facts: Pick<RuleFacts, "fieldNames">) => readonly Holding[],
  weigh: (losses: readonly Loss[]) => typeof failed | undefined,
): HistoryRule["judge"] {
  return (exchanges, facts) => {
    // What is returned without a key may be of any organization.
    const sightings = exchanges
      .filter(({ caller }) => caller !== "nobody")
      .filter(({ response }) => response.status === 200 && isObject(response.json))
      .flatMap((exchange) => holdingsIn(exchange, facts).map((one) => ({ ...one, exchange })));
    const losses = [...Map.groupBy(sightings, keyOf).values()]
      .flatMap(lossesIn)
      .filter((one, place, all) => !all.some((other, before) => before < place && isSameMoment(one, other)));
    const [first] = losses.toSorted((a, b) => b.gone.length - a.gone.length);
    const outcome = first && weigh(losses);
    const { size: count } = responsesOf(sightings);
    return first && outcome
      ? outcome(findingOn(first), ...[first.at, first.before, first.after].map(({ exchange }) => exchange))
      : passed({ code: "checked", seen: { count, of: "responses" } });
  };
}

/** A batch may contain one product twice. */
function responsesOf(sightings: readonly Sighting[]): Set<Exchange> {
  return new Set(sightings.map(({ exchange }) => exchange));
}

function listsIn({ endpoint, response: { json } }: Exchange): Holding[] {
  if (endpoint !== "retailers") return [];
  const list = isObject(json) && Array.isArray(json.retailers) ? json.retailers.filter(isObject) : [];
  const domains = list.map(({ slug, domains }, index): Holding => {
    const hosts = Array.isArray(domains) ? domains.map(String) : [];
    const path = pointer("retailers", index, "domains");
    return { name: `domains of ${slug}`, path, entries: new Set(hosts) };
  });
  return [{ name: retailers, path: retailers, entries: new Set(slugsIn(json)) }, ...domains];
}

function categoryIn(exchange: Exchange, { fieldNames }: Pick<RuleFacts, "fieldNames">): Holding[] {
  const { endpoint, request, response } = exchange;
  if (endpoint !== "category-page") return [];
  const { searchParams } = new URL(request.url);
  if (searchParams.has("cursor")) return [];
  const names = productsIn(exchange, fieldNames).map(({ product }) => nameOf(product));
  const isPart = nextCursor(response.json) !== "";
  return [{ name: searchParams.toString(), path: "/products", entries: new Set(names), isPart }];
}

function productsShownIn(exchange: Exchange, { fieldNames }: Pick<RuleFacts, "fieldNames">): Holding[] {
  return productsIn(exchange, fieldNames).flatMap(({ path, product }): Holding[] => {
    const { last_updated: version } = product;
    const identity = identityOf(product);
    if (identity.product === undefined || version === undefined) return [];
    const fields = Object.keys(product);
    // That a field is null is judged by service.omitted-fields: only what has the same nulls is compared.
    const nulls = fields.filter((field) => product[field as keyof Product] === null);
    const name = JSON.stringify([nameOf(product), version, ...nulls]);
    return [{ name, path, entries: new Set(fields), ...identity }];
  });
}

function nameOf({ retailer, product_id: id }: Product): string {
  return `${retailer} / ${id}`;
}

function keyOf({ name, exchange }: Sighting): string {
  return JSON.stringify([exchange.caller, exchange.endpoint, name, headersThatCount(exchange)]);
}

function lossesIn(sightings: readonly Sighting[]): Loss[] {
  const known = new Set(sightings.slice(0, firstSightings).flatMap(({ entries }) => [...entries]));
  return sightings.flatMap((at, index) => {
    const before = sightings[index - 1];
    if (before === undefined || at.isPart === true) return [];
    const later = sightings.slice(index + 1);
    const gone = [...known].filter(
      (entry) =>
        !at.entries.has(entry) &&
        before.entries.has(entry) &&
        later.some(({ entries }) => entries.has(entry)),
    );
    const after = later.find(({ entries }) => gone.some((entry) => entries.has(entry)));
    return after === undefined ? [] : [{ at, before, after, gone, all: sightings }];
  });
}

/** Whether two keys, or requests with different headers, saw the same thing missing at the same time. */
function isSameMoment(one: Loss, other: Loss): boolean {
  const isWithin = ({ at }: Loss, { before, after }: Loss) =>
    at.exchange.number > before.exchange.number && at.exchange.number < after.exchange.number;
  return one.at.name === other.at.name && isWithin(one, other) && isWithin(other, one);
}

const mostNamed = 5;

function findingOn({ at, gone, all }: Loss): Finding {
  const { path, product, exchange } = at;
  const lacking = all.filter(
    ({ entries, isPart }) => isPart !== true && gone.some((entry) => !entries.has(entry)),
  );
  return {
    code: "comes-and-goes",
    endpoint: exchange.endpoint,
    path,
    ...given({ product }),
    expected: gone.slice(0, mostNamed),
    seen: { count: responsesOf(lacking).size, total: responsesOf(all).size, of: "responses" },
    comparedWith: 1,
  };
}
