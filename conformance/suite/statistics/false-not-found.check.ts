import { errorCodes, mostBatchItems } from "../../../schemas/api.ts";
import type { FieldNames } from "../../../schemas/contracts/field-names.ts";
import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import { isObject } from "../../../schemas/json.ts";
import { type Exchange, requestOf } from "../../client/exchange.ts";
import { failed, NotJudged, type Outcome, passed, warning } from "../../client/outcome.ts";
import type { Request } from "../../client/requests.ts";
import { organizationOf } from "../../client/target.ts";
import { nextCursor, slugsIn } from "../../discovery/browsing.ts";
import { countersOf, entriesUnderErrors, itemsSent } from "../../response/batch-result.ts";
import { identityOf, productsIn } from "../../response/products-in.ts";
import { acrossAllRequests, type CheckContext } from "../check/check.ts";
import { isComparable } from "../check/product-comparison.ts";
import { section } from "../check/rows.ts";
import { wrongResponses } from "./concurrent-requests.ts";

/** Lookups to add where something was missing, and the number of requests that take turns. */
const lookupsToAdd = 60;
const requestsInTurn = 15;

/** Spec, Errors: 404 means "no matching product". A failure behind the service must not look like that. */
export default section(
  "errors",
  [
    {
      id: "errors.false-not-found/known-products",
      title: "Nothing that is found earlier and later in the run is missing in between",
      requests: 1,
      run: neverMissing,
    },
  ],
  acrossAllRequests,
);

/** Fails when something was missing several times, and warns when it was missing once in spite of many more lookups. */
async function neverMissing(context: CheckContext): Promise<Outcome> {
  // Concurrent requests are where it happens most, so they must be part of the run.
  await wrongResponses(context);
  const presence = falseNotFound(context);
  // A single miss may be of a product that came or went during the run, so more lookups decide.
  const isDoubtful = presence.endpoints.size > 0 && presence.incidents.length < 2;
  if (isDoubtful) for (const request of moreLookups(presence, context)) await context.ask(request);
  const { incidents, requests } = isDoubtful ? falseNotFound(context) : presence;
  const [first] = incidents;
  if (first === undefined) return passed({ code: "checked", seen: { count: requests, of: "requests" } });
  const present = await foundNow(first, context);
  const finding = findingOn(incidents, requests);
  return incidents.length > 1
    ? failed(finding, first.missing, first.found, present)
    : warning(finding, first.missing, first.found, present);
}

/** Sends the request again. @throws NotJudged when the product has left the catalog. */
async function foundNow({ missing, named }: Incident, context: CheckContext) {
  const request = requestOf(missing, context.target);
  const present = await context.ask(request);
  if (present.response.status !== 404) return present;
  const { response } = await context.ask(request);
  if (response.status === 404) {
    const { product } = named;
    throw new NotJudged({ code: "product-gone", product });
  }
  return present;
}

function findingOn(incidents: readonly Incident[], total: number): Finding {
  const [{ missing, named }] = incidents as readonly [Incident, ...Incident[]];
  return {
    code: "false-not-found",
    endpoint: missing.endpoint,
    actual: missing.response.status,
    ...named,
    seen: { count: incidents.length, total, of: "requests" },
    byEndpoint: [...Map.groupBy(incidents, (one) => one.missing.endpoint)].map(([endpoint, all]) => ({
      endpoint,
      count: all.length,
      total: all.length,
    })),
  };
}

/** Requests that found something at the endpoints that missed something, in turn. */
function moreLookups({ endpoints, found }: Presence, { target }: CheckContext): Request[] {
  const requests = found
    .filter(({ endpoint }) => endpoints.has(endpoint))
    .map((exchange) => requestOf(exchange, target));
  const distinct = new Map(requests.map((request) => [JSON.stringify(request), request]));
  const inTurn = [...distinct.values()].slice(0, requestsInTurn);
  return Array.from({ length: lookupsToAdd }, (_, index) => inTurn[index % inTurn.length]).filter(
    (request) => request !== undefined,
  );
}

