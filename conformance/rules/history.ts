import { identityOf } from "../../schemas/accounts.ts";
import { type KeyHeader, keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { isObject } from "../../schemas/json.ts";
import { type Exchange, keyHeadersIn, requestName } from "../client/exchange.ts";
import { organizationOf } from "../client/target.ts";
import { failed, passed, statusOf, warning } from "../requirements/outcome.ts";
import { productsIn, requestedById } from "../response/products-in.ts";
import { countersOf, isSameItem, itemsSent, slugsIn } from "../response/readers.ts";
import { comesAndGoesRules } from "./comes-and-goes.ts";
import type { HistoryRule, RuleFacts } from "./rule.ts";

export const historyRules: readonly HistoryRule[] = [
  {
    id: "errors.false-not-found/known-products",
    title: "Nothing that is found earlier and later in the run is missing in between",
    judge(exchanges, { fieldNames }) {
      const sightings = Map.groupBy(
        exchanges.flatMap((exchange) => sightingsIn(exchange, fieldNames)),
        ({ key }) => key,
      );
      const existing = [...sightings.values()].filter((all) => all.some(({ isFound }) => isFound));
      const incidents = existing.flatMap((all) => incidentsIn(all, exchanges));
      // A batch, or a lookup by URL, has several sightings.
      const { size: total } = new Set(existing.flat().flatMap((one) => (one.isLookup ? one.exchange : [])));
      const { size: count } = new Set(incidents.map(({ missing }) => missing));
      const [first] = incidents;
      if (first === undefined) return passed({ code: "checked", seen: { count: total, of: "requests" } });
      const finding: Finding = {
        code: "false-not-found",
        endpoint: first.missing.endpoint,
        actual: first.missing.response.status,
        ...first.named,
        seen: { count, total, of: "requests" },
      };
      const evidence = [first.missing, first.before, first.after];
      // One product may leave the catalog and come back. That it does so twice, or another one too, is not to be expected.
      const departures = existing.flatMap((all) =>
        all.filter(({ isFound }, place) => !isFound && all[place - 1]?.isFound),
      );
      const isAlone = departures.length < 2;
      return isAlone ? warning(finding, ...evidence) : failed(finding, ...evidence);
    },
  },
  neverRefused("authentication.bearer", keyHeaders.bearer),
  neverRefused("authentication.x-api-key", keyHeaders.plain),
  ...comesAndGoesRules,
];

const namesOfKeyHeaders = /^(authorization|x-api-key)$/i;

/** The name of a request without the key's header. The client repeats a refused request in the other one. */
function nameWithoutKey({ caller, request }: Exchange): string {
  const others = Object.entries(request.headers).filter(([name]) => !namesOfKeyHeaders.test(name));
  return requestName({ caller, request: { ...request, headers: Object.fromEntries(others) } });
}

/** One of several instances may not know the key. */
function neverRefused(
  requirement: "authentication.bearer" | "authentication.x-api-key",
  keyHeader: KeyHeader,
): HistoryRule {
  // A scheme that is written otherwise may be refused.
  const isUsual = (value: string) => keyHeader === keyHeaders.plain || value.startsWith("Bearer ");
  return {
    id: `${requirement}/every-request`,
    title: `A valid key in ${keyHeader} is not repeatedly refused where the same request is accepted`,
    judge(exchanges) {
      const ofKey = exchanges.filter(({ caller }) => caller === "primary");
      const found = new Map(
        ofKey.filter(({ response }) => response.status === 200).map((one) => [nameWithoutKey(one), one]),
      );
      const inHeader = ofKey.filter(
        (one) => keyHeadersIn(one).join() === keyHeader && Object.values(one.request.headers).some(isUsual),
      );
      const accepted = inHeader.filter(({ response }) => response.status === 200);
      const refused = inHeader.filter(
        (one) =>
          one.response.status === 401 &&
          // What is refused to the end of the run was revoked.
          accepted.some(({ number }) => number > one.number) &&
          accepted.some(({ endpoint }) => endpoint === one.endpoint) &&
          found.has(nameWithoutKey(one)),
      );
      const [first, second] = refused;
      if (first === undefined || second === undefined)
        return passed({ code: "checked", seen: { count: inHeader.length, of: "requests" } });
      const finding: Finding = {
        code: "wrong-status",
        expected: [200],
        condition: "good-key",
        subject: keyHeader,
        ...statusOf(first),
        seen: { count: refused.length, total: inHeader.length, of: "responses" },
      };
      return failed(finding, first, found.get(nameWithoutKey(first)) as Exchange, second);
    },
  };
}

/** Whether one exchange found something. */
interface Sighting {
  readonly key: string;
  readonly exchange: Exchange;
  readonly isFound: boolean;
  /** Whether it was asked for: a page may still list what has left the catalog. */
  readonly isLookup: boolean;
  readonly named: Pick<FindingOf<"false-not-found">, "product" | "subject">;
}

/** Something that was found, then was not, although the same way finds it too, and later was found again. */
interface Incident extends Pick<Sighting, "named"> {
  readonly missing: Exchange;
  readonly before: Exchange;
  readonly after: Exchange;
}

function incidentsIn(sightings: readonly Sighting[], exchanges: readonly Exchange[]): Incident[] {
  return sightings.flatMap(({ isFound, exchange: missing, named }, index) => {
    const before = sightings.slice(0, index).findLast((one) => one.isFound);
    const after = sightings.slice(index).find((one) => one.isFound && one.isLookup);
    if (isFound || before === undefined || after === undefined) return [];
    // What one key or way of looking up never finds is judged by its own requirement.
    if (!sightings.some((one) => one.isFound && wayOf(one.exchange) === wayOf(missing))) return [];
    const between = exchanges.filter(
      ({ number }) => number > before.exchange.number && number < after.exchange.number,
    );
    if (isDisabledIn(between, before.named.product?.retailer, missing, exchanges)) return [];
    return [{ missing, before: before.exchange, after: after.exchange, named }];
  });
}

/**
 * Whether these exchanges show that the organization could not use the retailer at that time (spec, Retailer): a list lacks it,
 * or an id that is found at other times returns 400 or 403.
 */
function isDisabledIn(
  between: readonly Exchange[],
  retailer: string | undefined,
  missing: Exchange,
  exchanges: readonly Exchange[],
): boolean {
  return between.some((one) => {
    const { endpoint, caller, request, response } = one;
    if (organizationOf[caller] !== organizationOf[missing.caller]) return false;
    if (endpoint === "retailers") {
      const slugs = slugsIn(response.json);
      return slugs.length > 0 && slugs.every((slug) => slug !== retailer);
    }
    return (
      (response.status === 400 || response.status === 403) &&
      requestedById(one).retailer === retailer &&
      exchanges.some((other) => other.request.url === request.url && other.response.status === 200)
    );
  });
}

/** The key and the way of a lookup, whatever items a batch has. */
function wayOf({ caller, request }: Exchange): string {
  return requestName({ caller, request: { ...request, body: undefined } });
}

/** What an exchange found or did not find: products, and the page or GTIN that was asked for. */
function sightingsIn(exchange: Exchange, fieldNames: RuleFacts["fieldNames"]): Sighting[] {
  const { endpoint, caller, request, response } = exchange;
  const organization = organizationOf[caller];
  const isFound = response.status === 200;
  if (!isFound && response.status !== 404) return [];
  const isLookup = endpoint !== "category-page";
  const sighting = (named: Sighting["named"], found = isFound): Sighting => {
    const key = JSON.stringify([organization, named.product?.retailer, named.product?.productId]);
    return { key, exchange, isFound: found, isLookup, named };
  };
  if (endpoint === "batch")
    return itemsFoundIn(exchange, fieldNames).map(({ found, ...named }) => sighting(named, found));
  if (endpoint === "lookup-by-id" && !isFound) return [sighting({ product: requestedById(exchange) })];
  const seen = productsIn(exchange, fieldNames)
    .map(({ product }) => identityOf(product))
    .filter(({ product }) => product !== undefined)
    .map((named) => sighting(named));
  const isByValue = endpoint === "lookup-by-url" || endpoint === "lookup-by-gtin";
  if (!isByValue || (isFound && seen.length === 0)) return seen;
  return [{ ...sighting(seen[0]?.named ?? {}), key: `${organization} ${request.url}` }, ...seen];
}

/**
 * The items of a batch, where each product that it found is one of them. Of a batch with upstream errors it is not known whether
 * its items exist, and what one above the limit returns is judged by batch.over-size.
 */
function itemsFoundIn(exchange: Exchange, fieldNames: RuleFacts["fieldNames"]) {
  const items = itemsSent(exchange);
  const products = productsIn(exchange, fieldNames).map(({ product }) => product);
  const isKnown = products.every((product) => items.some((item) => isSameItem(product, item)));
  const { status, json } = exchange.response;
  const list = fieldNames.batchFoundField;
  const isWhole = list !== undefined && status === 200 && isObject(json) && Array.isArray(json[list]);
  if (!isKnown || !isWhole || items.length > mostBatchItems || Number(countersOf(exchange).other_errors) > 0)
    return [];
  return items.map((item) => ({
    ...identityOf(item),
    found: products.some((one) => isSameItem(one, item)),
  }));
}
