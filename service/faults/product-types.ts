import { type Json, onProducts } from "../changes/answer-changes.ts";
import { faultsOf } from "./fault.ts";

/** Changes one field where a product has it. */
const onField = (field: string, change: (value: string) => unknown) =>
  onProducts((product: Json) =>
    product[field] === undefined ? undefined : { ...product, [field]: change(String(product[field])) },
  );

export const productTypeFaults = faultsOf("Product", [
  [
    "retailer-object",
    "product.retailer-type",
    "retailer | string | Retailer slug (see Retailer).",
    onField("retailer", (slug) => ({ slug })),
  ],
  [
    "retailer-shows-name",
    "product.retailer-slug",
    "retailer | string | Retailer slug (see Retailer).",
    onProducts((its) => ({ ...its, retailer: its.retailer_name })),
  ],
  [
    "retailer-name-list",
    "product.retailer-name-type",
    "retailer_name | string | Display name of the retailer.",
    onField("retailer_name", (name) => [name]),
  ],
  [
    "product-id-number",
    "product.product-id-type",
    "product_id | string | The retailer's own identifier for the product.",
    onField("product_id", (id) => (/^[0-9]+$/.test(id) ? Number(id) : id)),
  ],
  [
    "product-id-lower-case",
    "product.product-id-own",
    "product_id | string | The retailer's own identifier for the product.",
    onField("product_id", (id) => id.toLowerCase()),
  ],
  [
    "title-object",
    "product.title-type",
    "title | string | Product title.",
    onField("title", (en) => ({ en })),
  ],
  [
    "price-string",
    "product.price-type",
    "price | number | Decimal number.",
    onField("price", (price) => price),
  ],
  [
    "price-string-in-batch",
    "product.price-type",
    "price | number | Decimal number.",
    onProducts((its) => (its.price === undefined ? undefined : { ...its, price: `${its.price}` }), ["batch"]),
  ],
  [
    "currency-object",
    "product.currency-type",
    "currency | string | Currency code.",
    onField("currency", (code) => ({ code })),
  ],
  [
    "availability-boolean",
    "product.availability-type",
    "availability | string | Availability value.",
    onField("availability", (value) => value === "in_stock"),
  ],
  [
    "product-url-list",
    "product.product-url-type",
    "product_url | string | URL of the product page.",
    onField("product_url", (url) => [url]),
  ],
  [
    "product-url-relative",
    "product.product-url-format",
    "product_url | string | URL of the product page.",
    onField("product_url", (url) => URL.parse(url)?.pathname ?? "/"),
  ],
  [
    "last-updated-epoch",
    "product.last-updated-type",
    "last_updated | string | ISO 8601 UTC timestamp, freshness signal.",
    onField("last_updated", (time) => Date.parse(time) / 1000),
  ],
  [
    "last-updated-http-date",
    "product.last-updated-format",
    "last_updated | string | ISO 8601 UTC timestamp, freshness signal.",
    onField("last_updated", (time) => new Date(time).toUTCString()),
  ],
  [
    "last-updated-local-offset",
    "product.last-updated-utc",
    "last_updated | string | ISO 8601 UTC timestamp, freshness signal.",
    onField("last_updated", (time) => {
      const local = new Date(Date.parse(time) + 2 * 3_600_000).toISOString();
      return local.replace(/\.000Z$/, "+02:00");
    }),
  ],
  [
    "last-updated-impossible",
    "product.last-updated-format",
    "last_updated | string | ISO 8601 UTC timestamp, freshness signal.",
    onField("last_updated", (time) => time.replace(/^(\d{4})-\d\d/, "$1-13")),
  ],
]);
