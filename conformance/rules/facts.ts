import { isObject } from "../../schemas/json.ts";
import { createSharedPrices } from "../../schemas/no-values.ts";
import type { Exchange } from "../client/exchange.ts";
import { type Caller, type Organization, organizationOf } from "../client/target.ts";
import type { Discovery } from "../discovery/discover.ts";
import { productsIn } from "../response/products-in.ts";
import { nextCursor } from "../response/readers.ts";
import type { RuleFacts } from "./rule.ts";

/** The parts of a discovery that rules use. */
type KnownTarget = Pick<Discovery, "fieldNames"> & Partial<Pick<Discovery, "fixtures">>;

/**
 * Collects what the responses of a run say about retailers. Access may change at any time, so a retailer counts as
 * granted when any list of the run contained it.
 */
export function factsOf(exchanges: readonly Exchange[], { fieldNames, fixtures }: KnownTarget): RuleFacts {
  const slugs = new Map<Organization | Caller, Set<string>>();
  // A second key that may belong to another organization is judged by its own list.
  const key = fixtures?.sameOrgKey;
  const isInDoubt = key?.present === true && key.value.role === "contradicted";
  const organization = (caller: Caller) =>
    isInDoubt && caller === "sameOrg" ? caller : organizationOf[caller];
  const retailersOfProducts = new Set<unknown>();
  const prices = createSharedPrices();
  for (const exchange of exchanges)
    for (const { product } of productsIn(exchange, fieldNames)) {
      retailersOfProducts.add(product.retailer);
      prices.note(product);
    }
  const unclear = new Set<Organization | Caller>();
  const retailerNames = new Set<string>();
  const saidOf = new Map<string, Said>();
  for (const { endpoint, caller, response } of exchanges) {
    const list = isObject(response.json) ? response.json.retailers : undefined;
    if (endpoint !== "retailers" || response.status !== 200 || !Array.isArray(list)) continue;
    const own = slugs.get(organization(caller)) ?? new Set();
    for (const entry of list.filter(isObject)) {
      if (typeof entry.slug === "string") own.add(entry.slug);
      if (typeof entry.name === "string" && entry.name !== entry.slug) retailerNames.add(entry.name);
      note(saidOf, entry);
    }
    slugs.set(organization(caller), own);
    // A list with entries without a slug does not show what is granted.
    if (list.some((entry) => !isObject(entry) || typeof entry.slug !== "string"))
      unclear.add(organization(caller));
  }
  // If no product has a listed slug, lists and products spell retailers differently. Another requirement judges
  // that; what is granted is then unknown.
  const isSpelledAlike = slugs.values().some((own) => !own.isDisjointFrom(retailersOfProducts));
  const entitled = (caller: Caller) =>
    isSpelledAlike && !unclear.has(organization(caller)) ? slugs.get(organization(caller)) : undefined;
  return {
    fieldNames,
    retailerNames,
    listed: saidOf,
    entitled,
    prices,
    limitsOfCursors: limitsOfCursorsIn(exchanges),
    refusedCursors: refusedCursorsIn(exchanges),
    fixtures,
  };
}

interface Said {
  readonly names: Set<string>;
  readonly domains: Set<string>;
  isChanging: boolean;
}

function note(saidOf: Map<string, Said>, { slug, name, domains }: Readonly<Record<string, unknown>>): void {
  if (typeof slug !== "string") return;
  const before = saidOf.get(slug);
  const said = before ?? { names: new Set(), domains: new Set(), isChanging: false };
  saidOf.set(slug, said);
  if (typeof name === "string") said.names.add(name);
  const now = new Set((Array.isArray(domains) ? domains : []).filter((domain) => typeof domain === "string"));
  if (before !== undefined && now.symmetricDifference(said.domains).size > 0) said.isChanging = true;
  for (const domain of now) said.domains.add(domain);
}

function limitsOfCursorsIn(exchanges: readonly Exchange[]): RuleFacts["limitsOfCursors"] {
  const limits = new Map<string, Set<string>>();
  for (const { endpoint, request, response } of exchanges) {
    const cursor = endpoint === "category-page" ? nextCursor(response.json) : undefined;
    if (cursor === undefined || cursor === "") continue;
    const limit = new URL(request.url).searchParams.get("limit") ?? "";
    limits.set(cursor, (limits.get(cursor) ?? new Set()).add(limit));
  }
  return limits;
}

/** A request with its key, as the name of what is asked. */
export function requestOf({ caller, request }: Exchange): string {
  return `${caller} ${request.url}`;
}

/** A cursor may expire: it counts as refused only within so many requests for pages. */
const pagesUntilStale = 10;

function refusedCursorsIn(exchanges: readonly Exchange[]): Set<string> {
  const returned = new Map<string, number>();
  const accepted = new Set<string>();
  const refused = new Set<string>();
  const pages = exchanges.filter(({ endpoint }) => endpoint === "category-page");
  for (const [at, exchange] of pages.entries()) {
    const url = new URL(exchange.request.url);
    const { status, json } = exchange.response;
    const [cursor, ...others] = url.searchParams.getAll("cursor");
    // What is sent twice may be refused.
    if (others.length > 0) continue;
    url.searchParams.delete("cursor");
    const walk = `${exchange.caller} ${url.searchParams}`;
    const next = status === 200 ? nextCursor(json) : undefined;
    if (next) returned.set(`${walk} ${next}`, at);
    if (status === 200) accepted.add(requestOf(exchange));
    const since = at - (returned.get(`${walk} ${cursor}`) ?? Number.NEGATIVE_INFINITY);
    const isOfRequest = status >= 400 && status < 500 && status !== 401 && status !== 429;
    if (isOfRequest && since <= pagesUntilStale) refused.add(requestOf(exchange));
  }
  return refused.difference(accepted);
}
