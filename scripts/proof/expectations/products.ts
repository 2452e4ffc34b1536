import { caught, type Expectation } from "../expectation.ts";

const omitted = "service.omitted-fields/every-product";
const types = "product.field-types/every-product";
const everyShape = [
  "product.same-shape/by-url",
  "product.same-shape/by-gtin",
  "product.same-shape/by-category",
  "product.same-shape/by-batch",
  "product.same-shape/every-product",
];

/** Faults in the fields of products, on any way. */
export const productExpectations: readonly Expectation[] = [
  ...caught(omitted, [
    "null-field",
    "null-field-by-identifier",
    "null-field-by-url",
    "null-field-by-gtin",
    "null-field-in-category",
    "null-field-in-batch",
    "null-field-on-second-page",
    "null-field-with-x-api-key",
    "null-field-of-one-retailer",
    "null-field-every-tenth",
    "null-field-after-429",
    "null-in-list",
    "empty-string-in-list",
    "null-in-object",
  ]),
  ...caught(omitted, ["empty-string-field"], {
    "product.field-types": "a price that is an empty text is no number either",
  }),
  ...caught("product.same-shape/by-gtin", ["internal-field-by-gtin"]),
  ...caught("product.same-shape/by-batch", ["internal-field-in-batch", "price-nested-in-batch"]),
  ...caught("product.same-shape/by-url", ["title-renamed-by-url"]),
  ...caught("product.same-shape/by-category", ["title-missing-in-category"]),
  ...caught(everyShape, ["product-in-envelope", "product-in-list"], {
    "by-id.product": "what is wrapped is no product",
  }),
  ...caught(types, [
    "retailer-object",
    "retailer-name-list",
    "product-id-number",
    "title-object",
    "price-string",
    "price-string-in-batch",
    "currency-object",
    "availability-boolean",
    "product-url-list",
    "last-updated-epoch",
  ]),
  ...caught("product.retailer/every-product", ["retailer-shows-name"], {
    "by-id.product": "the retailer that was asked for is not the one that is shown",
  }),
  ...caught("by-id.product/every-retailer", ["product-id-lower-case"], {
    "batch.lookup": "a batch changes the identifier in the same way",
  }),
  ...caught("product.product-url/every-product", ["product-url-relative"], {
    "query.url": "what is no URL cannot be asked for as one",
  }),
  ...caught("product.last-updated/every-product", [
    "last-updated-http-date",
    "last-updated-local-offset",
    "last-updated-impossible",
  ]),
];
