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
import type { Fault, FaultTable } from "../changes/entry.ts";

const omitted = "service.omitted-fields/every-product";
const types = "product.field-types/every-product";

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

/** For each path to a product: the end of a fault's name, the end of the check's id, and where it is in words. */
const paths = {
  "lookup-by-url": ["by-url", "by-url", "In lookups by URL"],
  "lookup-by-gtin": ["by-gtin", "by-gtin", "In lookups by GTIN"],
  "category-page": ["in-category", "by-category", "On category pages"],
  batch: ["in-batch", "by-batch", "In batches"],
} as const;
type ProductPath = keyof typeof paths;

/** The same fault on each of several paths to a product. */
const byPath = (
  name: string,
  on: readonly ProductPath[],
  does: string,
  faultOn: (
    path: ProductPath,
    check: (typeof paths)[ProductPath][1],
  ) => Pick<Fault, "fails"> & { wire: WireChange },
): FaultTable =>
  Object.fromEntries(
    on.map((path) => {
      const [end, check, where] = paths[path];
      return [`${name}-${end}`, { does: `${where}, ${does}.`, ...faultOn(path, check) }];
    }),
  );

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

const onIdentifier = (endpoint: EndpointId): WireChange =>
  onField("product_id", (id) => `${id}-other`, [endpoint]);

/** Faults in products, for one or all ways of looking them up. */
export const productFaults = {
  "null-field": { does: "Fields without a value are null.", wire: onProducts(withNulls), fails: [omitted] },
  "empty-string-field": {
    does: "Fields without a value are empty texts.",
    wire: onProducts((product) => emptied(product, "")),
    fails: [omitted],
  },
  ...byPath("null-field", ["batch"], "fields without a value are null", (endpoint) => ({
    wire: onProducts(withNulls, [endpoint]),
    fails: [omitted],
  })),
  "null-field-on-second-page": {
    does: "On pages after the first, fields without a value are null.",
    wire: nullsWhen(
      (request) => isFor("category-page")(request) && parameter(request, "cursor") !== undefined,
    ),
    fails: [omitted],
  },
  "null-field-with-x-api-key": {
    does: "With X-Api-Key, fields without a value are null.",
    wire: nullsWhen(keyOnlyIn("plain")),
    fails: [omitted],
  },
  "null-field-every-tenth": {
    does: "In every tenth product, fields without a value are null.",
    wire: remembering(() => {
      let count = 0;
      return nullsWhen(() => ++count % 10 === 0);
    }),
    fails: [omitted],
  },
  "null-field-after-429": {
    does: "Once a request was refused with 429, fields without a value are null.",
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
  "null-in-depth": {
    does: "A null is deep inside a product.",
    wire: onProducts((product) => ({ ...product, shelfcheck_injected: { a: [null] } })),
    fails: [omitted],
  },

  ...byPath("internal-field", ["lookup-by-gtin"], "products show an internal price", (endpoint, check) => ({
    wire: onProducts((product) => ({ ...product, wholesale_price: 1.5 }), [endpoint]),
    fails: [`product.same-shape/${check}`],
  })),
  "title-missing-by-id": {
    does: "By id, products have no `title`.",
    wire: onProducts((product) => without("title", product), ["lookup-by-id"]),
    fails: ["product.same-shape/by-url"],
  },
  "title-missing-in-category": {
    does: "On category pages, products have no `title`.",
    wire: onProducts((product) => without("title", product), ["category-page"]),
    fails: ["product.same-shape/by-category"],
  },
  "price-nested-in-batch": {
    does: "In batches, the price is in an object.",
    wire: onProducts(
      ({ price, ...others }) => (price === undefined ? others : { ...others, pricing: { amount: price } }),
      ["batch"],
    ),
    fails: ["product.same-shape/by-batch"],
  },
  "product-in-envelope": {
    does: "A lookup by id returns the product inside an object.",
    wire: onStatus(
      200,
      (response) => withText(response, `{"product":${response.body}}`),
      isFor("lookup-by-id"),
    ),
    fails: ["product.same-shape/every-product"],
  },
  "product-in-list": {
    does: "A lookup by id returns a list.",
    wire: onStatus(200, (response) => withText(response, `[${response.body}]`), isFor("lookup-by-id")),
    fails: ["product.same-shape/every-product"],
  },

  ...byPath(
    "title-shouting",
    ["lookup-by-url", "lookup-by-gtin", "category-page"],
    "titles are in capitals",
    (endpoint, check) => ({
      wire: onField("title", (title) => title.toUpperCase(), [endpoint]),
      fails: [`product.same-values/${check}`],
    }),
  ),
  "other-product-by-id": {
    does: "A lookup by id returns another id.",
    wire: onIdentifier("lookup-by-id"),
    fails: ["by-id.product/every-retailer", "by-id.product/every-response"],
  },
  "other-product-by-url": {
    does: "A lookup by URL returns another id.",
    wire: onIdentifier("lookup-by-url"),
    fails: ["query.url/known-page"],
  },
  "other-product-by-gtin": {
    does: "A lookup by GTIN returns another GTIN.",
    wire: onProducts((product) => otherDigits(product) as Json, ["lookup-by-gtin"]),
    fails: ["query.gtin/every-response"],
  },
  "other-product-in-batch": {
    does: "A batch returns other ids.",
    wire: onIdentifier("batch"),
    fails: ["batch.lookup/known-products", "batch.lookup/every-batch"],
  },

  "retailer-shows-name": {
    does: "`retailer` is the name of the retailer instead of its slug.",
    wire: onProducts((product) => ({ ...product, retailer: product.retailer_name })),
    fails: ["product.retailer/every-product"],
  },
  "product-id-number": {
    does: "Ids of digits are numbers.",
    wire: onField("product_id", (id) => (/^[0-9]+$/.test(id) ? Number(id) : id)),
    fails: [types],
  },
  "product-id-lower-case": {
    does: "Ids are in lower case.",
    wire: onField("product_id", (id) => id.toLowerCase()),
    fails: ["by-id.product/every-retailer"],
  },
  "price-string": { does: "`price` is a text.", wire: onField("price", (price) => price), fails: [types] },
  "currency-words": {
    does: "`currency` is a phrase instead of a code.",
    wire: onField("currency", () => "the local one"),
    fails: ["product.currency/every-product"],
  },
  "availability-boolean": {
    does: "`availability` is a boolean.",
    wire: onField("availability", (value) => value === "in_stock"),
    fails: [types],
  },
  "product-url-relative": {
    does: "`product_url` has no host.",
    wire: onField("product_url", (url) => URL.parse(url)?.pathname ?? "/"),
    fails: ["product.product-url/every-product"],
  },
  "last-updated-epoch": {
    does: "`last_updated` is a number of seconds.",
    wire: onField("last_updated", (time) => Date.parse(time) / 1000),
    fails: [types],
  },
  "last-updated-local-offset": {
    does: "`last_updated` has an offset of two hours.",
    wire: onField("last_updated", (time) =>
      new Date(Date.parse(time) + 2 * 3_600_000).toISOString().replace(/\.\d+Z$/, "+02:00"),
    ),
    fails: ["product.last-updated/every-product"],
  },
  "last-updated-impossible": {
    does: "`last_updated` has the month 13.",
    wire: onField("last_updated", (time) => time.replace(/^(\d{4})-\d\d/, "$1-13")),
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
