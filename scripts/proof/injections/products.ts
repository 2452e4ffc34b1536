import { type Injection, inject, isObject, type Json, onProducts, without } from "../injection.ts";

const omitted = "service.omitted-fields/every-product";
const types = "product.field-types/every-product";

const changed = (field: string, change: (value: unknown) => unknown) => (product: Json) =>
  product[field] === undefined ? product : { ...product, [field]: change(product[field]) };

const oneMore = (product: Json): Json => ({ ...product, shelfcheck_injected: "more" });
const shouting = changed("title", (title) => String(title).toUpperCase());
const otherIdentifier = changed("product_id", (id) => `${String(id)}-other`);

/** Faults in products, as they come by any way. */
export const productInjections: readonly Injection[] = [
  inject(
    "null-field",
    omitted,
    onProducts((product) => ({ ...product, shelfcheck_injected: null })),
  ),
  inject(
    "empty-text",
    omitted,
    onProducts((product) => ({ ...product, shelfcheck_injected: "" })),
  ),
  inject(
    "null-field-in-category",
    omitted,
    onProducts(
      changed("title", () => null),
      ["category"],
    ),
  ),
  inject(
    "null-field-in-batch",
    omitted,
    onProducts(
      changed("title", () => null),
      ["batch"],
    ),
  ),
  inject(
    "null-in-depth",
    omitted,
    onProducts((product) => ({ ...product, shelfcheck_injected: { a: [null] } })),
  ),
  inject("price-text", types, onProducts(changed("price", String))),
  inject("title-list", types, onProducts(changed("title", (title) => [title]))),
  inject("availability-boolean", types, onProducts(changed("availability", () => true))),
  inject(
    "currency-words",
    "product.currency/every-product",
    onProducts(changed("currency", () => "the local one")),
  ),
  inject(
    "url-words",
    "product.product-url/every-product",
    onProducts(changed("product_url", () => "see the shop")),
    { "query.url": "what is no URL cannot be asked for as one" },
  ),
  inject(
    "timestamp-words",
    "product.last-updated/every-product",
    onProducts(changed("last_updated", () => "yesterday at noon")),
  ),
  inject("field-more-by-url", "product.same-shape/by-url", onProducts(oneMore, ["url"])),
  inject("field-more-by-gtin", "product.same-shape/by-gtin", onProducts(oneMore, ["gtin"])),
  inject("field-more-in-category", "product.same-shape/by-category", onProducts(oneMore, ["category"])),
  inject("field-more-in-batch", "product.same-shape/by-batch", onProducts(oneMore, ["batch"])),
  inject("title-shouting-by-url", "product.same-values/by-url", onProducts(shouting, ["url"])),
  inject("title-shouting-by-gtin", "product.same-values/by-gtin", onProducts(shouting, ["gtin"])),
  inject("title-shouting-in-category", "product.same-values/by-category", onProducts(shouting, ["category"])),
  inject("title-shouting-in-batch", "product.same-values/by-batch", onProducts(shouting, ["batch"])),
  inject(
    "title-gone-by-id",
    "product.same-shape/by-url",
    onProducts((product) => without("title", product), ["by-id"]),
  ),
  inject(
    "other-product-by-id",
    ["by-id.product/every-retailer", "by-id.product/every-answer"],
    onProducts(otherIdentifier, ["by-id"]),
    {
      "service.four-ways": "by id, another product comes than browsing showed",
    },
  ),
  inject("other-product-by-url", "query.url/known-page", onProducts(otherIdentifier, ["url"]), {
    "service.four-ways": "by URL, another product comes than browsing showed",
  }),
  inject(
    "other-product-by-gtin",
    "query.gtin/known",
    onProducts((product) => otherDigits(product) as Json, ["gtin"]),
    {
      "service.four-ways": "by GTIN, another product comes than browsing showed",
      "query.gtin-match": "the product has another GTIN",
    },
  ),
  inject(
    "other-product-in-batch",
    ["batch.lookup/known-products", "batch.lookup/every-batch"],
    onProducts(otherIdentifier, ["batch"]),
  ),
];

/** A product whose every GTIN, wherever it sits, is that of another. */
function otherDigits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(otherDigits);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, otherDigits(one)]));
  return typeof value === "string" && /^\d{8,14}$/.test(value)
    ? value.replace(/./g, (digit) => String(9 - Number(digit)))
    : value;
}
