import { identityOf } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { hasProductFields, sameGtin, valuesAt } from "../../schemas/product-values.ts";
import { byCategory, byGtin, byUrl } from "../client/requests.ts";
import { type GtinFixture, need, orNone, type UrlFixture } from "../discovery/fixtures.ts";
import { covering, kindsOf } from "../discovery/identifiers.ts";
import { neighbouringGtin, onUnknownSite, unknownPage, unknownUrl } from "../discovery/unknown-values.ts";
import { NotJudged } from "../requirements/outcome.ts";
import { carriesGtin, productsIn } from "../response/products-in.ts";
import { productOf } from "../response/readers.ts";
import type { CheckContext } from "./check/check.ts";
import { choosableProducts, hasGtin, lookupOf, succeeding } from "./check/inputs.ts";
import { otherThanKnown } from "./check/product-comparison.ts";
import { type ChangedRequest, section } from "./check/rows.ts";

/** Most GTINs that found nothing to look up again, most known and most shared ones. */
const unfoundToTry = 3;
const knownToTry = 4;
const sharedToTry = 2;
const urlsToTry = 9;
/** Most retailers to scope to and to ask for unknown pages. */
const retailersToTry = 8;
const unknownCategory = "shelfcheck-no-such-category";

/** Spec, GET /v1/products (query-driven), except paging: product-list-page.check.ts. */
export default section("query", [
  {
    id: "query.url/known-page",
    title: "Known page URLs, in various forms, return products of those pages",
    requests: urlsToTry,
    bad: (context) =>
      urlsOfEveryKind(context).map((product) => ({
        request: byUrl(product.url),
        condition: "known-value",
        subject: product.url,
        product,
      })),
    expect: 200,
    unfit: otherThanKnown,
  },
  {
    id: "query.url-not-found/unknown-page",
    title: "Unknown pages on retailers' sites return 404, or 400 where the id may be invalid",
    requests: 1 + retailersToTry,
    good: succeeding["lookup-by-url"],
    bad({ fixtures }) {
      const known = need(fixtures.productByUrl);
      // On each site: a service may resolve one retailer's URLs by their path, another's by a parameter.
      const others = fixtures.sites.filter(({ retailer }) => retailer !== known.retailer);
      const pages = [{ page: unknownUrl(known.url), id: undefined }, ...others.map(unknownPage)];
      return pages.slice(0, retailersToTry).map(({ page, id }) => ({
        request: byUrl(page),
        condition: "unknown-value",
        subject: page,
        // An id may also be invalid, such as one with a check digit.
        ...(id !== undefined && { expect: [404, 400], product: { retailer: "", productId: id } }),
      }));
    },
    expect: 404,
    // A made-up id may belong to a product by chance.
    unless(exchange, _context, { subject, product }) {
      const found = productOf(exchange);
      return (
        product !== undefined && (found.product_id === product.productId || found.product_url === subject)
      );
    },
  },
  {
    id: "query.url-not-found/unknown-site",
    title: "A page on a site that belongs to no retailer returns 404",
    good: succeeding["lookup-by-url"],
    bad({ fixtures }) {
      const subject = onUnknownSite(need(fixtures.productByUrl).url);
      return { request: byUrl(subject), condition: "unknown-site", subject };
    },
    expect: 404,
  },
  {
    id: "query.gtin/known",
    title: "Known GTINs return products with those GTINs",
    requests: 3 * unfoundToTry + knownToTry,
    async bad(context) {
      const unfound = await lostByGtin(context);
      const { productsByGtin } = context.fixtures;
      const known = unfound.length > 0 ? orNone(productsByGtin) : need(productsByGtin);
      return [...unfound, ...known.slice(0, knownToTry)].map(knownGtin);
    },
    expect: 200,
    unfit: otherThanKnown,
  },
  {
    id: "query.gtin-not-found/unknown",
    title: "A well-formed GTIN that no product has returns 404",
    good: succeeding["lookup-by-gtin"],
    bad({ fixtures }) {
      const subject = neighbouringGtin(need(fixtures.productsByGtin)[0].gtin);
      return { request: byGtin(subject), condition: "unknown-value", subject };
    },
    expect: 404,
    // A made-up GTIN may belong to a product by chance.
    unless: (exchange, { fieldNames }, { subject = "" }) =>
      exchange.response.status === 200 && carriesGtin(productOf(exchange), subject, fieldNames),
  },
  {
    id: "query.gtin-match/own-retailer",
    title: "A GTIN scoped to its own retailer returns that retailer's product; a shared GTIN may be refused",
    requests: sharedToTry + knownToTry,
    bad: ({ fixtures }) => [
      // A GTIN of several retailers may resolve to another one's product: 404 is correct, never that product.
      ...fixtures.sharedGtins
        .slice(0, sharedToTry)
        .map((one) => ({ ...scopedGtin(one), expect: [200, 404, 400, 403] })),
      ...need(fixtures.productsByGtin).slice(0, knownToTry).map(scopedGtin),
    ],
    expect: 200,
    unfit: otherThanKnown,
  },
  {
    id: "query.gtin-mismatch/other-retailer",
    title: "A GTIN scoped to a retailer that does not have the product returns 404",
    requests: retailersToTry,
    bad: scopedElsewhere,
    expect: 404,
    // The retailer may have the GTIN after all. service.json judges a body that is not JSON.
    unless(exchange, _context, { details }) {
      const { status, json } = exchange.response;
      const product = productOf(exchange);
      const isOwn = product.retailer === undefined || product.retailer === details?.retailer;
      return status === 200 && (json === undefined || (hasProductFields(product) && isOwn));
    },
  },
  {
    id: "query.category/first-page",
    title: "A known category returns a page",
    bad({ fixtures }) {
      const { category } = need(fixtures.category);
      return { request: byCategory(category), condition: "known-category", subject: category };
    },
    expect: 200,
  },
  {
    id: "query.category/unknown",
    title: "An unknown category returns a page, 400 or 404",
    good: succeeding["category-page"],
    bad: () => ofUnknownCategory,
    expect: [200, 400, 404],
  },
  {
    id: "query.unknown-category/no-products",
    title: "An unknown category returns no products",
    good: succeeding["category-page"],
    // Another status shows no products; query.category judges it.
    bad: () => ({ ...ofUnknownCategory, expect: "any" }),
    expect: 200,
    unfit(exchange, { fieldNames }): Finding | undefined {
      const [first] = productsIn(exchange, fieldNames);
      if (first === undefined) return undefined;
      const { product, path } = first;
      return { code: "page-of-nothing", subject: unknownCategory, ...identityOf(product), path };
    },
  },
]);

