import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { placesOf, valuesAt } from "../../schemas/field-paths.ts";
import { isObject, valueAt } from "../../schemas/json.ts";
import { looksLikeGtin, sameGtin, wrappingsOf } from "../../schemas/product-values.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, NotJudged, type Outcome, passed } from "../client/outcome.ts";
import { byCategory, byGtin, byId, byUrl } from "../client/requests.ts";
import { type GtinFixture, need, type UrlFixture } from "../discovery/fixtures.ts";
import { isOfAnotherRetailer } from "../discovery/gtin-lookup.ts";
import { covering, kindsIn, lookAlikes } from "../discovery/identifiers.ts";
import { onUnknownSite, unknownPage, unknownUrl } from "../discovery/unknown-values.ts";
import { actual } from "../response/body-findings.ts";
import { neighbouringGtins } from "../response/gtin.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import type { CheckContext } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import { browsedProducts } from "./check/inputs.ts";
import { differsFrom, productOf } from "./check/product-comparison.ts";
import { section } from "./check/rows.ts";

/** Most GTINs that found nothing to look up again, and most shared ones. */
const unfoundToTry = 3;
const sharedToTry = 2;
const urlsToTry = 9;
/** Most retailers to scope to and to ask for unknown pages, and GTINs of other retailers to try with each. */
const retailersToTry = 8;
const gtinsToTry = 3;
const unknownCategory = "shelfcheck-no-such-category";