/** A request that found something, then did not, and later found it again. */
export interface Incident {
  /** The exchange that did not find it. */
  readonly missing: Exchange;
  /** The exchange that found it first. */
  readonly found: Exchange;
  readonly named: Pick<FindingOf<"false-not-found">, "product" | "subject">;
}

/** What the requests of a run say about things that were found at least once. */
export interface Presence {
  readonly incidents: readonly Incident[];
  /** Number of requests for these things. */
  readonly requests: number;
  /** Endpoints that missed one of them, whether or not a request found it before and after. */
  readonly endpoints: ReadonlySet<Exchange["endpoint"]>;
  /** Every exchange that found one of them, first of those that were missed. */
  readonly found: readonly Exchange[];
}

/** Whether one exchange found something. */
interface SeenFlaw {
  readonly exchange: Exchange;
  readonly isFound: boolean;
  readonly named: Incident["named"];
}

/**
 * Finds what was missing between two requests that found it, in all requests of a run so far. A product that has left
 * the catalog is not found again, so it is no incident. Neither is one of a retailer that was disabled for a while.
 */
export function falseNotFound({
  exchanges,
  fieldNames,
}: Pick<CheckContext, "exchanges" | "fieldNames">): Presence {
  const flaws = Map.groupBy(
    exchanges.flatMap((exchange) => sightingsIn(exchange, fieldNames)),
    ({ key }) => key,
  );
  const absences = absencesIn(exchanges);
  const isMissed = (all: readonly SeenFlaw[]) => all.some(({ isFound }) => !isFound);
  const existing = [...flaws.values()]
    .filter((all) => all.some(({ isFound }) => isFound))
    .toSorted((a, b) => Number(isMissed(b)) - Number(isMissed(a)));
  const of = (wanted: boolean) =>
    existing.flat().flatMap(({ isFound, exchange }) => (isFound === wanted ? [exchange] : []));
  return {
    incidents: existing.flatMap((all) => incidentsOf(all, absences)),
    requests: existing.reduce((sum, { length }) => sum + length, 0),
    endpoints: new Set(of(false).map(({ endpoint }) => endpoint)),
    found: of(true),
  };
}

function incidentsOf(flaws: readonly SeenFlaw[], absences: readonly Absence[]): Incident[] {
  const first = flaws.find(({ isFound }) => isFound);
  return flaws.flatMap(({ isFound, exchange, named }, index) => {
    const before = flaws.slice(0, index).findLast((one) => one.isFound);
    const after = flaws.slice(index).find((one) => one.isFound);
    if (first === undefined || before === undefined || after === undefined || isFound) return [];
    const explains = ({ retailer, exchange: { number, caller } }: Absence) =>
      retailer === before.named.product?.retailer &&
      caller !== "nobody" &&
      exchange.caller !== "nobody" &&
      organizationOf[caller] === organizationOf[exchange.caller] &&
      number > before.exchange.number &&
      number < after.exchange.number;
    return absences.some(explains) ? [] : [{ missing: exchange, found: first.exchange, named }];
  });
}

/** An exchange that shows that an organization could not use a retailer at that time. */
interface Absence {
  readonly exchange: Exchange;
  readonly retailer: string;
}

/**
 * Retailers may be disabled for a while (spec, Retailer). A list of retailers then lacks them, and an id that is found
 * at other times returns 400 or 403.
 */
