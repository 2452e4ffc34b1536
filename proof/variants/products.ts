import type { WireChange } from "../../service/wire.ts";
import { everySo, inTurn, reading, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { allowedBy, type VariantTable } from "../changes/entry.ts";
import { type Json, listOf, without } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

/** A change of the prices and times of products, later with each product. */
const ageing: WireChange = (send, keys) => {
  let count = 0;
  const later = on.products(({ price, last_updated, ...product }) => {
    count++;
    return {
      ...product,
      ...(price !== undefined && { price: Math.round(Number(price) * 100 + count) / 100 }),
      ...(last_updated !== undefined && {
        last_updated: new Date(Date.UTC(2025, 10, 1) + count * 1000).toISOString(),
      }),
    };
  });
  return later(send, keys);
};

const older = ({ price, last_updated, ...product }: Json): Json => ({
  ...product,
  ...(price !== undefined && { price: Math.round(Number(price) * 90) / 100 }),
  ...(last_updated !== undefined && { last_updated: "2025-01-01T00:00:00Z" }),
});

const everyThird = (change: (product: Json) => Json): WireChange =>
  on.products((product) => (String(product.product_id).length % 3 === 0 ? change(product) : undefined));

/** The product with another field instead, if it has the field. */
const instead = (field: string, other: (value: unknown, product: Json) => Json): WireChange =>
  on.products((product) =>
    product[field] === undefined
      ? undefined
      : { ...without(field, product), ...other(product[field], product) },
  );

/** Responses pad every GTIN to fourteen digits; lookups accept it with and without the zeros. */
const paddedGtins: WireChange = (send, keys) => {
  const short = new Map<string, string>();
  const padding = on.field("gtin", (gtin) => {
    const padded = gtin.padStart(14, "0");
    short.set(padded, gtin);
    return padded;
  });
  return inTurn(on.request(reading("gtin", (gtin) => short.get(gtin) ?? gtin, is.byGtin)), padding)(
    send,
    keys,
  );
};

/** A lookup in some way has no product to ask for. */
const withoutFixture = { mayHinder: ["nothing-found-by", "no-product-with"] } as const;

/** Products with other fields, field names, formats and values. */
export const productVariants: readonly VariantTable[] = [
  {
    "texts-like-stand-ins": {
      does: "Some texts begin like stand-ins for missing values, such as Null modem cable.",
      wire: everyThird((product) => ({
        ...product,
        title: "Null modem cable, none of the above",
        brand: "Nil & None",
        color: "nullarbor",
      })),
      allowedBy: [
        "Product",
        "Completeness and formatting (casing, units, category taxonomy) vary by retailer.",
      ],
    },
    "urls-of-a-partner": {
      does: "For the other organization, `product_url` ends with a parameter of its own.",
      wire: where(
        is.of("otherOrg"),
        on.field("product_url", (url) => `${url}${url.includes("?") ? "&" : "?"}utm_source=other`),
      ),
      allowedBy: ["Product", "URL of the product page."],
    },
    "hosts-in-capitals": {
      does: "The host of `product_url` is in capitals.",
      wire: on.field("product_url", (url) => url.replace(/^https?:\/\/[^/]+/, (all) => all.toUpperCase())),
      allowedBy: ["Product", "URL of the product page."],
    },
  },
  allowedBy(["Product", "ISO 8601 UTC timestamp, freshness signal."], {
    "times-without-seconds": [
      "`last_updated` has no seconds.",
      on.field("last_updated", (time) => time.replace(/:\d\d(\.\d+)?Z$/, "Z")),
    ],
    "times-in-basic-form": [
      "`last_updated` has no dashes and colons.",
      on.field("last_updated", (time) => time.replace(/(\.\d+)?Z$/, "Z").replaceAll(/[-:]/g, "")),
    ],
    "updated-a-moment-ahead": [
      "`last_updated` of some products is a minute in the future.",
      everyThird((product) => ({ ...product, last_updated: new Date(Date.now() + 60_000).toISOString() })),
    ],
    "offset-timestamps": [
      "`last_updated` ends with +00:00 instead of Z.",
      on.field("last_updated", (time) => time.replace(/Z$/, "+00:00")),
    ],
    "fraction-timestamps": [
      "`last_updated` has microseconds.",
      on.field("last_updated", (time) => time.replace(/Z$/, ".120457Z")),
    ],
  }),
  allowedBy(
    [
      "Product",
      "`last_updated` on a product is the freshness signal. No fixed refresh interval may be assumed.",
    ],
    {
      "replica-behind": [
        "Two replicas respond by turns, one with older prices.",
        everySo(2, on.products(older), (request) => request.path.includes("/products")),
      ],
      "prices-change-always": ["Prices are different each time.", ageing],
    },
  ),
  allowedBy(["Product", "price | number | Decimal number."], {
    "fine-prices": [
      "Prices have many decimals, or none.",
      on.field("price", (price) => (Number(price) > 100 ? Math.round(Number(price)) : Number(price) / 3)),
    ],
    "prices-of-nothing": ["Some products cost 0.", everyThird((product) => ({ ...product, price: 0 }))],
  }),
  allowedBy(
    [
      "Product",
      "The Product also carries images and identifiers (for example a GTIN). Their exact field names and types, and the rest of the allow-list: not shown.",
    ],
    {
      "gtin-nested": [
        "The GTIN is inside `identifiers`.",
        instead("gtin", (gtin) => ({ identifiers: { gtin } })),
      ],
      "gtin-named-ean": ["The GTIN is named `ean`.", instead("gtin", (ean) => ({ ean }))],
      "gtin-padded-to-fourteen": ["Products show their GTIN with 14 digits.", paddedGtins],
      "images-objects": [
        "Images are objects.",
        instead("images", (images) => ({
          images: listOf(images).map((url, rank) => ({ url, rank })),
        })),
      ],
      "extra-fields": [
        "Products have more fields.",
        on.products((product) => ({
          ...product,
          ratings: { average: 4.5, count: 12 },
          tags: ["new"],
          sponsored: false,
        })),
      ],
    },
  ),
  allowedBy(["Product", "Any field may be omitted when the retailer did not provide it."], {
    "no-gtin": ["Products have no GTIN.", on.products((product) => without("gtin", product)), withoutFixture],
    "no-product-url": [
      "Products have no `product_url`.",
      on.products((product) => without("product_url", product)),
      withoutFixture,
    ],
    "sparse-products": [
      "Products have only retailer, id and title.",
      on.products((product) => {
        const kept = Object.entries(product).filter(([name]) =>
          ["retailer", "product_id", "title"].includes(name),
        );
        return Object.fromEntries(kept);
      }),
      withoutFixture,
    ],
    "identity-missing-at-one-retailer": [
      "Products of one retailer have neither retailer nor id.",
      on.products(({ retailer, product_id, ...product }) =>
        retailer === "maison & fils" ? product : { retailer, product_id, ...product },
      ),
    ],
  }),
];