const ofUnknownCategory: ChangedRequest = {
  request: byCategory(unknownCategory),
  condition: "unknown-category",
  subject: unknownCategory,
};

/** The URLs that discovery chose, and more to cover every retailer and every kind of URL, up to a number. */
function urlsOfEveryKind(context: CheckContext): UrlFixture[] {
  const { withUrl, productByUrl } = context.fixtures;
  const all = choosableProducts(context).flatMap(({ url, ...one }) =>
    url === undefined ? [] : [{ ...one, url }],
  );
  const chosen = covering([...withUrl, ...all], (one) => kindsOf(one, "product_url", one.url), urlsToTry);
  const found = [...new Map([...chosen, ...withUrl].map((one) => [one.url, one])).values()].slice(
    0,
    urlsToTry,
  );
  // Without a URL, the fixture says why.
  return found.length > 0 ? found : [need(productByUrl)];
}

/** Products that are found by id and not by GTIN, neither with nor without their retailer. */
async function lostByGtin({ fixtures, fieldNames, shared }: CheckContext): Promise<GtinFixture[]> {
  const { unfoundByGtin, productsByGtin, otherOrgKey, retailers } = fixtures;
  // A single wrong GTIN may be a mistake in the retailer's data.
  if (!productsByGtin.present && unfoundByGtin.length < 2) return [];
  const lost: GtinFixture[] = [];
  for (const one of unfoundByGtin.slice(0, unfoundToTry)) {
    const { gtin, retailer, productId } = one;
    if ((await shared(byGtin(gtin, retailer))).response.status === 200) continue;
    // It may resolve to the product of a retailer that is not granted, and to no other one (spec, Errors).
    const other = otherOrgKey.present ? await shared({ ...byGtin(gtin), caller: "otherOrg" }) : undefined;
    if (other?.response.status === 200 && !orNone(retailers).includes(productOf(other).retailer ?? ""))
      continue;
    const own = productOf(await shared(lookupOf(one)));
    const carried = fieldNames.gtin === undefined ? [gtin] : valuesAt(own, fieldNames.gtin);
    if (own.product_id === productId && carried.some((value) => sameGtin(value, gtin))) lost.push(one);
  }
  return lost;
}

function knownGtin(product: GtinFixture): ChangedRequest {
  const { gtin: subject } = product;
  return { request: byGtin(subject), condition: "known-value", subject, product };
}

/** The lookup of a known GTIN at the retailer of its product. */
export function scopedGtin(product: GtinFixture): ChangedRequest {
  const request = byGtin(product.gtin, product.retailer);
  return { ...knownGtin(product), request, condition: "known-gtin-scoped" };
}

/**
 * GTINs for each retailer that is not known to have them, first those of one retailer alone: what several sell,
 * it may sell too. A service may ignore the scope for one of them.
 */
function scopedElsewhere(context: CheckContext): ChangedRequest[] {
  const { fixtures } = context;
  const slugs = need(fixtures.retailers).slice(0, retailersToTry);
  const known = need(fixtures.productsByGtin)
    .map((one) => ({ one, sellers: slugs.filter((slug) => hasGtin(context, slug, one.gtin)) }))
    .toSorted((a, b) => a.sellers.length - b.sellers.length);
  const ofEach = Math.floor(retailersToTry / Math.max(1, slugs.length));
  const all = slugs.flatMap((slug) => {
    const foreign = known.filter(({ one, sellers }) => one.retailer !== slug && !sellers.includes(slug));
    const about = { condition: "gtin-of-other-retailer", details: { retailer: slug } } as const;
    return foreign
      .slice(0, ofEach)
      .map(({ one }) => ({ ...knownGtin(one), ...about, request: byGtin(one.gtin, slug) }));
  });
  if (all.length === 0) throw new NotJudged({ code: "no-retailer-without-gtin" });
  return all;
}
