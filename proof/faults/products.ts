import type { EndpointId } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import type { WireChange, WireRequest } from "../../service/wire.ts";
import {
  isFor,
  type Json,
  keyOnlyIn,
  onProducts,
  onStatus,
  parameter,
  remembering,
  without,
  withText,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

const omitted = "service.omitted-fields/every-product";
const types = "product.field-types/every-product";
const everyShape = [
  "product.same-shape/by-url",
  "product.same-shape/by-gtin",
  "product.same-shape/by-category",
  "product.same-shape/by-batch",
  "product.same-shape/every-product",
] as const;

const optional = ["brand", "price", "availability", "color", "size"];

/** Sets missing fields to `empty`; in a product without missing fields, `mpn`. */
const emptied = (product: Json, empty: null | ""): Json => {
  const missing = optional.filter((name) => product[name] === undefined);
  const names = missing.length === 0 ? ["mpn"] : missing;
  return { ...product, ...Object.fromEntries(names.map((name) => [name, empty])) };
};

const withNulls = (product: Json): Json => emptied(product, null);

const nullsWhen = (condition: (request: WireRequest, product: Json) => boolean): WireChange =>
  onProducts((product, request) => (condition(request, product) ? withNulls(product) : undefined));

const nullsBy = (endpoint: EndpointId): WireChange => onProducts(withNulls, [endpoint]);

const moreBy = (endpoint: EndpointId, field: Json): WireChange =>
  onProducts((product) => ({ ...product, ...field }), [endpoint]);

/** Changes one field of the products that have it. */
const onField = (
  field: string,
  change: (value: string) => unknown,
  endpoints?: readonly EndpointId[],
): WireChange =>
  onProducts(
    (product) =>
      product[field] === undefined ? undefined : { ...product, [field]: change(String(product[field])) },
    endpoints,
  );

const onTitle = (endpoint: EndpointId): WireChange =>
  onField("title", (title) => title.toUpperCase(), [endpoint]);

const onIdentifier = (endpoint: EndpointId): WireChange =>
  onField("product_id", (id) => `${id}-other`, [endpoint]);

const onImages = (more: unknown): WireChange =>
  onProducts((product) =>
    Array.isArray(product.images) ? { ...product, images: [...product.images, more] } : undefined,
  );

const besideOthers = { "service.own-response": "so it does beside other requests and after refusals" };

/** Faults in products, for one or all ways of looking them up. */
export const productFaults = {
  "null-field": { wire: onProducts(withNulls), fails: [omitted] },
  "empty-string-field": {
    wire: onProducts((product) => emptied(product, "")),
    fails: [omitted],
    mayFail: { "product.field-types": "an empty string is not a number either" },
  },
  "null-field-by-identifier": { wire: nullsBy("lookup-by-id"), fails: [omitted] },
  "null-field-by-url": { wire: nullsBy("lookup-by-url"), fails: [omitted] },
  "null-field-by-gtin": { wire: nullsBy("lookup-by-gtin"), fails: [omitted] },
  "null-field-in-category": { wire: nullsBy("category-page"), fails: [omitted] },
  "null-field-in-batch": { wire: nullsBy("batch"), fails: [omitted] },
  "null-field-on-second-page": {
    wire: nullsWhen(
      (request) => isFor("category-page")(request) && parameter(request, "cursor") !== undefined,
    ),
    fails: [omitted],
  },
  "null-field-with-x-api-key": { wire: nullsWhen(keyOnlyIn("plain")), fails: [omitted] },
  "null-field-of-one-retailer": {
    wire: remembering(() => {
      let one: unknown;
      return nullsWhen((_request, { retailer }) => {
        one ??= retailer;
        return retailer === one;
      });
    }),
    fails: [omitted],
  },
  "null-field-every-tenth": {
    wire: remembering(() => {
      let count = 0;
      return nullsWhen(() => ++count % 10 === 0);
    }),
    fails: [omitted],
  },
  "null-field-after-429": {
    wire: (send, keys) => {
      let refused = false;
      const noting: typeof send = async (request) => {
        const response = await send(request);
        refused ||= response.status === 429;
        return response;
      };
      return nullsWhen(() => refused)(noting, keys);
    },
    atLimit: true,
    fails: [omitted],
  },
  "null-in-list": { wire: onImages(null), fails: [omitted] },
  "empty-string-in-list": { wire: onImages(""), fails: [omitted] },
  "null-in-object": {
    wire: onProducts((product) => ({ ...product, dimensions: { unit: "cm", depth: null } })),
    fails: [omitted],
  },
  "null-in-depth": {
    wire: onProducts((product) => ({ ...product, shelfcheck_injected: { a: [null] } })),
    fails: [omitted],
  },

  "internal-field-by-url": {
    wire: moreBy("lookup-by-url", { wholesale_price: 1.5 }),
    fails: ["product.same-shape/by-url"],
  },
  "internal-field-by-gtin": {
    wire: moreBy("lookup-by-gtin", { wholesale_price: 1.5 }),
    fails: ["product.same-shape/by-gtin"],
  },
  "internal-field-in-category": {
    wire: moreBy("category-page", { internal_note: "not for partners" }),
    fails: ["product.same-shape/by-category"],
  },
  "internal-field-in-batch": {
    wire: moreBy("batch", { internal_note: "not for partners" }),
    fails: ["product.same-shape/by-batch"],
  },
  "title-renamed-by-url": {
    wire: onProducts(
      ({ title, ...others }) => (title === undefined ? others : { ...others, name: title }),
      ["lookup-by-url"],
    ),
    fails: ["product.same-shape/by-url"],
  },
  "title-missing-by-id": {
    wire: onProducts((product) => without("title", product), ["lookup-by-id"]),
    fails: ["product.same-shape/by-url"],
  },
  "title-missing-in-category": {
    wire: onProducts((product) => without("title", product), ["category-page"]),
    fails: ["product.same-shape/by-category"],
  },
  "price-nested-in-batch": {
    wire: onProducts(
      ({ price, ...others }) => (price === undefined ? others : { ...others, pricing: { amount: price } }),
      ["batch"],
    ),
    fails: ["product.same-shape/by-batch"],
  },
  "product-in-envelope": {
    wire: onStatus(
      200,
      (response) => withText(response, `{"product":${response.body}}`),
      isFor("lookup-by-id"),
    ),
    fails: everyShape,
    mayFail: { "by-id.product": "a wrapped product does not have the fields of a product" },
  },
  "product-in-list": {
    wire: onStatus(200, (response) => withText(response, `[${response.body}]`), isFor("lookup-by-id")),
    fails: everyShape,
    mayFail: { "by-id.product": "a wrapped product does not have the fields of a product" },
  },

  "title-shouting-by-url": { wire: onTitle("lookup-by-url"), fails: ["product.same-values/by-url"] },
  "title-shouting-by-gtin": { wire: onTitle("lookup-by-gtin"), fails: ["product.same-values/by-gtin"] },
  "title-shouting-in-category": {
    wire: onTitle("category-page"),
    fails: ["product.same-values/by-category"],
  },
  "title-shouting-in-batch": { wire: onTitle("batch"), fails: ["product.same-values/by-batch"] },
  "other-product-by-id": {
    wire: onIdentifier("lookup-by-id"),
    fails: ["by-id.product/every-retailer", "by-id.product/every-response"],
    mayFail: { "service.four-ways": "by id, another product comes than browsing showed", ...besideOthers },
  },
  "other-product-by-url": {
    wire: onIdentifier("lookup-by-url"),
    fails: ["query.url/known-page"],
    mayFail: { "service.four-ways": "by URL, another product comes than browsing showed", ...besideOthers },
  },
  "other-product-by-gtin": {
    wire: onProducts((product) => otherDigits(product) as Json, ["lookup-by-gtin"]),
    fails: ["query.gtin/known"],
    mayFail: {
      "product.same-values": "most products have another GTIN by GTIN",
      "service.four-ways": "by GTIN, another product comes than browsing showed",
      "query.gtin-match": "the product has another GTIN",
      ...besideOthers,
    },
  },
  "other-product-in-batch": {
    wire: onIdentifier("batch"),
    fails: ["batch.lookup/known-products", "batch.lookup/every-batch"],
    mayFail: { ...besideOthers, "batch-result.echo": "an item is neither found nor listed under errors" },
  },

  "retailer-object": { wire: onField("retailer", (slug) => ({ slug })), fails: [types] },
  "retailer-shows-name": {
    wire: onProducts((product) => ({ ...product, retailer: product.retailer_name })),
    fails: ["product.retailer/every-product"],
    mayFail: { "by-id.product": "the returned retailer is not the requested one" },
  },
  "retailer-name-list": { wire: onField("retailer_name", (name) => [name]), fails: [types] },
  "product-id-number": {
    wire: onField("product_id", (id) => (/^[0-9]+$/.test(id) ? Number(id) : id)),
    fails: [types],
  },
  "product-id-lower-case": {
    wire: onField("product_id", (id) => id.toLowerCase()),
    fails: ["by-id.product/every-retailer"],
    mayFail: { "batch.lookup": "a batch changes the identifier in the same way", ...besideOthers },
  },
  "title-object": { wire: onField("title", (en) => ({ en })), fails: [types] },
  "title-list": { wire: onField("title", (title) => [title]), fails: [types] },
  "price-string": { wire: onField("price", (price) => price), fails: [types] },
  "price-string-in-batch": { wire: onField("price", (price) => price, ["batch"]), fails: [types] },
  "currency-object": { wire: onField("currency", (code) => ({ code })), fails: [types] },
  "currency-words": {
    wire: onField("currency", () => "the local one"),
    fails: ["product.currency/every-product"],
  },
  "availability-boolean": { wire: onField("availability", (value) => value === "in_stock"), fails: [types] },
  "product-url-list": { wire: onField("product_url", (url) => [url]), fails: [types] },
  "product-url-relative": {
    wire: onField("product_url", (url) => URL.parse(url)?.pathname ?? "/"),
    fails: ["product.product-url/every-product"],
    mayFail: { "query.url": "an invalid URL cannot be looked up" },
  },
  "product-url-words": {
    wire: onField("product_url", () => "see the shop"),
    fails: ["product.product-url/every-product"],
    mayFail: { "query.url": "an invalid URL cannot be looked up" },
  },
  "last-updated-epoch": {
    wire: onField("last_updated", (time) => Date.parse(time) / 1000),
    fails: [types],
  },
  "last-updated-http-date": {
    wire: onField("last_updated", (time) => new Date(time).toUTCString()),
    fails: ["product.last-updated/every-product"],
  },
  "last-updated-local-offset": {
    wire: onField("last_updated", (time) =>
      new Date(Date.parse(time) + 2 * 3_600_000).toISOString().replace(/\.\d+Z$/, "+02:00"),
    ),
    fails: ["product.last-updated/every-product"],
  },
  "last-updated-impossible": {
    wire: onField("last_updated", (time) => time.replace(/^(\d{4})-\d\d/, "$1-13")),
    fails: ["product.last-updated/every-product"],
  },
  "last-updated-words": {
    wire: onField("last_updated", () => "yesterday at noon"),
    fails: ["product.last-updated/every-product"],
  },
} satisfies FaultTable;

/** A product in which every GTIN, in any field, is replaced by that of another product. */
function otherDigits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(otherDigits);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, otherDigits(one)]));
  return typeof value === "string" && /^\d{8,14}$/.test(value)
    ? value.replace(/./g, (digit) => String(9 - Number(digit)))
    : value;
}
