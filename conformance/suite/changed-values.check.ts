import type { Product } from "../../schemas/contracts/product.ts";
import { batch, byGtin, byId, byUrl, type Request } from "../client/requests.ts";
import { type Fixtures, need, type ProductFixture } from "../discovery/fixtures.ts";
import type { CheckId } from "../requirements/all.ts";
import { isSameItem } from "../response/batch-result.ts";
import { carriesGtin } from "../response/gtin.ts";
import { requestedById } from "../response/products-in.ts";
import { productOf } from "../response/readers.ts";
import {
  type Changes,
  changedFrom,
  gtinChanges,
  hostChanges,
  idChanges,
  idForms,
  pageChanges,
  slugChanges,
} from "./changed-values.ts";
import type { CheckContext } from "./check/check.ts";
import { browsedProducts, knownItems, succeeding } from "./check/inputs.ts";
import { differsFrom, identityDifference } from "./check/product-comparison.ts";
import { type ChangedRequest, type StatusRow, section } from "./check/rows.ts";

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
      changes(slug, { fixtures }) {
        const { cut, normalised } = slugChanges(slug, need(fixtures.retailers));
        return { cut, normalised };
      },
      request: (slug, { fixtures }) => byId(slug, need(fixtures.product).productId),
      refusals: [400],
    }),
    {
      id: "by-id.unknown-product/changed-id",
      title: "An id that is almost a known one, or that of another retailer's product, finds no product",
      requests: 12,
      good: succeeding["lookup-by-id"],
      bad(context) {
        const { retailer, productId } = need(context.fixtures.product);
        const ofOne = ofOneRetailer(context);
        const slugs = need(context.fixtures.retailers).filter((slug) => slug !== ofOne.retailer);
        return [
          ...changesOf(productId, idChanges(productId), (id) => byId(retailer, id)),
          ...withForms(context).flatMap((one) =>
            changesOf(one.productId, idForms(one.productId), (id) => byId(one.retailer, id)),
          ),
          ...changesOf(ofOne.retailer, { "other-retailer": slugs.slice(0, 1) }, (slug) =>
            byId(slug, ofOne.productId),
          ),
        ];
      },
      expect: anyRefusal,
      // The changed id may be that of another product.
      unless: (exchange) =>
        exchange.response.status === 200 &&
        differsFrom(requestedById(exchange), productOf(exchange)) === undefined,
    },
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
      changes: hostChanges,
      request: (url) => byUrl(url),
      refusals: [400, 404],
    }),
    changed({
      id: "query.url/changed-page",
      title:
        "A page with its host in another case, on another site, or with another number is not another product's",
      requests: 4,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: (url, { fixtures }) =>
        pageChanges(url, need(fixtures.productByUrl).productId, sitesIn(fixtures)),
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
      bad({ fixtures }) {
        const { retailer, productId } = need(fixtures.product);
        const { suffix = [], ...changes } = idChanges(productId);
        // An item with a NUL may be a reason to refuse the batch.
        const ids = changedFrom(productId, { ...changes, suffix: suffix.slice(0, -1) });
        const slugs = changedFrom(retailer, slugChanges(retailer, need(fixtures.retailers)));
        const items = ids.map(({ value }) => ({ retailer, product_id: value }));
        const more = slugs.map(({ value }) => ({ retailer: value, product_id: productId }));
        const names = need(fixtures.batch);
        return [{ request: batch([...items, ...more], names) }, { request: batch(items, names) }];
      },
      // Sent once: a service may count unknown retailers as upstream errors, which would send a batch that must be 200 again.
      expect: [200, 400],
      // Another status shows no products.
      unless: ({ response }) => response.status < 500,
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
      changesOf(known(context), changes(known(context), context), (value) => request(value, context)),
    expect: refusals,
    unless: (exchange, context, { subject = "" }, control) =>
      exchange.response.status === 200 &&
      mayBe?.(productOf(exchange), subject, context, control === undefined ? {} : productOf(control)) ===
        true,
  };
}

function changesOf(known: string, changes: Changes, request: (value: string) => Request): ChangedRequest[] {
  return changedFrom(known, changes).map(({ change, value }) => ({
    request: request(value),
    condition: "changed-value",
    subject: value,
    details: { change, instead: known },
  }));
}

type Identity = Pick<ProductFixture, "retailer" | "productId">;

/** Known products whose ids are a number, and have a blank. */
function withForms(context: CheckContext): Identity[] {
  const all = [need(context.fixtures.product), ...browsedProducts(context)];
  return [/^\d+$/, / /].flatMap((form) => all.find(({ productId }) => form.test(productId)) ?? []);
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
