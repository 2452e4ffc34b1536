import type { Product } from "../../schemas/contracts/product.ts";
import { type BatchItem, batch, byGtin, byId, byUrl, type Request } from "../client/requests.ts";
import { type Fixtures, need, type ProductFixture } from "../discovery/fixtures.ts";
import { unknownProductIds } from "../discovery/unknown-values.ts";
import type { CheckId } from "../requirements/all.ts";
import { isSameItem, itemsSent } from "../response/batch-result.ts";
import { carriesGtin } from "../response/gtin.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import { productOf } from "../response/readers.ts";
import {
  type Changes,
  changedFrom,
  gtinChanges,
  hostChanges,
  idChanges,
  moreSlugChanges,
  pageChanges,
  slugChanges,
} from "./changed-values.ts";
import type { CheckContext } from "./check/check.ts";
import { browsedProducts, knownItems } from "./check/inputs.ts";
import { differsFrom, identityDifference } from "./check/product-comparison.ts";
import { type StatusRow, section } from "./check/rows.ts";

/** Most other retailers of which a batch tries an unknown id. */
const mostElsewhere = 20;

/** How a service may refuse a value that has an odd form. */
const anyRefusal = [400, 403, 404, 414] as const;

/** A value that is almost a known one gets its error, never somebody's product: one row for each place of a value. */
export default section(
  "errors",
  [
    changed({
      id: "by-id.unknown-slug/changed-slug",
      title: "A slug that is almost a known one returns 400",
      requests: 2,
      known: ({ fixtures }) => need(fixtures.product).retailer,
      changes: (slug, { fixtures, effort }) => ({
        ...slugChanges(slug, need(fixtures.retailers)),
        ...(effort > 1 && moreSlugChanges(slug, need(fixtures.retailers))),
      }),
      request: (slug, { fixtures }) => byId(slug, need(fixtures.product).productId),
      refusals: [400],
    }),
    changedId("changed-id", "An id that is almost a known one", 7, usual, (id, { effort }) =>
      idChanges(id, effort > 1),
    ),
    changedId(
      "changed-number",
      "A numeric id with a leading zero or a fraction",
      2,
      (context) => oneWith(context, /^\d+$/),
      (id) => (/^\d+$/.test(id) ? { "leading-zero": [`0${id}`], fraction: [`${id}.0`] } : {}),
    ),
    changedId(
      "changed-blank",
      "An id with a plus in place of a blank",
      1,
      (context) => oneWith(context, / /),
      (id) => ({ plus: [id.replaceAll(" ", "+")] }),
    ),
    changed({
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
      mayBe: (product, retailer, context) =>
        differsFrom({ retailer, productId: ofOneRetailer(context).productId }, product) === undefined,
    }),
    changed({
      id: "query.gtin-not-found/changed-gtin",
      title: "A GTIN that is almost a known one, or has a blank inside, finds no product of another GTIN",
      requests: 6,
      known: ({ fixtures }) => need(fixtures.productsByGtin)[0].gtin,
      changes: gtinChanges,
      request: (gtin) => byGtin(gtin),
      refusals: anyRefusal,
      mayBe: (product, gtin, { fieldNames }, known) =>
        carriesGtin(product, gtin.replace(" ", ""), fieldNames) ||
        isSameItem(product, known) === gtin.includes(" "),
    }),
    changed({
      id: "query.url-not-found/changed-site",
      title: "A page on a host that is almost a retailer's returns 404",
      requests: 3,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: (url, { effort }) => hostChanges(url, effort > 1),
      request: (url) => byUrl(url),
      refusals: [400, 404],
    }),
    changed({
      id: "query.url/changed-page",
      title:
        "A page with its host in another case, on another site, or with another number is not another product's",
      requests: 4,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: (url, { fixtures, effort }) => ({
        ...pageChanges(url, need(fixtures.productByUrl).productId, sitesIn(fixtures)),
        ...(effort > 1 && { suffix: [`${new URL(url).origin}/`] }),
      }),
      request: (url) => byUrl(url),
      refusals: anyRefusal,
      mayBe(product, url, { fixtures }, known) {
        // The page in the other case may be shown with the host as it was sent.
        const { product_url: shown, ...rest } = product;
        if (url.toLowerCase() === need(fixtures.productByUrl).url.toLowerCase())
          return identityDifference(known, rest) === undefined;
        return shown === url || (!isSameItem(product, known) && !shown?.startsWith(url));
      },
    }),
    {
      id: "batch.lookup/changed-items",
      title: "Batch items that are almost known ones find no product",
      requests: 3,
      good: (context) => batch(knownItems(context, 1), need(context.fixtures.batch)),
      // A batch may be refused because of its slugs, so the ids are sent alone as well.
      bad(context) {
        const names = need(context.fixtures.batch);
        const ids = changedIds(context);
        return [[...ids, ...changedSlugs(context)], ids].map((items) => ({ request: batch(items, names) }));
      },
      // Sent once: a service may count unknown retailers as upstream errors, which would send a batch that must be 200 again.
      expect: [200, 400],
      // Another status shows no products.
      unless: ({ response }) => response.status < 500,
      unfit(exchange, { fixtures, fieldNames }) {
        const { retailer, productId, product: known } = need(fixtures.product);
        const isListed = ({ retailer: slug }: Product) => need(fixtures.retailers).includes(String(slug));
        // A product may have a changed id by chance; nothing has a changed slug.
        const isKnown = ({ product_url: url }: Product) => url !== undefined && url === known.product_url;
        const sent = itemsSent(exchange);
        const shown = productsIn(exchange, fieldNames).find(
          ({ product }) =>
            sent.some((item) => isSameItem(item, product)) && (!isListed(product) || isKnown(product)),
        );
        if (shown === undefined) return undefined;
        const { path, product } = shown;
        const [subject, instead] = isListed(product)
          ? [product.product_id, productId]
          : [product.retailer, retailer];
        return {
          code: "item-unexpected",
          condition: "changed-value",
          subject: String(subject),
          details: { instead },
          path,
          ...identityOf(product),
        };
      },
      rules: ["batch.lookup/every-batch"],
    },
  ],
  "Values that are almost known",
);

