import { isDeepStrictEqual } from "node:util";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import type { ValueChange } from "../../schemas/contracts/vocabulary.ts";
import type { Exchange } from "../client/exchange.ts";
import { batch, byGtin, byId, byUrl, inOtherCase, type Request } from "../client/requests.ts";
import { type Fixtures, type Identity, need } from "../discovery/fixtures.ts";
import { otherFirstDigits, unknownProductIds } from "../discovery/unknown-values.ts";
import {
  carriesGtin,
  checkDigit,
  mayHaveGtin,
  type ProductInBody,
  productsIn,
  requestedById,
} from "../response/products-in.ts";
import { isSameItem, productOf } from "../response/readers.ts";
import type { CheckContext } from "./check/check.ts";
import { choosableProducts, knownItems, succeeding } from "./check/inputs.ts";
import { differsFrom, identityDifference } from "./check/product-comparison.ts";
import { type ChangedRequest, type StatusRow, section } from "./check/rows.ts";

/** How a service may refuse a value that has an odd form. */
const anyRefusal = [400, 403, 404, 414] as const;

/** A value that is almost a known one gets its error, never a product: one row for each place of a value. */
export default section(
  "errors",
  [
    changed({
      id: "by-id.unknown-slug/changed-slug",
      title:
        "A slug that is almost a known one returns 400, or 403 as that of another organization's retailer",
      requests: 2,
      known: ({ fixtures }) => need(fixtures.product).retailer,
      changes: (slug, { fixtures }) => slugChanges(slug, need(fixtures.retailers), ["cut", "normalised"]),
      request: (slug, { fixtures }) => byId(slug, need(fixtures.product).productId),
      refusals: [400, 403],
    }),
    {
      id: "by-id.unknown-product/changed-id",
      title: "An id that is almost a known one, or sent for another retailer, finds no product but its own",
      requests: 15,
      good: succeeding["lookup-by-id"],
      bad(context) {
        const { retailer, productId } = need(context.fixtures.product);
        const ofOne = ofOneRetailer(context);
        const other = need(context.fixtures.retailers).find((slug) => slug !== ofOne.retailer) ?? "";
        return [
          ...changesOf(productId, idChanges(productId), (id) => byId(retailer, id)),
          ...withForms(context).flatMap((one) =>
            changesOf(one.productId, idForms(one.productId), (id) => byId(one.retailer, id)),
          ),
          ...changesOf(ofOne.retailer, [["other-retailer", other]], (slug) => byId(slug, ofOne.productId)),
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
      title: "A GTIN that is almost known does not find its product, and with a blank inside no other GTIN's",
      requests: 6,
      known: ({ fixtures }) => need(fixtures.productsByGtin)[0].gtin,
      changes: gtinChanges,
      request: (gtin) => byGtin(gtin),
      refusals: anyRefusal,
      mayBe: (product, gtin, { fieldNames }, known) =>
        gtin.includes(" ")
          ? isSameItem(product, known) || mayHaveGtin(product, gtin.replace(" ", ""), fieldNames)
          : !isSameItem(product, known) || carriesGtin(product, gtin, fieldNames),
    }),
    changed({
      id: "query.url-not-found/changed-site",
      title: "A page on a host that is almost a retailer's returns 404 or 400",
      requests: 3,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: hostChanges,
      request: (url) => byUrl(url),
      refusals: [400, 404],
    }),
    changed({
      id: "query.url/changed-page",
      title:
        "A known page with its host in another case finds no other product, and on another site, cut or with another id not its own",
      requests: 4,
      known: ({ fixtures }) => need(fixtures.productByUrl).url,
      changes: pageChanges,
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
      title: "Batch items that are almost a known product do not find that product",
      requests: 3,
      good: (context) => batch(knownItems(context, 1), need(context.fixtures.batch)),
      // A batch may be refused because of its slugs, so the ids are sent alone as well.
      bad({ fixtures }) {
        const { retailer, productId } = need(fixtures.product);
        // An item with a NUL may be a reason to refuse the batch.
        const ids = changedFrom(
          productId,
          idChanges(productId).filter(([, id]) => !id.includes("\0")),
        );
        const slugs = changedFrom(retailer, slugChanges(retailer, need(fixtures.retailers)));
        const items = ids.map(([, id]) => ({ retailer, product_id: id }));
        const more = slugs.map(([, slug]) => ({ retailer: slug, product_id: productId }));
        const names = need(fixtures.batch);
        return [[...items, ...more], items].map((sent) => ({ request: batch(sent, names) }));
      },
      // Sent once: a batch that must be 200 is sent again for upstream errors, such as unknown retailers.
      expect: [200, 400],
      // Another status shows no products.
      unless: ({ response }) => response.status < 500,
      unfit: knownUnderOtherName,
      rules: ["batch.lookup/every-batch"],
    },
  ],
  "Values that are almost known",
);

/** A value of a request that finds something, and how it is changed. */
interface ChangedValue extends Required<Pick<StatusRow, "id" | "title" | "requests">> {
  /** @throws NotJudged without one */
  readonly known: (context: CheckContext) => string;
  readonly changes: (known: string, context: CheckContext) => readonly Change[];
  readonly request: (value: string, context: CheckContext) => Request;
  /** Statuses of a value that nothing has. */
  readonly refusals: readonly number[];
  /** Whether a product that is found may be that of the changed value after all. */
  readonly mayBe?: (product: Product, value: string, context: CheckContext, known: Product) => boolean;
}

function changed({ requests, known, changes, request, refusals, mayBe, ...row }: ChangedValue): StatusRow {
  return {
    ...row,
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

/** The finding that a batch has all of the known product but its name under one that is almost that. */
function knownUnderOtherName(
  exchange: Exchange,
  { fixtures, fieldNames }: CheckContext,
): Finding | undefined {
  const { product: known, retailer, productId } = need(fixtures.product);
  const isKnown = ({ product }: ProductInBody) =>
    !isSameItem(product, known) && isDeepStrictEqual({ ...product, retailer, product_id: productId }, known);
  // Products without a page may be alike in all that they have.
  const found = productsIn(exchange, fieldNames).find(
    (one) => known.product_url !== undefined && isKnown(one),
  );
  if (found === undefined) return undefined;
  const { path, product } = found;
  const [subject, instead] =
    product.retailer === retailer ? [product.product_id, productId] : [product.retailer, retailer];
  const about = { condition: "changed-value", subject: String(subject), details: { instead } } as const;
  return { code: "item-unexpected", ...about, path };
}

/** A value that is made of a known one. */
type Change = readonly [ValueChange, value: string];

function changesOf(
  instead: string,
  changes: readonly Change[],
  request: (value: string) => Request,
): ChangedRequest[] {
  return changedFrom(instead, changes).map(([change, subject]) => ({
    request: request(subject),
    condition: "changed-value",
    subject,
    details: { change, instead },
  }));
}

/** Every changed value once, without those that equal the known one or have half a character. */
export function changedFrom(known: string, changes: readonly Change[]): Change[] {
  const values = new Set([known]);
  return changes.filter(
    ([, value]) => value.trim() !== "" && value.isWellFormed() && values.size < values.add(value).size,
  );
}

/** Slugs that are almost a known one; what exists is left out. */
export function slugChanges(
  slug: string,
  listed: readonly string[],
  only?: readonly ValueChange[],
): readonly Change[] {
  const isUnlisted = (one: string) => one.length > 1 && !listed.includes(one);
  const normalised = [slug.replaceAll(/[^\p{L}\p{N}]/gu, ""), `${slug}-`].find(isUnlisted) ?? "";
  const changes: readonly Change[] = [
    ["cut", slug.slice(0, -1)],
    ["normalised", normalised],
    ["prefix", `x${slug}`],
    ["suffix", `${slug}x`],
  ];
  const all = [
    ...changes.filter(([, value]) => isUnlisted(value)),
    ["wildcard", `${slug.slice(0, -1)}_`],
    ["wildcard", "%"],
    ["decoded-twice", encodedFirst(slug)],
  ] as const;
  return only === undefined ? all : all.filter(([change]) => only.includes(change));
}

function idChanges(id: string): Change[] {
  return [
    ...[";x", "?x", ".", "\0"].map((tail) => ["suffix", id + tail] as const),
    ["cut", id.slice(0, -1)],
    ["wildcard", `${id.slice(0, -1)}_`],
    ["decoded-twice", encodedFirst(id)],
  ];
}

/** What a service may take for the same id: other forms of a number, a plus for a blank, letters with accents. */
function idForms(id: string): Change[] {
  if (!/^\d+$/.test(id))
    return [
      ["plus", id.replaceAll(" ", "+")],
      ["accent", id.replace(/[aeiou]/i, (letter) => `${letter}\u0308`.normalize())],
    ];
  return [
    ["leading-zero", `0${id}`],
    ["fraction", `${id}.0`],
  ];
}

/** A text whose first character is percent-encoded, where it has an ordinary one. */
function encodedFirst(text: string): string {
  return /^[\w-]/.test(text) ? `%${text.charCodeAt(0).toString(16)}${text.slice(1)}` : "";
}

function gtinChanges(gtin: string): Change[] {
  const body = gtin.slice(0, -1);
  return [
    ["cut", body],
    ["check-digit", body + String((Number(checkDigit(body)) + 3) % 10)],
    ["more-digits", `${gtin}00`],
    ["first-digits", otherFirstDigits(gtin) ?? ""],
    // Of the codes that are similar to GTINs, an ISBN may end with an X.
    ["suffix", `${gtin}q`],
    ["blank-inside", `${gtin.slice(0, 1)} ${gtin.slice(1)}`],
  ];
}

/** Hosts that end or begin like a known one, or have it before an @. */
function hostChanges(url: string): Change[] {
  const parts = new URL(url);
  const on = (authority: string) => url.replace(parts.host, () => authority);
  // Before a host of more labels, any text makes a host of the same domain.
  const domain = parts.hostname.split(".").slice(-2).join(".");
  return [
    ["other-host", on(`not${domain}`)],
    ["other-host", on(`${parts.hostname}.no-such-retailer.example`)],
    ["in-user-info", on(`${parts.hostname}@no-such-retailer.example`)],
  ];
}

/** The page in another case, on another retailer's site, and of the same form with another number or id. */
function pageChanges(url: string, { fixtures }: CheckContext): Change[] {
  const parts = new URL(url);
  const { productId } = need(fixtures.productByUrl);
  const other = sitesIn(fixtures).find((host) => host !== parts.host) ?? parts.host;
  const page = url.slice(parts.protocol.length + 2 + parts.host.length);
  return [
    ["other-case", url.replace(/(?<=:\/\/)[^/?#]+/, inOtherCase)],
    ["other-host", url.replace(parts.host, () => other)],
    // Without its last character, a page that ends with the id is another one.
    ["cut", url.endsWith(productId) && productId.length > 2 ? url.slice(0, -1) : ""],
    ["other-id", url.slice(0, -page.length) + ofOtherProduct(page, productId)],
  ];
}

/** With another id, or the number without zeros. Other parts may be a title or a trace of the visitor. */
function ofOtherProduct(page: string, productId: string): string {
  const [unknown = ""] = unknownProductIds(productId);
  if (page.includes(productId)) return page.replaceAll(productId, () => unknown);
  const number = /^\d+$/.test(productId) ? BigInt(productId).toString() : undefined;
  return number === undefined
    ? page
    : page.replaceAll(/\d+/g, (digits) => (digits === number ? `${digits}9973` : digits));
}

/** Known products whose ids are a number, have a blank, and a letter that may have an accent. */
function withForms(context: CheckContext): Identity[] {
  const all = [need(context.fixtures.product), ...choosableProducts(context)];
  const found = [/^\d+$/, / /, /[aeiou]/i].flatMap(
    (form) => all.find(({ productId }) => form.test(productId)) ?? [],
  );
  return [...new Set(found)];
}

/** A known product whose id no other retailer is known to have: several may have the same. */
function ofOneRetailer(context: CheckContext): Identity {
  const known = need(context.fixtures.product);
  const byId = Map.groupBy([known, ...choosableProducts(context)], ({ productId }) => productId);
  const single = [...byId.values()].find((all) => new Set(all.map(({ retailer }) => retailer)).size === 1);
  return single?.[0] ?? known;
}

function sitesIn({ sites }: Fixtures): string[] {
  return sites.map(({ url }) => new URL(url).host);
}
