import {
  hasBothKeys,
  isFor,
  type Json,
  listOf,
  objectOf,
  onBody,
  onProducts,
  onResponse,
  remembering,
  withJson,
  without,
} from "../changes/change.ts";
import type { VariantTable } from "../changes/entry.ts";

const identifiersOpen = [
  "Product",
  "The Product also carries images and identifiers (for example a GTIN). Their exact field names and types, and the rest of the allow-list: not shown.",
] as const;
const mayOmit = ["Product", "Any field may be omitted when the retailer did not provide it."] as const;
const timestamp = ["Product", "last_updated | string | ISO 8601 UTC timestamp, freshness signal."] as const;

const onTime = (change: (time: string) => string) =>
  onProducts((product) =>
    product.last_updated === undefined
      ? undefined
      : { ...product, last_updated: change(String(product.last_updated)) },
  );

/** Checks that need the URL of a product. */
const needUrl = [
  "query.url/changed-page",
  "query.url-not-found/changed-site",
  "query.url/known-page",
  "authentication.entitlement/by-url",
  "authentication.equivalent/by-url",
  "service.any-client/by-url",
  "service.open-spellings/by-url",
  "authentication.invalid-key/by-url",
  "authentication.required/by-url",
  "product.same-shape/by-url",
  "product.same-values/by-url",
  "query.category-alone/category-and-url",
  "query.exclusive-identifiers/gtin-and-url",
  "query.invalid-parameter/empty-url",
  "query.invalid-parameter/no-parameter",
  "query.url-not-found/unknown-page",
  "query.url-not-found/unknown-site",
  "service.four-ways/same-product",
  "service.organization-scope/by-url",
] as const;

/** Checks that need the GTIN of a product. */
const needGtin = [
  "query.gtin/known",
  "query.gtin/every-response",
  "query.gtin-not-found/changed-gtin",
  "authentication.entitlement/by-gtin",
  "authentication.equivalent/by-gtin",
  "service.any-client/by-gtin",
  "service.open-spellings/by-gtin",
  "authentication.invalid-key/by-gtin",
  "authentication.required/by-gtin",
  "errors.unentitled-retailer/by-gtin",
  "errors.unknown-retailer/by-gtin",
  "product.same-shape/by-gtin",
  "product.same-values/by-gtin",
  "query.category-alone/category-and-gtin",
  "query.exclusive-identifiers/gtin-and-url",
  "query.gtin-match/own-retailer",
  "query.gtin-mismatch/other-retailer",
  "query.gtin-not-found/unknown",
  "query.invalid-parameter/empty-gtin",
  "query.invalid-parameter/gtin-letters",
  "query.invalid-parameter/retailer-alone",
  "service.four-ways/same-product",
  "service.organization-scope/by-gtin",
] as const;

