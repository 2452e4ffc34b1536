import { endpoints, type KeyHeader, keyHeaders } from "../../../schemas/api.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { pointer } from "../../../schemas/json.ts";
import type { Exchange } from "../../client/exchange.ts";
import { failed, type Outcome, passed } from "../../client/outcome.ts";
import { byCategory, type Request, retailers } from "../../client/requests.ts";
import type { Caller } from "../../client/target.ts";
import { slugsIn } from "../../discovery/browsing.ts";
import { need, type ProductFixture } from "../../discovery/fixtures.ts";
import { carriesGtin } from "../../discovery/gtin-lookup.ts";
import { identityOf, type ProductInBody, productsIn } from "../../response/products-in.ts";
import type { CheckContext } from "../check/check.ts";
import { hasStatus } from "../check/expectations.ts";
import { freshProducts, productLookups, sendBatch } from "../check/inputs.ts";
import { productOf } from "../check/product-comparison.ts";

/** The same request with the keys of two organizations in turn: a cache that ignores the key mixes them up. */
export interface KeysInTurn {
  /** The end of the check's id. */
  readonly name: string;
  readonly label: string;
  readonly requests: number;
  readonly run: (context: CheckContext) => Promise<Outcome>;
}

/** One entry for each lookup path, and for the lists. */
export const keysInTurn: readonly KeysInTurn[] = [
  ...Object.entries(productLookups).map(([name, { label, request }]) => ({
    name,
    label,
    requests: 8,
    run: async (context: CheckContext) => await lookupInTurn(context, (product) => request(product, context)),
  })),
  { name: "retailers", label: endpoints.retailers.label, requests: 6, run: retailersInTurn },
  { name: "by-category", label: endpoints["category-page"].label, requests: 8, run: pageInTurn },
];

/** Looks up a product of each organization with the key that may see it, with the other key, and with the first again. */
async function lookupInTurn(
  context: CheckContext,
  requestFor: (product: ProductFixture) => Request | undefined,
): Promise<Outcome> {
  const { unentitledProduct, ownProduct, otherOrgKey } = context.fixtures;
  need(otherOrgKey);
  const own = ownOnly(context);
  const foreign = unentitledProduct.present ? unentitledProduct.value : undefined;
  const ofOwn = own && ({ product: own, entitled: "primary", other: "otherOrg" } as const);
  const ofForeign = foreign && ({ product: foreign, entitled: "otherOrg", other: "primary" } as const);
  // A cache may tell organizations apart by one of the two headers only, so both are tried.
  const inBearer = ofOwn ?? ofForeign;
  const inPlain = ofForeign ?? ofOwn;
  const turns: readonly Omit<Turn, "request">[] = [
    ...(inBearer === undefined ? [] : [{ ...inBearer, keyHeader: keyHeaders.bearer }]),
    ...(inPlain === undefined ? [] : [{ ...inPlain, keyHeader: keyHeaders.plain }]),
  ];
  let count = 0;
  for (const turn of turns) {
    const request = requestFor(turn.product);
    if (request === undefined) continue;
    const outcome = await oneThenOther(context, { ...turn, request });
    if (outcome.kind !== "pass") return outcome;
    count += 3;
  }
  if (!ownProduct.present) need(unentitledProduct);
  return passed({ code: "checked", seen: { count, of: "requests" } });
}

interface Turn {
  readonly product: ProductFixture;
  readonly request: Request;
  readonly entitled: Caller;
  readonly other: Caller;
  readonly keyHeader: KeyHeader;
}

async function oneThenOther(
  { ask, fieldNames }: CheckContext,
  { product: { retailer, productId, gtin }, request: given, entitled, other, keyHeader }: Turn,
): Promise<Outcome> {
  const productIn = (exchange: Exchange) =>
    productsIn(exchange, fieldNames).find(
      ({ product }) => product.retailer === retailer && product.product_id === productId,
    );
  const { exchange: first, request } = await inHeader(ask, { ...given, caller: entitled }, keyHeader);
  if (productIn(first) === undefined)
    return passed({ code: "judged-elsewhere", subject: "service.four-ways" }, first);
  const second = await ask({ ...request, caller: other });
  const leaked = productIn(second);
  if (leaked !== undefined) return failed(notGranted(leaked, other), second, first);
  const third = await sendBatch({ ...request, caller: entitled }, ask);
  if (productIn(third) !== undefined) return passed();
  // Several products may have one GTIN: any of them is correct, of any retailer if none is named.
  const another = productOf(third);
  const isUnscoped = !new URLSearchParams(request.path.split("?")[1]).has("retailer");
  const isOfGtin =
    gtin !== undefined && request.endpoint === "lookup-by-gtin" && carriesGtin(another, gtin, fieldNames);
  if (isOfGtin && (isUnscoped || another.retailer === retailer)) return passed();
  const circumstances = {
    condition: "in-turn",
    product: { retailer, productId },
    details: { after: other },
  } as const;
  const otherProduct = { code: "other-product", path: pointer("product_id"), expected: productId } as const;
  if (third.response.status !== 200) return hasStatus(third, 200, circumstances, second);
  const wrong =
    request.endpoint === "batch" ? ({ code: "item-missing", path: "/errors" } as const) : otherProduct;
  return failed({ ...wrong, ...circumstances }, third, second);
}

