import { isObject } from "../../schemas/json.ts";
import { createSharedPrices } from "../../schemas/no-values.ts";
import type { Exchange } from "../client/exchange.ts";
import { type Caller, organizationOf } from "../client/target.ts";
import type { Discovery } from "../discovery/discover.ts";
import { productsIn } from "../response/products-in.ts";
import { nextCursor } from "../response/readers.ts";
import type { ListedRetailer, RuleFacts } from "./rule.ts";

/** The parts of a discovery that rules use. */
type KnownTarget = Pick<Discovery, "fieldNames"> & Partial<Pick<Discovery, "fixtures">>;

/**
 * Collects what the responses of a run say about retailers. Access may change at any time, so a retailer counts as
 * granted when any list of the run contained it.
 */
export function factsOf(exchanges: readonly Exchange[], { fieldNames, fixtures }: KnownTarget): RuleFacts {
  // A second key that may belong to another organization is judged by its own list.
  const key = fixtures?.sameOrgKey;
  const isInDoubt = key?.present === true && key.value.role === "contradicted";
  const ownerOf = (caller: Caller) => (isInDoubt ? caller : organizationOf[caller]);
  const lists = exchanges.flatMap(({ endpoint, caller, response }) => {
    const list = isObject(response.json) ? response.json.retailers : undefined;
    if (endpoint !== "retailers" || response.status !== 200 || !Array.isArray(list)) return [];
    return [{ owner: ownerOf(caller), list: list.map((entry) => (isObject(entry) ? entry : {})) }];
  });
  // A list with entries without a slug does not show what is granted.
  const slugs = new Map(
    [...Map.groupBy(lists, ({ owner }) => owner)].map(([owner, own]) => {
      const all = own.flatMap(({ list }) => list.map(({ slug }) => slug));
      return [owner, all.every((slug) => typeof slug === "string") ? new Set(all) : undefined] as const;
    }),
  );
  const entries = lists.flatMap(({ list }) => list);
  const bySlug = Map.groupBy(
    entries.filter(({ slug }) => typeof slug === "string"),
    ({ slug }) => String(slug),
  );
  const named = entries.filter(({ slug, name }) => name !== slug);
  // Few rules need these, and facts are collected anew for each row with rules.
  const products = lazily(() => seenInProducts(exchanges, fieldNames));
  // If no product has a listed slug, lists and products spell retailers differently. Another requirement judges
  // that; what is granted is then unknown.
  const isSpelledAlike = lazily(() => [...bySlug.keys()].some((slug) => products().retailers.has(slug)));
  return {
    fieldNames,
    retailerNames: new Set(textsIn(named.map(({ name }) => name))),
    listed: new Map([...bySlug].map(([slug, all]) => [slug, saidIn(all)])),
    // Without a key, a response shows no organization: another requirement judges that there is one.
    entitled: (caller) => (caller !== "nobody" && isSpelledAlike() ? slugs.get(ownerOf(caller)) : undefined),
    prices: () => products().prices,
    limitsOfCursors: lazily(() => limitsOfCursorsIn(exchanges)),
    fixtures,
  };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Retailers and prices below zero of all products. */
function seenInProducts(exchanges: readonly Exchange[], fieldNames: RuleFacts["fieldNames"]) {
  const retailers = new Set<unknown>();
  const prices = createSharedPrices();
  for (const exchange of exchanges)
    for (const { product } of productsIn(exchange, fieldNames)) {
      retailers.add(product.retailer);
      prices.note(product);
    }
  return { retailers, prices };
}

/** What all entries for one retailer say. */
function saidIn(entries: readonly Record<string, unknown>[]): ListedRetailer {
  const each = entries.map(({ domains }) => new Set(textsIn(domains)));
  const domains = new Set(each.flatMap((own) => [...own]));
  return {
    names: new Set(textsIn(entries.map(({ name }) => name))),
    domains,
    isChanging: each.some(({ size }) => size < domains.size),
  };
}

function textsIn(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
}

function limitsOfCursorsIn(exchanges: readonly Exchange[]): Map<string, Set<string>> {
  const limits = new Map<string, Set<string>>();
  for (const { endpoint, request, response } of exchanges) {
    const cursor = endpoint === "category-page" ? nextCursor(response.json) : undefined;
    if (cursor === undefined || cursor === "") continue;
    const limit = new URL(request.url).searchParams.get("limit") ?? "";
    limits.set(cursor, (limits.get(cursor) ?? new Set()).add(limit));
  }
  return limits;
}
