import { keyHeaders } from "../../schemas/api.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, notApplicable, type Outcome, passed } from "../client/outcome.ts";
import {
  batch,
  byCategory,
  byGtin,
  byId,
  byUrl,
  keyIn,
  type Request,
  retailers,
} from "../client/requests.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { need, type ProductFixture } from "../discovery/fixtures.ts";
import { carriesGtin } from "../discovery/gtin-lookup.ts";
import { unknownProductIds } from "../discovery/unknown-values.ts";
import { checkDigit, otherFirstDigits } from "../response/gtin.ts";
import {
  type ChangedItem,
  type Changes,
  changedFrom,
  changedValueCheck,
  foundInBatch,
} from "./changed-values.ts";
import type { CheckContext } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import { browsedProducts, inOtherCase } from "./check/inputs.ts";
import { differsFrom, identityDifference } from "./check/product-comparison.ts";
import { section } from "./check/rows.ts";

/** Most other retailers of which a batch tries an unknown id. */
const mostElsewhere = 20;

/** How a service may refuse a value that has an odd form. */
const anyRefusal = [400, 403, 404, 414] as const;

/** A value that is almost a known one gets its error, never somebody's product: one entry for each place of a value. */
export default section(
  "errors",
  [
    changedValueCheck({
      id: "by-id.unknown-slug/changed-slug",
      title: "A slug that is almost a known one returns 400",
      requests: 2,
      known: ({ fixtures }) => need(fixtures.product).retailer,
      changes: slugChanges,
      thorough: moreSlugChanges,
      request: (slug, { fixtures }) => byId(slug, need(fixtures.product).productId),
      refusals: [400],
      mayBe: (_product, slug, { fixtures }) => !isUnlisted(slug, fixtures.retailers),
    }),
    changedValueCheck({
      id: "errors.unknown-retailer/changed-scope",
      title: "A GTIN scoped to a slug that is almost a known one returns 400",
      requests: 1,
      known: ({ fixtures }) => need(fixtures.productsByGtin)[0].retailer,
      changes: (slug, context) => ({ cut: slugChanges(slug, context).cut ?? [] }),
      thorough: (slug, context) => ({ ...slugChanges(slug, context), ...moreSlugChanges(slug, context) }),
      request: (slug, { fixtures }) => byGtin(need(fixtures.productsByGtin)[0].gtin, slug),
      refusals: [400],
      mayBe: (_product, slug, { fixtures }) => !isUnlisted(slug, fixtures.retailers),
    }),
    changedValueCheck({
      id: "by-id.unknown-product/changed-id",
      title: "An id that is almost a known one finds no product",
      requests: 8,
      known: ({ fixtures }) => need(fixtures.product).productId,
      changes: (id) => ({
        suffix: [";x", "?x", ".", "\0", "#x"].map((tail) => id + tail),
        cut: [id.slice(0, -1)],
        wildcard: [`${id.slice(0, -1)}_`],
        "decoded-twice": /^[\w-]/.test(id) ? [`%${id.charCodeAt(0).toString(16)}${id.slice(1)}`] : [],
      }),
      thorough: (id) => ({ suffix: [`${id}/x`, `${id}0`], prefix: [`0${id}`] }),
      request: (id, { fixtures }) => byId(need(fixtures.product).retailer, id),
      refusals: anyRefusal,
      mayBe: (product, id, { fixtures }) =>
        differsFrom({ retailer: need(fixtures.product).retailer, productId: id }, product) === undefined,
    }),
    changedValueCheck({
      id: "by-id.unknown-product/changed-number",
      title: "A numeric id with a leading zero or a fraction finds no product",
      requests: 2,
      known: (context) => oneWith(context, /^\d+$/).productId,
      changes: (id) => (/^\d+$/.test(id) ? { "leading-zero": [`0${id}`], fraction: [`${id}.0`] } : {}),
      request: (id, context) => byId(oneWith(context, /^\d+$/).retailer, id),
      refusals: anyRefusal,
      mayBe: (product, id, context) =>
        differsFrom({ retailer: oneWith(context, /^\d+$/).retailer, productId: id }, product) === undefined,
    }),
    changedValueCheck({
      id: "by-id.unknown-product/changed-blank",
      title: "An id with a plus in place of a blank finds no product",
      requests: 1,
      known: (context) => oneWith(context, / /).productId,
      changes: (id) => ({ plus: [id.replaceAll(" ", "+")] }),
      request: (id, context) => byId(oneWith(context, / /).retailer, id),
      refusals: anyRefusal,
      mayBe: (product, id, context) =>
        differsFrom({ retailer: oneWith(context, / /).retailer, productId: id }, product) === undefined,
    }),
    changedValueCheck({
      id: "by-id.unknown-product/other-retailer",
      title: "The id of one retailer's product finds no product of another retailer",
      requests: 1,
      known: (context) => ofOneRetailer(context).retailer,
      changes: (retailer, { fixtures }) => ({
        "other-retailer": need(fixtures.retailers)
          .filter((slug) => slug !== retailer)
          .slice(0, 1),
      }),
      request: (slug, context) => byId(slug, ofOneRetailer(context).productId),
      refusals: anyRefusal,
      mayBe: (product, slug, context) =>
        differsFrom({ retailer: slug, productId: ofOneRetailer(context).productId }, product) === undefined,
    }),
    changedValueCheck({
      id: "query.gtin-not-found/changed-gtin",
      title: "A GTIN that is almost a known one finds no product",
      requests: 5,
      known: ({ fixtures }) => need(fixtures.productsByGtin)[0].gtin,
      changes: (gtin) => ({
        cut: [gtin.slice(0, -1)],
        "check-digit": [gtin.slice(0, -1) + String((Number(checkDigit(gtin.slice(0, -1))) + 3) % 10)],
        "more-digits": [`${gtin}00`],
        "first-digits": otherFirstDigits(gtin).slice(0, 1),
        // Of the codes that are similar to GTINs, an ISBN may end with an X.
        suffix: [`${gtin}q`],
      }),
      request: (gtin) => byGtin(gtin),
      refusals: anyRefusal,
      mayBe: (product, gtin, { fieldNames }, known) =>
        carriesGtin(product, gtin, fieldNames) || !isSame(product, known),
    }),
    changedValueCheck({
      id: "query.gtin/in-groups",
      title: "A GTIN with a blank between its digits finds its product, or none",
      requests: 1,
      known: ({ fixtures }) => need(fixtures.productsByGtin)[0].gtin,
      changes: (gtin) => ({ "blank-inside": [`${gtin.slice(0, 1)} ${gtin.slice(1)}`] }),
      request: (gtin) => byGtin(gtin),
      refusals: anyRefusal,
      mayBe: (product, gtin, { fieldNames }, known) =>
        carriesGtin(product, gtin.replace(" ", ""), fieldNames) ||
        identityDifference(known, product) === undefined,
    }),
    changedValueCheck({
      id: "query.url/other-case",
      title: "A page URL with its host in another case finds its product, or none",
      requests: 1,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: (url) => ({ "other-case": [url.replace(/(?<=:\/\/)[^/?#]+/, inOtherCase)] }),
      request: (url) => byUrl(url),
      refusals: [400, 404],
      // The page in the other case may be shown with the host as it was sent.
      mayBe: ({ product_url: _, ...product }, _url, _context, known) =>
        identityDifference(known, product) === undefined,
    }),
    changedValueCheck({
      id: "query.url-not-found/changed-site",
      title: "A page on a host that is almost a retailer's returns 404",
      requests: 3,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: changedHosts,
      thorough: (url) => ({ cut: [url.replace(/\.[^./]+(?=\/|$)/, (end) => end.slice(0, -1))] }),
      request: (url) => byUrl(url),
      refusals: [400, 404],
      mayBe: () => false,
    }),
    changedValueCheck({
      id: "query.url/changed-page",
      title: "A page on another retailer's site, or with another number, is not the known product's",
      requests: 3,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: changedPages,
      thorough: (url) => ({ cut: [`${new URL(url).origin}/`] }),
      request: (url) => byUrl(url),
      refusals: anyRefusal,
      mayBe: (product, url, _context, known) =>
        product.product_url === url || (!isSame(product, known) && !product.product_url?.startsWith(url)),
    }),
    changedValueCheck({
      id: "query.invalid-parameter/limit-with-a-tail",
      title: "A limit with letters after its digits returns 400",
      requests: 1,
      known: () => "3",
      changes: (limit) => ({ suffix: [`${limit}x`] }),
      request: (limit, { fixtures }) => byCategory(need(fixtures.category).category, { limit }),
      refusals: [400],
      mayBe: () => false,
    }),
    {
      id: "batch.lookup/changed-items",
      title: "Batch items that are almost known ones find no product",
      requests: 2,
      run: changedItems,
    },
    {
      id: "authentication.exact-key/other-case",
      title: "A valid key in another case returns 401",
      requests: 2,
      async run({ target, ask, control, effort, exchanges }) {
        const key = target.keys.primary ?? "";
        const succeeds = await control(retailers());
        const changed = inOtherCase(key);
        // Hexadecimal digits mean the same in either case.
        if (changed === key || /^[\da-f-]+$/i.test(key)) return notApplicable({ code: "key-without-case" });
        const more = [key.replaceAll(/[^\p{L}\p{N}]/gu, "")].filter((one) => one !== key);
        const tried = [changed, ...(effort > 1 ? more : [])];
        // Where everybody is let in, the case of the key does not matter.
        const isOther = ({ request }: Exchange) =>
          !Object.values(request.headers).some((value) => tried.includes(value));
        if (exchanges.some((one) => isOpenToNobody(one) && isOther(one)))
          return passed({ code: "judged-elsewhere", subject: "authentication.invalid-key" });
        for (const sent of tried) {
          const exchange = await ask(withKey(sent));
          // Which error it gets is judged with other keys.
          if (!isOpenToNobody(exchange)) continue;
          return hasStatus(exchange, 401, { condition: "invalid-key" }, succeeds);
        }
        return passed({ code: "answered", endpoint: "retailers", actual: 401 }, succeeds);
      },
    },
    {
      id: "authentication.equivalent/good-and-bad",
      title: "A valid key beside an invalid one gets the response of that key, 400 or 401",
      requests: 3,
      run: async (context) => await besideTheKey(context, "shelfcheck-is-no-key"),
    },
    {
      id: "authentication.entitlement/two-keys",
      title: "The keys of two organizations together see no more than one of them",
      requests: 4,
      async run(context) {
        need(context.fixtures.otherOrgKey);
        return await besideTheKey(context, context.target.keys.otherOrg ?? "");
      },
    },
  ],
  "Values that are almost known",
);

/** The list of retailers with a key that is nobody's. */
function withKey(key: string): Request {
  return { ...retailers(), caller: "nobody", headers: keyIn(keyHeaders.plain, key) };
}

function isOpenToNobody({ caller, endpoint, response }: Exchange): boolean {
  return caller === "nobody" && endpoint === "retailers" && response.status === 200;
}

function isUnlisted(slug: string, list: CheckContext["fixtures"]["retailers"]): boolean {
  return !need(list).includes(slug);
}

/** A slug without its last character, and without its punctuation; what exists is left out. */
function slugChanges(slug: string, { fixtures }: CheckContext): Changes {
  const unlisted = (...slugs: readonly string[]) =>
    slugs.filter((one) => one.length > 1 && isUnlisted(one, fixtures.retailers));
  return {
    cut: unlisted(slug.slice(0, -1)),
    normalised: unlisted(slug.replaceAll(/[^\p{L}\p{N}]/gu, ""), `${slug}-`).slice(0, 1),
  };
}

/** Changes of a slug that one batch tries, and a thorough run everywhere. */
function moreSlugChanges(slug: string, { fixtures }: CheckContext): Changes {
  const unlisted = (one: string) => (isUnlisted(one, fixtures.retailers) ? [one] : []);
  return {
    prefix: unlisted(`x${slug}`),
    suffix: unlisted(`${slug}x`),
    wildcard: [`${slug.slice(0, -1)}_`, "%"],
    "decoded-twice": /^\w/.test(slug) ? [`%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`] : [],
  };
}

/** A known product whose id has this form, or the usual one. */
function oneWith(context: CheckContext, form: RegExp): Pick<ProductFixture, "retailer" | "productId"> {
  const known = need(context.fixtures.product);
  return [known, ...browsedProducts(context)].find(({ productId }) => form.test(productId)) ?? known;
}

/** A known product whose id no other retailer is known to have: several may have the same. */
function ofOneRetailer(context: CheckContext): Pick<ProductFixture, "retailer" | "productId"> {
  const known = need(context.fixtures.product);
  const byId = Map.groupBy([known, ...browsedProducts(context)], ({ productId }) => productId);
  const single = [...byId.values()].find((all) => new Set(all.map(({ retailer }) => retailer)).size === 1);
  return single?.[0] ?? known;
}

function isSame(one: Product, other: Product): boolean {
  return one.retailer === other.retailer && one.product_id === other.product_id;
}

/** Hosts that end or begin like a known one, or have it before an @. */
function changedHosts(url: string): Changes {
  const parts = URL.parse(url);
  if (parts === null) return {};
  const on = (authority: string) => url.replace(parts.host, () => authority);
  // Before a host of more labels, any text makes a host of the same domain.
  const domain = parts.hostname.split(".").slice(-2).join(".");
  return {
    prefix: [on(`not${domain}`)],
    suffix: [on(`${parts.hostname}.no-such-retailer.example`)],
    "in-user-info": [on(`${parts.hostname}@no-such-retailer.example`)],
  };
}

/** The same page on another retailer's site, and a page of the same form with another number or id. */
function changedPages(url: string, { fixtures }: CheckContext): Changes {
  const parts = URL.parse(url);
  const sites = fixtures.sites.flatMap((site) => URL.parse(site.url)?.host ?? []);
  if (parts === null) return {};
  const other = sites.find((host) => host !== parts.host);
  const { productId } = need(fixtures.productByUrl);
  const withoutScheme = url.slice(parts.protocol.length + 2 + parts.host.length);
  const page = ofOtherProduct(withoutScheme, productId);
  return {
    "other-retailer": other === undefined ? [] : [url.replace(parts.host, () => other)],
    // Without its last character, a page that ends with the id is another one.
    cut: url.endsWith(productId) && productId.length > 2 ? [url.slice(0, -1)] : [],
    neighbour: page === withoutScheme ? [] : [url.slice(0, -withoutScheme.length) + page],
  };
}

/**
 * A page with another id in place of the product's, or of the same number without zeros. Other parts of a URL may be a title
 * or a trace of the visitor, which a service ignores.
 */
function ofOtherProduct(page: string, productId: string): string {
  const [unknown = ""] = unknownProductIds(productId);
  if (page.includes(productId)) return page.replaceAll(productId, () => unknown);
  const number = /^\d+$/.test(productId) ? BigInt(productId).toString() : undefined;
  return number === undefined
    ? page
    : page.replaceAll(/\d+/g, (digits) => (digits === number ? `${digits}9973` : digits));
}

/** Sends items with changed slugs and ids in one batch; if that is refused because of the slugs, the others alone. */
async function changedItems(context: CheckContext): Promise<Outcome> {
  const fieldNames = need(context.fixtures.batch);
  const { retailer, productId, product } = need(context.fixtures.product);
  const succeeds = await context.control(batch([{ retailer, product_id: productId }], fieldNames));
  const ids: ChangedItem[] = changedFrom(productId, {
    cut: [productId.slice(0, -1)],
    suffix: [`${productId}0`],
    prefix: [`0${productId}`],
    wildcard: [`${productId.slice(0, -1)}_`, `${productId.slice(0, -1)}%`, "%"],
    "blank-inside": [`${productId.slice(0, 1)} ${productId.slice(1)}`],
    neighbour: unknownProductIds(productId).slice(0, 1),
  }).map((one) => ({ ...one, known: productId, item: { retailer, product_id: one.value } }));
  const slugs: ChangedItem[] = changedFrom(retailer, {
    ...slugChanges(retailer, context),
    ...moreSlugChanges(retailer, context),
  }).map((one) => ({
    ...one,
    known: retailer,
    item: { retailer: one.value, product_id: productId },
  }));
  const elsewhere = neighboursElsewhere(retailer, context.fixtures.products);
  for (const items of [
    [...ids, ...elsewhere, ...slugs],
    [...ids, ...elsewhere],
  ]) {
    const exchange = await context.ask(
      batch(
        items.map(({ item }) => item),
        fieldNames,
      ),
    );
    const found = foundInBatch(exchange, items, product, context);
    if (found !== undefined) return failed(found, exchange, succeeds);
    if (exchange.response.status === 200)
      return passed({ code: "checked", seen: { count: items.length, of: "items" } }, exchange, succeeds);
  }
  return passed({ code: "answered", actual: 400 }, succeeds);
}

/** An id that most likely nothing has for each other retailer: a service may look up each retailer's products in its own way. */
function neighboursElsewhere(known: string, products: readonly ProductFixture[]): ChangedItem[] {
  const firsts = new Map(products.toReversed().map((product) => [product.retailer, product.productId]));
  firsts.delete(known);
  return [...firsts].slice(0, mostElsewhere).flatMap(([retailer, productId]) =>
    changedFrom(productId, { neighbour: unknownProductIds(productId).slice(0, 1) }).map((one) => ({
      ...one,
      known: productId,
      item: { retailer, product_id: one.value },
    })),
  );
}

/** Sends the key with another one in the other header. The response must be that of one of the two, 400 or 401. */
async function besideTheKey(context: CheckContext, beside: string): Promise<Outcome> {
  const { ask, control, shared } = context;
  const succeeds = await control(retailers());
  const headers = keyIn(keyHeaders.plain, beside);
  const exchange = await ask({ ...retailers(), keyHeader: keyHeaders.bearer, headers, endpoint: "other" });
  const status = hasStatus(exchange, [200, 400, 401], { condition: "both-headers" }, succeeds);
  if (status.kind !== "pass" || exchange.response.status !== 200) return status;
  const isOther = beside === context.target.keys.otherOrg;
  const lists = [succeeds, ...(isOther ? [await shared({ ...retailers(), caller: "otherOrg" })] : [])];
  const isLike = (one: Exchange) => new Set(slugsIn(one.response.json));
  const seen = isLike(exchange);
  if (lists.some((list) => seen.isSubsetOf(isLike(list)))) return status;
  // Access can be granted between two requests.
  const again = isLike(await ask(retailers()));
  if (seen.isSubsetOf(again)) return status;
  const [more = ""] = seen.difference(again);
  return failed(
    { code: "retailer-of-other-organization", subject: more, path: "/retailers" },
    exchange,
    succeeds,
  );
}