function absencesIn(exchanges: readonly Exchange[]): Absence[] {
  const withKey = exchanges.filter(({ caller }) => caller !== "nobody");
  const lists = withKey
    .filter(({ endpoint, response }) => endpoint === "retailers" && response.status === 200)
    .map((exchange) => ({ exchange, slugs: slugsIn(exchange.response.json) }))
    .filter(({ slugs }) => slugs.length > 0);
  const listed = new Set(lists.flatMap(({ slugs }) => slugs));
  const lookups = withKey.filter(({ endpoint }) => endpoint === "lookup-by-id");
  const found = new Set(
    lookups.flatMap(({ request, response }) => (response.status === 200 ? request.url : [])),
  );
  return [
    ...lists.flatMap(({ exchange, slugs }) =>
      [...listed].filter((slug) => !slugs.includes(slug)).map((retailer) => ({ exchange, retailer })),
    ),
    ...lookups
      .filter(
        ({ request, response: { status } }) => (status === 400 || status === 403) && found.has(request.url),
      )
      .map((exchange) => ({ exchange, retailer: segmentsOf(exchange.request.url)[0] })),
  ];
}

function sightingsIn(exchange: Exchange, fieldNames: FieldNames): (SeenFlaw & { key: string })[] {
  const { endpoint, caller, request, response } = exchange;
  const { status, json } = response;
  if (caller === "nobody" || (status !== 200 && status !== 404)) return [];
  if (!isComparable(exchange, fieldNames)) return [];
  const organization = organizationOf[caller];
  const key = `${organization} ${request.method} ${request.url}`;
  const found = productsIn(exchange, fieldNames);
  switch (endpoint) {
    case "lookup-by-id":
    case "lookup-by-url":
    case "lookup-by-gtin": {
      const isFound = status === 200 && found.length > 0;
      if (status === 200 && !isFound) return [];
      const [retailer, productId] = segmentsOf(request.url);
      const requested = endpoint === "lookup-by-id" ? { product: { retailer, productId } } : {};
      return [{ key, exchange, isFound, named: { ...requested, ...identityOf(found[0]?.product ?? {}) } }];
    }
    case "category-page": {
      if (status !== 200 || !isObject(json) || !Array.isArray(json.products)) return [];
      // An empty page with a cursor after it may have been filtered: the products follow.
      const goesOn = (nextCursor(json) ?? "") !== "";
      if (json.products.length === 0 && goesOn) return [];
      const subject = new URL(request.url).searchParams.get("category") ?? "";
      return [{ key, exchange, isFound: json.products.length > 0, named: { subject } }];
    }
    case "batch": {
      const items = itemsSent(exchange);
      // What a batch above the limit returns is judged by batch.over-size.
      if (status !== 200 || fieldNames.batchFoundField === undefined || items.length > mostBatchItems)
        return [];
      // Of items that could not be looked up, it is not known whether they exist.
      const reported = entriesUnderErrors(exchange);
      const notFound =
        Number(countersOf(exchange).other_errors) > 0 ? reported.filter(saysNotFound) : reported;
      return items.flatMap(({ retailer, product_id: productId }) => {
        if (typeof retailer !== "string" || typeof productId !== "string") return [];
        const named = { product: { retailer, productId } };
        const isSame = (one: Readonly<Record<string, unknown>>) =>
          one.retailer === retailer && one.product_id === productId;
        const isFound = found.some(({ product }) => isSame(product));
        // If products lack their identity, an item is only known to be missing when it is under errors.
        const allNamed = found.every(({ product }) => identityOf(product).product !== undefined);
        const isUnknown = reported.some(isSame) && !notFound.some(isSame);
        if (!isFound && (isUnknown || (!allNamed && !reported.some(isSame)))) return [];
        return [
          { key: `${organization} batch ${JSON.stringify([retailer, productId])}`, exchange, isFound, named },
        ];
      });
    }
    case "retailers":
    case "other":
      return [];
    default:
      return endpoint satisfies never;
  }
}

function saysNotFound(entry: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(entry).includes(errorCodes[404]);
}

function segmentsOf(url: string): [string, string] {
  const [retailer = "", productId = ""] = new URL(url).pathname.split("/").slice(-2);
  try {
    return [decodeURIComponent(retailer), decodeURIComponent(productId)];
  } catch {
    return [retailer, productId];
  }
}