/** Spec, GET /v1/products (query-driven), except paging: product-list-page.check.ts. */
export default section("query", [
  {
    id: "query.url/known-page",
    title: "Page URLs of known products, in various forms, return those products",
    requests: urlsToTry,
    async run(context) {
      const { fixtures, shared, effort } = context;
      const [first, ...others] = urlsOfEveryKind(context, urlsToTry * effort);
      // Without a URL, the fixture says why.
      for (const fixture of [first ?? need(fixtures.productByUrl), ...others]) {
        const { retailer, productId } = fixture;
        const exchange = await shared(byUrl(fixture.url));
        const circumstances = { condition: "known-url", product: { retailer, productId } } as const;
        const status = hasStatus(exchange, 200, { ...circumstances, subject: fixture.url });
        if (status.kind !== "pass") return status;
        const around = wrappingsOf(exchange.response.json);
        if (around.length > 0) return failed(around, exchange);
        const found = productOf(exchange);
        const difference = differsFrom(fixture, found);
        if (difference !== undefined && !(await shareTheirPage(fixture, found, context)))
          return failed({ ...difference, ...circumstances }, exchange);
      }
      return passed({ code: "checked", seen: { count: others.length + 1, of: "products" } });
    },
  },
  {
    id: "query.url-not-found/unknown-page",
    title: "An unknown page on each retailer's site returns 404",
    requests: 1 + retailersToTry,
    async run({ fixtures, ask, control }) {
      const known = need(fixtures.productByUrl);
      const succeeds = await control(byUrl(known.url));
      // On each site, since a service may resolve each retailer's URLs differently: by their path, or by a parameter.
      const others = fixtures.sites.filter(({ retailer }) => retailer !== known.retailer);
      const pages = [{ page: unknownUrl(known.url), id: undefined }, ...others.map(unknownPage)];
      for (const { page, id } of pages.slice(0, retailersToTry)) {
        const exchange = await ask(byUrl(page));
        const found = productOf(exchange);
        // A made-up id may belong to a product by chance.
        if (id !== undefined && (found.product_id === id || found.product_url === page)) continue;
        const circumstances = { condition: "unknown-url", subject: page } as const;
        // An id may also be invalid, such as one with a check digit.
        const expected = id === undefined ? 404 : [404, 400];
        const status = hasStatus(exchange, expected, circumstances, succeeds);
        if (status.kind !== "pass") return status;
      }
      return passed({ code: "answered", endpoint: "lookup-by-url", actual: 404 });
    },
  },
  {
    id: "query.url-not-found/unknown-site",
    title: "A page on a site that belongs to no retailer returns 404",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { url } = need(fixtures.productByUrl);
      const succeeds = await control(byUrl(url));
      const elsewhere = onUnknownSite(url);
      const exchange = await ask(byUrl(elsewhere));
      return hasStatus(exchange, 404, { condition: "unknown-site", subject: elsewhere }, succeeds);
    },
  },
  {
    id: "query.gtin/known",
    title: "Known GTINs return products with those GTINs",
    requests: 4,
    async run({ fixtures, fieldNames, shared, ask }) {
      const { unfoundByGtin } = fixtures;
      // A single wrong GTIN may be a mistake in the retailer's data.
      if (fixtures.productsByGtin.present || unfoundByGtin.length > 1) {
        for (const { gtin, retailer, productId } of unfoundByGtin.slice(0, unfoundToTry)) {
          const exchange = await ask(byGtin(gtin));
          if (exchange.response.status !== 404 && exchange.response.status !== 400) continue;
          // Without a retailer it may resolve to another retailer's product.
          const scoped = await ask(byGtin(gtin, retailer));
          if (scoped.response.status === 200) continue;
          // The product may have left the catalog.
          const own = await ask(byId(retailer, productId));
          const carried = fieldNames.gtin === undefined ? [gtin] : valuesAt(productOf(own), fieldNames.gtin);
          if (own.response.status === 200 && carried.some((value) => sameGtin(value, gtin)))
            return hasStatus(exchange, 200, knownGtin({ gtin, retailer, productId }), own);
        }
      }
      const known = need(fixtures.productsByGtin).slice(0, 4);
      for (const fixture of known) {
        const { gtin } = fixture;
        const exchange = await shared(byGtin(gtin));
        const status = hasStatus(exchange, 200, knownGtin(fixture));
        if (status.kind !== "pass") return status;
        const around = wrappingsOf(exchange.response.json);
        if (around.length > 0) return failed(around, exchange);
        // Another retailer's product with the same GTIN is correct as well.
        const product = productOf(exchange);
        const path = fieldNames.gtin ?? "";
        const carried = fieldNames.gtin === undefined ? [] : valuesAt(product, path).filter(looksLikeGtin);
        if (carried.some((value) => sameGtin(value, gtin))) continue;
        // A GTIN with a wrong check digit counts too: it differs from the requested one.
        if (carried.length > 0) {
          const place = placesOf(product, path).find((one) => looksLikeGtin(String(valueAt(product, one))));
          const { condition } = knownGtin(fixture);
          const shown = { condition, subject: gtin, ...identityOf(product) };
          return failed(
            { code: "other-product", ...shown, path: place ?? "", expected: gtin, ...actual(carried[0]) },
            exchange,
          );
        }
        // The other retailer's product may have the GTIN without showing it: any field may be missing.
        if (isOfAnotherRetailer(product, fixture)) continue;
        const difference = differsFrom(fixture, product);
        if (difference !== undefined) return failed({ ...difference, ...knownGtin(fixture) }, exchange);
      }
      return passed({
        code: "checked",
        endpoint: "lookup-by-gtin",
        seen: { count: known.length, of: "products" },
      });
    },
  },
  {
    id: "query.gtin-not-found/unknown",
    title: "A well-formed GTIN that no product has returns 404",
    requests: 2,
    async run({ fixtures, fieldNames, ask, control }) {
      const [product] = need(fixtures.productsByGtin);
      const succeeds = await control(byGtin(product.gtin));
      for (const gtin of neighbouringGtins(product.gtin)) {
        const exchange = await ask(byGtin(gtin));
        const carried = fieldNames.gtin === undefined ? [] : valuesAt(productOf(exchange), fieldNames.gtin);
        // A made-up GTIN may belong to a product by chance.
        const exists = exchange.response.status === 200 && carried.some((value) => sameGtin(value, gtin));
        if (!exists) return hasStatus(exchange, 404, { condition: "unknown-gtin", subject: gtin }, succeeds);
      }
      throw new NotJudged({ code: "no-unused-gtin" });
    },
  },
  {
    id: "query.gtin-match/own-retailer",
    title: "A GTIN scoped to the retailer of its product returns that retailer's product",
    requests: 2,
    async run({ fixtures, shared }) {
      // A GTIN of several retailers may resolve to another retailer's product: 404 is correct, but never that
      // product.
      for (const fixture of fixtures.sharedGtins.slice(0, sharedToTry)) {
        const exchange = await shared(byGtin(fixture.gtin, fixture.retailer));
        if (exchange.response.status === 200 && isOfAnotherRetailer(exchange.response.json, fixture))
          return failed(ofOtherRetailer(fixture, productOf(exchange)), exchange);
      }
      const known = need(fixtures.productsByGtin);
      for (const fixture of known) {
        const exchange = await shared(byGtin(fixture.gtin, fixture.retailer));
        const status = hasStatus(exchange, 200, { ...knownGtin(fixture), condition: "known-gtin-scoped" });
        if (status.kind !== "pass") return status;
        const product = productOf(exchange);
        if (product.retailer !== undefined && product.retailer !== fixture.retailer)
          return failed(ofOtherRetailer(fixture, product), exchange);
      }
      return passed({
        code: "checked",
        endpoint: "lookup-by-gtin",
        seen: { count: known.length, of: "products" },
      });
    },
  },
  {
    id: "query.gtin-mismatch/other-retailer",
    title: "A GTIN scoped to a retailer that does not have the product returns 404",
    requests: 3,
    run: gtinMismatch,
  },
  {
    id: "query.category/first-page",
    title: "A known category returns a page",
    requests: 1,
    async run({ fixtures, shared }) {
      const { category } = need(fixtures.category);
      return hasStatus(await shared(byCategory(category)), 200, {
        condition: "known-category",
        subject: category,
      });
    },
  },
  {
    id: "query.category/unknown",
    title: "An unknown category returns a page, 400 or 404",
    requests: 2,
    async run({ fixtures, shared, control }) {
      const succeeds = await control(byCategory(need(fixtures.category).category));
      const circumstances = { condition: "unknown-category", subject: unknownCategory } as const;
      return hasStatus(await shared(byCategory(unknownCategory)), [200, 400, 404], circumstances, succeeds);
    },
  },
  {
    id: "query.unknown-category/no-products",
    title: "An unknown category returns no products",
    requests: 1,
    async run({ fixtures, fieldNames, shared }) {
      need(fixtures.category);
      const exchange = await shared(byCategory(unknownCategory));
      const [first] = productsIn(exchange, fieldNames);
      if (first === undefined) return passed();
      const { product, path } = first;
      return failed(
        { code: "page-of-nothing", subject: unknownCategory, ...identityOf(product), path },
        exchange,
      );
    },
  },
]);

