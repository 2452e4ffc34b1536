import { type Json, onBody, onProducts, remembering } from "../changes/answer-changes.ts";
import { variantsOf } from "./variant.ts";

const identifiersOpen =
  "The Product also carries images and identifiers (for example a GTIN). Their exact field names and types, and the rest of the allow-list: not shown.";
const mayOmit = "Any field may be omitted when the retailer did not provide it.";
const notNormalized =
  "Field values are not yet fully normalized. Completeness and formatting (casing, units, category taxonomy) vary by retailer.";
const fresh = "last_updated | string | ISO 8601 UTC timestamp, freshness signal.";

const onTime = (change: (time: string) => string) =>
  onProducts((its) =>
    its.last_updated === undefined ? undefined : { ...its, last_updated: change(String(its.last_updated)) },
  );

export const productVariants = variantsOf("Product", [
  [
    "gtin-nested",
    "product.dialect",
    identifiersOpen,
    onProducts(({ gtin, mpn, ...its }) =>
      gtin === undefined ? its : { ...its, identifiers: { gtin, ...(mpn !== undefined && { mpn }) } },
    ),
  ],
  [
    "gtin-in-list",
    "product.dialect",
    identifiersOpen,
    onProducts(({ gtin, ...its }) =>
      gtin === undefined ? its : { ...its, identifiers: [{ type: "gtin", value: gtin }] },
    ),
  ],
  [
    "gtin-named-ean",
    "product.dialect",
    identifiersOpen,
    onProducts(({ gtin, ...its }) => (gtin === undefined ? its : { ...its, ean: gtin })),
  ],
  ["no-gtin", "product.dialect", mayOmit, onProducts(({ gtin: _gtin, ...its }) => its)],
  [
    "images-objects",
    "product.dialect",
    identifiersOpen,
    onProducts(({ images, ...its }) =>
      images === undefined
        ? its
        : { ...its, images: (images as string[]).map((url, rank) => ({ url, rank })) },
    ),
  ],
  [
    "extra-fields",
    "product.dialect",
    identifiersOpen,
    onProducts((its) => ({ ...its, ratings: { average: 4.5, count: 12 }, tags: ["new"], sponsored: false })),
  ],
  [
    "sparse-products",
    "product.any-field-missing",
    mayOmit,
    onProducts(({ retailer, product_id, title }) => ({
      ...(retailer !== undefined && { retailer }),
      ...(product_id !== undefined && { product_id }),
      ...(title !== undefined && { title }),
    })),
  ],
  [
    "identity-missing-at-one-retailer",
    "product.any-field-missing",
    mayOmit,
    onProducts(({ retailer, product_id, ...its }) =>
      retailer === "maison & fils" ? its : { retailer, product_id, ...its },
    ),
  ],
  [
    "no-product-url",
    "product.any-field-missing",
    mayOmit,
    onProducts(({ product_url: _url, ...its }) => its),
  ],
  ["offset-timestamps", "product.last-updated-utc", fresh, onTime((time) => time.replace(/Z$/, "+00:00"))],
  [
    "fraction-timestamps",
    "product.last-updated-format",
    fresh,
    onTime((time) => time.replace(/Z$/, ".120457Z")),
  ],
  [
    "odd-availability",
    "product.availability-values",
    "The allowed values of availability other than `in_stock`: not shown.",
    onProducts((its) =>
      its.availability === "out_of_stock" ? { ...its, availability: "Ships in 3–5 days" } : undefined,
    ),
  ],
  [
    "fine-prices",
    "product.price-type",
    "price | number | Decimal number.",
    onProducts((its) =>
      typeof its.price === "number"
        ? { ...its, price: its.price > 100 ? Math.round(its.price) : its.price / 3 }
        : undefined,
    ),
  ],
  [
    "untidy-values",
    "product.formatting",
    notNormalized,
    onProducts((its) => ({
      ...its,
      ...(its.title !== undefined && { title: `  ${String(its.title).toUpperCase()} ` }),
    })),
  ],
  [
    "fields-in-other-order",
    "product.order",
    notNormalized,
    onProducts((its) => Object.fromEntries(Object.entries(its).reverse())),
  ],
  [
    "prices-change-always",
    "product.living",
    "`last_updated` on a product is the freshness signal. No fixed refresh interval may be assumed.",
    remembering(() => {
      let answers = 0;
      return onProducts((its) => {
        answers++;
        const later = new Date(Date.UTC(2025, 10, 1) + answers * 1000).toISOString();
        return {
          ...its,
          ...(typeof its.price === "number" && {
            price: Math.round((its.price + answers / 100) * 100) / 100,
          }),
          ...(its.last_updated !== undefined && { last_updated: later }),
        };
      });
    }),
  ],
  [
    "domains-change-always",
    "retailer.living",
    "The set of retailers, and the domains of each, can change at any time, independent of client releases.",
    remembering(() => {
      let answers = 0;
      return onBody(["retailers"], (body) => {
        answers++;
        return {
          retailers: (body.retailers as Json[]).toReversed().map((its) => ({
            ...its,
            domains: [...(its.domains as string[]), `v${answers}.mirror.example`],
          })),
        };
      });
    }),
  ],
]);