/** Products with other fields, field names and formats. */
export const productVariants = {
  "gtin-nested": {
    does: "The GTIN is inside `identifiers`.",
    wire: onProducts(({ gtin, mpn, ...product }) =>
      gtin === undefined ? product : { ...product, identifiers: { gtin, ...(mpn !== undefined && { mpn }) } },
    ),
    allowedBy: identifiersOpen,
  },
  "gtin-named-ean": {
    does: "The GTIN is named `ean`.",
    wire: onProducts(({ gtin, ...product }) => (gtin === undefined ? product : { ...product, ean: gtin })),
    allowedBy: identifiersOpen,
  },
  "no-gtin": {
    does: "Products have no GTIN.",
    wire: onProducts((product) => without("gtin", product)),
    allowedBy: mayOmit,
    mayStayNotJudged: needGtin,
  },
  "images-objects": {
    does: "Images are objects.",
    wire: onProducts(({ images, ...product }) =>
      images === undefined
        ? product
        : { ...product, images: listOf(images).map((url, rank) => ({ url, rank })) },
    ),
    allowedBy: identifiersOpen,
  },
  "extra-fields": {
    does: "Products have more fields.",
    wire: onProducts((product) => ({
      ...product,
      ratings: { average: 4.5, count: 12 },
      tags: ["new"],
      sponsored: false,
    })),
    allowedBy: identifiersOpen,
  },
  "sparse-products": {
    does: "Products have only retailer, id and title.",
    wire: onProducts(({ retailer, product_id, title }) => ({
      ...(retailer !== undefined && { retailer }),
      ...(product_id !== undefined && { product_id }),
      ...(title !== undefined && { title }),
    })),
    allowedBy: mayOmit,
    mayStayNotJudged: [...needUrl, ...needGtin],
  },
  "identity-missing-at-one-retailer": {
    does: "Products of one retailer have neither retailer nor id.",
    wire: onProducts(({ retailer, product_id, ...product }) =>
      retailer === "maison & fils" ? product : { retailer, product_id, ...product },
    ),
    allowedBy: mayOmit,
  },
  "no-product-url": {
    does: "Products have no `product_url`.",
    wire: onProducts((product) => without("product_url", product)),
    allowedBy: mayOmit,
    mayStayNotJudged: needUrl,
  },
  "offset-timestamps": {
    does: "`last_updated` ends with +00:00 instead of Z.",
    wire: onTime((time) => time.replace(/Z$/, "+00:00")),
    allowedBy: timestamp,
  },
  "fraction-timestamps": {
    does: "`last_updated` has microseconds.",
    wire: onTime((time) => time.replace(/Z$/, ".120457Z")),
    allowedBy: timestamp,
  },
  "fine-prices": {
    does: "Prices have many decimals, or none.",
    wire: onProducts(({ price, ...product }) =>
      typeof price === "number"
        ? { ...product, price: price > 100 ? Math.round(price) : price / 3 }
        : undefined,
    ),
    allowedBy: ["Product", "price | number | Decimal number."],
  },
  "replica-behind": {
    does: "Two replicas respond by turns, one with older prices.",
    wire: remembering(() => {
      const requests = new Set<unknown>();
      return onProducts((product, request) => {
        requests.add(request);
        const { price, last_updated } = product;
        if (requests.size % 2 === 0) return undefined;
        return {
          ...product,
          ...(typeof price === "number" && { price: Math.round(price * 90) / 100 }),
          ...(last_updated !== undefined && { last_updated: "2025-01-01T00:00:00Z" }),
        };
      });
    }),
    allowedBy: [
      "What the service does",
      "`last_updated` on a product is the freshness signal. No fixed refresh interval may be assumed.",
    ],
  },
  "prices-change-always": {
    does: "Prices are different each time.",
    wire: remembering(() => {
      let count = 0;
      return onProducts((product) => {
        count++;
        const later = new Date(Date.UTC(2025, 10, 1) + count * 1000).toISOString();
        const { price, last_updated } = product;
        return {
          ...product,
          ...(typeof price === "number" && { price: Math.round((price + count / 100) * 100) / 100 }),
          ...(last_updated !== undefined && { last_updated: later }),
        };
      });
    }),
    allowedBy: [
      "Product",
      "`last_updated` on a product is the freshness signal. No fixed refresh interval may be assumed.",
    ],
  },
  "domains-change-always": {
    does: "Each list of retailers has one more domain, in another order.",
    wire: remembering(() => {
      let count = 0;
      return onBody("retailers", (body) => {
        count++;
        const entries = listOf(body.retailers).toReversed() as Json[];
        const mirror = `v${count}.mirror.example`;
        return {
          retailers: entries.map((entry) => ({ ...entry, domains: [...listOf(entry.domains), mirror] })),
        };
      });
    }),
    allowedBy: [
      "Retailer",
      "The set of retailers, and the domains of each, can change at any time, independent of client releases.",
    ],
  },
  "retailer-granted": {
    does: "From the first request with a key in both headers on, each list of retailers has one more, without products.",
    wire: remembering(() => {
      let isGranted = false;
      return onResponse((response, request) => {
        isGranted ||= hasBothKeys(request);
        const body = isGranted && isFor("retailers")(request) ? objectOf(response) : undefined;
        return body === undefined || response.status !== 200
          ? undefined
          : withJson(response, {
              retailers: [...listOf(body.retailers), { slug: "granted-today", name: "Granted", domains: [] }],
            });
      });
    }),
    allowedBy: [
      "Retailer",
      "A retailer can be added, temporarily disabled, or the organization's access can change.",
    ],
  },
} satisfies VariantTable;