/** The URLs that discovery chose, and more to cover every retailer, every kind of URL and URLs that are alike, up to a number. */
function urlsOfEveryKind(context: CheckContext, most: number): UrlFixture[] {
  const { withUrl } = context.fixtures;
  const all = browsedProducts(context).flatMap(({ url, ...one }) =>
    url === undefined ? [] : [{ ...one, url }],
  );
  // A URL of several products returns one of them.
  const shown = Map.groupBy(all, ({ url }) => url);
  const isOfOne = ({ url }: UrlFixture) => (shown.get(url)?.length ?? 0) < 2;
  const candidates = [...withUrl, ...all].filter(isOfOne);
  const alike = lookAlikes("product_url", candidates, ({ url }) => url);
  const chosen = covering(
    candidates,
    (one) => [`of ${one.retailer}`, ...kindsIn("product_url", one.url), ...(alike.get(one) ?? [])],
    most,
  );
  const urls = new Set(chosen.map(({ url }) => url));
  return [...chosen, ...withUrl.filter((one) => isOfOne(one) && !urls.has(one.url))].slice(0, most);
}

/** Whether two products have the same page, as by-id lookups show: a lookup by its URL may return either. */
async function shareTheirPage(
  { retailer, productId, url }: UrlFixture,
  found: Product,
  { ask }: CheckContext,
): Promise<boolean> {
  if (typeof found.retailer !== "string" || typeof found.product_id !== "string") return false;
  const isOfPage = async (slug: string, id: string) =>
    productOf(await ask(byId(slug, id))).product_url === url;
  return (await isOfPage(found.retailer, found.product_id)) && (await isOfPage(retailer, productId));
}