/** The response to a request with its key in one header, and that request; in the other header if the target rejects it there. */
async function inHeader(
  ask: CheckContext["ask"],
  request: Request,
  keyHeader: KeyHeader,
): Promise<{ exchange: Exchange; request: Request }> {
  const exchange = await ask({ ...request, keyHeader });
  if (exchange.response.status !== 401) return { exchange, request: { ...request, keyHeader } };
  return { exchange: await ask(request), request };
}

function notGranted({ path, product }: ProductInBody, subject: Caller): Finding {
  return {
    code: "not-granted",
    path: path + pointer("retailer"),
    actual: product.retailer ?? "",
    subject,
    ...identityOf(product),
  };
}

/** A product that only the first organization may see; preferably with a GTIN, otherwise one not looked up before. */
function ownOnly(context: CheckContext): ProductFixture | undefined {
  const { fixtures } = context;
  if (!fixtures.otherRetailers.present || !fixtures.ownProduct.present) return undefined;
  const granted = new Set(fixtures.otherRetailers.value);
  const gtins = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const shared = new Set(fixtures.sharedGtins.map(({ gtin }) => gtin));
  const isOwn = ({ retailer, url }: ProductFixture) => !granted.has(retailer) && url !== undefined;
  return (
    gtins.find((product) => isOwn(product) && !shared.has(product.gtin)) ??
    freshProducts(context).find(isOwn) ??
    fixtures.ownProduct.value
  );
}

const listsInTurn = [
  ["primary", keyHeaders.bearer],
  ["otherOrg", keyHeaders.bearer],
  ["primary", keyHeaders.plain],
  ["otherOrg", keyHeaders.plain],
] as const;

async function retailersInTurn({ fixtures, ask }: CheckContext): Promise<Outcome> {
  const own = need(fixtures.retailers);
  const others = need(fixtures.otherRetailers);
  const onlyOwn = own.filter((slug) => !others.includes(slug));
  const onlyOthers = others.filter((slug) => !own.includes(slug));
  for (const [caller, keyHeader] of listsInTurn) {
    const [expected, notGranted] = caller === "primary" ? [onlyOwn, onlyOthers] : [onlyOthers, onlyOwn];
    const { exchange } = await inHeader(ask, { ...retailers(), caller }, keyHeader);
    const slugs = slugsIn(exchange.response.json);
    const foreign = slugs.find((slug) => notGranted.includes(slug));
    // It may have been granted in the meantime. Then the caller's own retailers are listed, too.
    if (foreign !== undefined && !expected.some((slug) => slugs.includes(slug)))
      return failed(
        {
          code: "retailer-of-other-organization",
          subject: foreign,
          path: pointer("retailers", slugs.indexOf(foreign)),
          details: { caller },
        },
        exchange,
      );
  }
  return passed({ code: "checked", seen: { count: 4, of: "requests" } });
}

/** Largest limit of a page that no cache can contain yet. A target may reject larger ones. */
const largestLimit = 49;

/**
 * Requests a page that tells the organizations apart with one key, with the other and with the first again; then a page
 * of another length with the other key first; then a page with a cursor of the first organization with the other key.
 */