/** A value of a request that finds something, and how it is changed. */
interface ChangedValue {
  readonly id: CheckId;
  readonly title: string;
  /** Most changed values. */
  readonly requests: number;
  /** @throws NotJudged without one */
  readonly known: (context: CheckContext) => string;
  readonly changes: (known: string, context: CheckContext) => Changes;
  readonly request: (value: string, context: CheckContext) => Request;
  /** Statuses of a value that nothing has. */
  readonly refusals: readonly number[];
  /** Whether a product that is found may be that of the changed value after all. */
  readonly mayBe?: (product: Product, value: string, context: CheckContext, known: Product) => boolean;
}

function changed({ id, title, requests, known, changes, request, refusals, mayBe }: ChangedValue): StatusRow {
  return {
    id,
    title,
    requests: 1 + requests,
    good: (context) => request(known(context), context),
    bad: (context) =>
      changedFrom(known(context), changes(known(context), context)).map(({ change, value }) => ({
        request: request(value, context),
        condition: "changed-value",
        subject: value,
        details: { change, instead: known(context) },
      })),
    expect: refusals,
    unless: (exchange, context, { subject = "" }, control) =>
      exchange.response.status === 200 &&
      mayBe?.(productOf(exchange), subject, context, control === undefined ? {} : productOf(control)) ===
        true,
  };
}

type Identity = Pick<ProductFixture, "retailer" | "productId">;

function changedId(
  name: string,
  title: string,
  requests: number,
  known: (context: CheckContext) => Identity,
  changes: ChangedValue["changes"],
): StatusRow {
  return changed({
    id: `by-id.unknown-product/${name}`,
    title: `${title} finds no product`,
    requests,
    known: (context) => known(context).productId,
    changes,
    request: (id, context) => byId(known(context).retailer, id),
    refusals: anyRefusal,
    mayBe: (product, productId, context) =>
      differsFrom({ retailer: known(context).retailer, productId }, product) === undefined,
  });
}

function usual({ fixtures }: CheckContext): Identity {
  return need(fixtures.product);
}

/** A known product whose id has this form, or the usual one. */
function oneWith(context: CheckContext, form: RegExp): Identity {
  const known = need(context.fixtures.product);
  return [known, ...browsedProducts(context)].find(({ productId }) => form.test(productId)) ?? known;
}

/** A known product whose id no other retailer is known to have: several may have the same. */
function ofOneRetailer(context: CheckContext): Identity {
  const known = need(context.fixtures.product);
  const byId = Map.groupBy([known, ...browsedProducts(context)], ({ productId }) => productId);
  const single = [...byId.values()].find((all) => new Set(all.map(({ retailer }) => retailer)).size === 1);
  return single?.[0] ?? known;
}

function sitesIn({ sites }: Fixtures): string[] {
  return sites.flatMap(({ url }) => URL.parse(url)?.host ?? []);
}

/** Batch items with changed ids of a known product, and one that most likely nothing has for each other retailer. */
function changedIds({ fixtures }: CheckContext): BatchItem[] {
  const { retailer, productId } = need(fixtures.product);
  const firsts = new Map(fixtures.products.toReversed().map((one) => [one.retailer, one.productId]));
  firsts.delete(retailer);
  const cut = productId.slice(0, -1);
  const ids = changedFrom(productId, {
    cut: [cut],
    suffix: [`${productId}0`],
    prefix: [`0${productId}`],
    wildcard: [`${cut}_`, `${cut}%`, "%"],
    "blank-inside": [`${productId.slice(0, 1)} ${productId.slice(1)}`],
    neighbour: unknownProductIds(productId).slice(0, 1),
  });
  // A service may look up each retailer's products in its own way.
  const elsewhere = [...firsts].slice(0, mostElsewhere).map(([slug, known]) => ({
    retailer: slug,
    product_id: unknownProductIds(known)[0] ?? known,
  }));
  return [...ids.map(({ value }) => ({ retailer, product_id: value })), ...elsewhere];
}

function changedSlugs({ fixtures }: CheckContext): BatchItem[] {
  const { retailer, productId } = need(fixtures.product);
  const slugs = need(fixtures.retailers);
  const changes = { ...slugChanges(retailer, slugs), ...moreSlugChanges(retailer, slugs) };
  return changedFrom(retailer, changes).map(({ value }) => ({ retailer: value, product_id: productId }));
}