function knownGtin({ gtin, retailer, productId }: Pick<GtinFixture, "gtin" | "retailer" | "productId">) {
  return { condition: "known-gtin", subject: gtin, product: { retailer, productId } } as const;
}

function ofOtherRetailer({ gtin, retailer, productId }: GtinFixture, product: Product): Finding {
  return {
    code: "other-product",
    condition: "known-gtin-scoped",
    subject: gtin,
    product: { retailer, productId },
    path: "/retailer",
    expected: retailer,
    ...actual(product.retailer),
  };
}

/**
 * Scopes GTINs to retailers that do not have them: each retailer in turn, since a service may ignore the scope for
 * one of them. If the retailer does have the GTIN, its own product is correct and another GTIN is tried.
 */
async function gtinMismatch(context: CheckContext): Promise<Outcome> {
  const products = need(context.fixtures.productsByGtin);
  const refusing: string[] = [];
  for (const slug of need(context.fixtures.retailers).slice(0, retailersToTry)) {
    for (const product of products.filter(({ retailer }) => retailer !== slug).slice(0, gtinsToTry)) {
      const outcome = await scopedTo(slug, product, context);
      if (outcome === "its own product") continue;
      if (outcome.kind !== "pass") return outcome;
      refusing.push(slug);
      break;
    }
  }
  if (refusing.length > 0) return passed({ code: "answered", endpoint: "lookup-by-gtin", actual: 404 });
  const { length: count } = need(context.fixtures.retailers);
  throw new NotJudged({ code: "no-retailer-without-gtin", seen: { count, of: "items" } });
}

async function scopedTo(
  slug: string,
  { gtin, retailer, productId }: GtinFixture,
  { ask, control, shared }: CheckContext,
): Promise<Outcome | "its own product"> {
  const succeeds = await control(byGtin(gtin, retailer));
  const exchange = await shared(byGtin(gtin, slug));
  const circumstances = {
    condition: "gtin-of-other-retailer",
    subject: gtin,
    product: { retailer, productId },
    details: { retailer: slug },
  } as const;
  // A body that is not JSON is judged by service.json; one without a product fails here.
  const empty = exchange.response.json !== undefined && !carriesProduct(exchange);
  if (exchange.response.status !== 200 || empty) return hasStatus(exchange, 404, circumstances, succeeds);
  const { retailer: seen, product_id: id } = productOf(exchange);
  const other = { code: "other-product", ...circumstances } as const;
  if (seen !== undefined && seen !== slug)
    return failed({ ...other, path: "/retailer", expected: slug, ...actual(seen) }, exchange, succeeds);
  // If the product does not name its retailer, look it up at the retailer.
  if (seen === undefined && typeof id === "string") {
    const own = await ask(byId(slug, id));
    if (own.response.status === 404)
      return failed({ ...other, path: "/product_id", ...actual(id), comparedWith: 1 }, exchange, own);
  }
  return "its own product";
}

function carriesProduct({ response }: Exchange): boolean {
  return isObject(response.json) && Object.keys(response.json).length > 0;
}