async function pageInTurn(context: CheckContext): Promise<Outcome> {
  const { fixtures, ask, fieldNames } = context;
  const own = new Set(need(fixtures.retailers));
  const others = new Set(need(fixtures.otherRetailers));
  const isOwn = ({ product: { retailer } }: ProductInBody) =>
    typeof retailer === "string" && own.has(retailer) && !others.has(retailer);
  const isForeign = ({ product: { retailer } }: ProductInBody) =>
    typeof retailer === "string" && others.has(retailer) && !own.has(retailer);
  const leak = (exchange: Exchange, before: Exchange) => {
    const leaked = productsIn(exchange, fieldNames).find(exchange.caller === "primary" ? isForeign : isOwn);
    return leaked && failed(notGranted(leaked, exchange.caller), exchange, before);
  };
  const { category, ...options } = pageWith(isOwn, context);
  const { exchange: first, request: usual } = await inHeader(
    ask,
    { ...byCategory(category, options), caller: "primary" },
    keyHeaders.bearer,
  );
  const second = await ask({ ...usual, caller: "otherOrg" });
  const third = await ask({ ...usual, caller: "primary" });
  const products = productsIn(first, fieldNames);
  // Long enough for the products of the first page where filtering made it shorter.
  const limit = String(Math.min(2 * products.length + 1, largestLimit));
  const { exchange: otherOfOther, request: other } = await inHeader(
    ask,
    { ...byCategory(category, { ...options, limit }), caller: "otherOrg" },
    keyHeaders.plain,
  );
  const otherOfOwn = await ask({ ...other, caller: "primary" });
  // A cursor may carry the access of the organization that got it.
  const behindCursor =
    options.cursor === undefined
      ? pagesWith(isOwn, context).find(({ parameters }) => parameters.cursor !== undefined)
      : undefined;
  const ofForeignCursor =
    behindCursor && (await ask({ ...pageRequest(behindCursor.parameters), caller: "otherOrg" }));
  const leaked =
    leak(second, first) ??
    leak(third, second) ??
    leak(otherOfOwn, otherOfOther) ??
    (ofForeignCursor && leak(ofForeignCursor, behindCursor.page));
  if (leaked !== undefined) return leaked;
  const hidden = (exchange: Exchange, before: Exchange, among = products, size = options.limit) => {
    const expected = among.filter(isOwn);
    if (exchange.response.status !== 200 || expected.length === 0) return undefined;
    // Such a product, even another one, is not on the other organization's page. A walk may begin elsewhere each time.
    if (productsIn(exchange, fieldNames).some(isOwn)) return undefined;
    const finding: Finding = {
      code: "item-missing",
      condition: "in-turn",
      subject: category,
      ...identityOf(expected[0]?.product ?? {}),
      seen: { count: expected.length, of: "products" },
      details: { after: "otherOrg", limit: size },
    };
    return failed(finding, exchange, before);
  };
  const shownLast = new Set(productsIn(otherOfOwn, fieldNames).map(nameOf));
  // A page of another length may end earlier than the first one.
  const end = products.findLastIndex((one) => shownLast.has(nameOf(one)));
  const missing =
    hidden(third, second) ?? hidden(otherOfOwn, otherOfOther, products.slice(0, end + 1), limit);
  if (missing !== undefined) return missing;
  // If both organizations see the same products, pages in the wrong hands look right.
  const tellApart = products.some(isOwn) || productsIn(otherOfOther, fieldNames).some(isForeign);
  if (!tellApart) need(fixtures.ownProduct);
  const count = ofForeignCursor === undefined ? 5 : 6;
  return passed({ code: "checked", seen: { count, of: "requests" } });
}

/**
 * The parameters of the run's first page with such a product; otherwise those of the usual category. A page without a
 * cursor is preferred, since a cursor may be valid for one organization only.
 */
function pageWith(isWanted: (one: ProductInBody) => boolean, context: CheckContext): PageParameters {
  const { category } = need(context.fixtures.category);
  const [chosen] = pagesWith(isWanted, context).toSorted(
    (a, b) => Number("cursor" in a.parameters) - Number("cursor" in b.parameters),
  );
  return chosen?.parameters ?? { category };
}

interface PageParameters {
  readonly category: string;
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
}

/** The pages of the run that the first organization got and that have such a product. */
function pagesWith(
  isWanted: (one: ProductInBody) => boolean,
  { exchanges, fieldNames, fixtures }: CheckContext,
): { readonly page: Exchange; readonly parameters: PageParameters }[] {
  const known = new Set(fixtures.categories.map(({ category }) => category));
  return exchanges
    .filter(({ endpoint, caller }) => endpoint === "category-page" && caller === "primary")
    .filter((page) => productsIn(page, fieldNames).some(isWanted))
    .map((page) => {
      const parameters = new URL(page.request.url).searchParams;
      const [cursor, limit] = [parameters.get("cursor"), parameters.get("limit")];
      return {
        page,
        parameters: {
          category: parameters.get("category") ?? "",
          cursor: cursor ?? undefined,
          limit: limit ?? undefined,
        },
      };
    })
    .filter(({ parameters }) => known.has(parameters.category));
}

function pageRequest({ category, ...options }: PageParameters): Request {
  return byCategory(category, options);
}

function nameOf({ product: { retailer, product_id: id } }: ProductInBody): string {
  return JSON.stringify([retailer, id]);
}
