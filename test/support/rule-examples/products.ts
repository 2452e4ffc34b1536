import type { Caller } from "../../../conformance/client/target.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { errorOf, exchangeOf } from "../stub-exchange.ts";
import {
  type ExamplesByRule,
  goodProduct,
  isEmpty,
  isNull,
  lookup,
  page,
  wrongFormat,
  wrongType,
} from "./example.ts";

const changed = (change: object) => lookup({ ...goodProduct, ...change });
const notApplicable = [
  errorOf(404, "not_found"),
  page(),
  exchangeOf("retailers", { retailers: [] }),
  exchangeOf("batch", { products: [], errors: [] }, { requestBody: "[]" }),
] as const;
const inBatch = (product: object) => exchangeOf("batch", { products: [product] }, { requestBody: "[]" });

const lamp = { product: { retailer: "acme", productId: "A1" } };

const notGranted = (path: string, retailer: string, caller: Caller, productId?: string): Finding => ({
  code: "not-granted",
  path,
  actual: retailer,
  subject: caller,
  product: productId === undefined ? undefined : { retailer, productId },
});

const standIn = (path: string, actual: unknown): Finding => ({ code: "stand-in", path, actual, ...lamp });

export const productExamples: ExamplesByRule = {
  "service.omitted-fields/every-product": {
    passes: [lookup(goodProduct), lookup({}), changed({ price: 0, sale: false, images: [], more: {} })],
    fails: [
      [changed({ title: null }), isNull("/title", lamp)],
      [changed({ brand: "" }), isEmpty("/brand", lamp)],
      [changed({ images: ["a", ""] }), isEmpty("/images/1", lamp)],
      [changed({ identifiers: [{ type: "EAN", value: null }] }), isNull("/identifiers/0/value", lamp)],
      [
        page(goodProduct, { ...goodProduct, a: { b: null }, c: "" }),
        isNull("/products/1/a/b", lamp),
        isEmpty("/products/1/c", lamp),
      ],
      [inBatch({ ...goodProduct, title: "" }), isEmpty("/products/0/title", lamp)],
      [changed({ last_updated: "0001-01-01T00:00:00Z" }), standIn("/last_updated", "0001-01-01T00:00:00Z")],
      [
        changed({ stock: { since: "00010101T000000.000Z" } }),
        standIn("/stock/since", "00010101T000000.000Z"),
      ],
      [changed({ price: -2 }), standIn("/price", -2)],
    ],
    notApplicable,
  },
  "service.stand-ins/every-product": {
    passes: [
      lookup(goodProduct),
      changed({ title: "Null and void", price: 0, brand: "none", last_updated: "1970-01-01T00:00:01Z" }),
      // Identifiers may be anything.
      changed({ product_id: "null" }),
      changed({ title: "" }),
    ],
    fails: [
      [changed({ title: "null" }), standIn("/title", "null")],
      [changed({ color: " \t" }), standIn("/color", " \t")],
      [changed({ identifiers: [{ value: "N/A" }] }), standIn("/identifiers/0/value", "N/A")],
      [changed({ price: -1 }), standIn("/price", -1)],
      [changed({ images: [] }), standIn("/images", [])],
      [changed({ identifiers: {} }), standIn("/identifiers", {})],
      [
        changed({ last_updated: "1970-01-01T00:00:00.000Z" }),
        standIn("/last_updated", "1970-01-01T00:00:00.000Z"),
      ],
    ],
    notApplicable,
  },
  "product.freshness/every-product": {
    passes: [
      lookup(goodProduct),
      lookup({}),
      changed({ last_updated: new Date(Date.now() + 60_000).toISOString() }),
      // Other forms are judged by product.last-updated.
      changed({ last_updated: "2999" }),
    ],
    fails: [
      [
        changed({ last_updated: "2999-01-01T00:00:00Z" }),
        wrongFormat("/last_updated", "past-time", "2999-01-01T00:00:00Z", lamp),
      ],
    ],
    notApplicable,
  },
  "product.field-types/every-product": {
    // Null is judged by another rule; fields that the spec does not name may have any type.
    passes: [lookup(goodProduct), lookup({}), changed({ price: null, gtin: 1 }), changed({ price: 10 })],
    fails: [
      [changed({ price: "12.50" }), wrongType("/price", "number", "12.50", lamp)],
      [
        changed({ product_id: 7, title: ["Lamp"] }),
        wrongType("/product_id", "string", 7),
        wrongType("/title", "string", ["Lamp"]),
      ],
      [
        page(goodProduct, { ...goodProduct, currency: 978 }),
        wrongType("/products/1/currency", "string", 978, lamp),
      ],
    ],
    notApplicable,
  },
  "product.same-shape/every-product": {
    passes: [lookup(goodProduct), lookup({}), changed({ seller: goodProduct }), page(goodProduct)],
    fails: [
      [lookup({ product: goodProduct }), { code: "wrapped-product", path: "/product" }],
      [page(goodProduct, { data: goodProduct }), { code: "wrapped-product", path: "/products/1/data" }],
    ],
    // In a batch result a wrapper is allowed; a body that is not JSON is judged by service.json.
    notApplicable: [
      ...notApplicable,
      inBatch({ product: goodProduct }),
      lookup(undefined, { text: "<html>" }),
    ],
  },
  "product.currency/every-product": {
    passes: [
      lookup(goodProduct),
      lookup({}),
      changed({ currency: "usd" }),
      changed({ currency: "978" }),
      changed({ currency: null }),
      changed({ currency: "" }),
    ],
    fails: [
      [changed({ currency: "€" }), wrongFormat("/currency", "currency-code", "€", lamp)],
      [changed({ currency: "US Dollar" }), wrongFormat("/currency", "currency-code", "US Dollar", lamp)],
      ...["€EUR", "EUR 1", "E", "1978", "9781", "97"].map(
        (currency) =>
          [changed({ currency }), wrongFormat("/currency", "currency-code", currency, lamp)] as const,
      ),
      [page(goodProduct, { currency: "$" }), wrongFormat("/products/1/currency", "currency-code", "$")],
    ],
    notApplicable,
  },
  "product.product-url/every-product": {
    passes: [
      lookup(goodProduct),
      lookup({}),
      changed({ product_url: "//acme.example/p/1" }),
      changed({ product_url: "acme.example/p/1" }),
      changed({ product_url: "shop.acme.example" }),
      // With a port, a host name that begins with a letter would be the scheme of a URL.
      changed({ product_url: "7.acme.example:8080" }),
      changed({ product_url: "https://münchen.example/ü?a=b#c" }),
    ],
    fails: [
      [changed({ product_url: "/p/A1" }), wrongFormat("/product_url", "url", "/p/A1", lamp)],
      [changed({ product_url: "A1" }), wrongFormat("/product_url", "url", "A1", lamp)],
      ...[
        "see our shop",
        "see our.shop",
        "our.shop for lamps",
        "//",
        "p/acme.example",
        "7.acme.example:port",
      ].map((url) => [changed({ product_url: url }), wrongFormat("/product_url", "url", url, lamp)] as const),
    ],
    notApplicable,
  },
  "product.last-updated/every-product": {
    passes: [lookup(goodProduct), lookup({}), changed({ last_updated: "2026-11-21T08:34Z" })],
    fails: [
      [
        changed({ last_updated: "2026-11-21T08:34:22+01:00" }),
        wrongFormat("/last_updated", "utc-timestamp", "2026-11-21T08:34:22+01:00", lamp),
      ],
      [
        changed({ last_updated: "yesterday" }),
        wrongFormat("/last_updated", "utc-timestamp", "yesterday", lamp),
      ],
    ],
    notApplicable,
  },
  "product.retailer/every-product": {
    passes: [
      lookup(goodProduct),
      lookup({}),
      // A text that is the slug of one retailer and the name of another is accepted as a slug.
      changed({ retailer: "bolt" }),
      changed({ retailer: "delta" }),
      // An unknown slug is judged by authentication.entitlement.
      changed({ retailer: "nobody-knows" }),
    ],
    fails: [
      [
        changed({ retailer: "ACME" }),
        {
          code: "told-otherwise",
          subject: "retailer-list",
          path: "/retailer",
          expected: ["acme"],
          actual: "ACME",
          product: { retailer: "ACME", productId: "A1" },
        },
      ],
      [
        changed({ retailer: "Acme Inc" }),
        {
          code: "name-for-slug",
          path: "/retailer",
          actual: "Acme Inc",
          product: { retailer: "Acme Inc", productId: "A1" },
        },
      ],
      [
        page(goodProduct, { retailer: "Zeta" }),
        { code: "name-for-slug", path: "/products/1/retailer", actual: "Zeta" },
      ],
      [
        lookup({ retailer: "Acme Inc" }, { caller: "nobody" }),
        { code: "name-for-slug", path: "/retailer", actual: "Acme Inc" },
      ],
    ],
    notApplicable,
  },
  "authentication.entitlement/every-product": {
    passes: [
      lookup(goodProduct),
      lookup({}),
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "otherOrg" }),
      // Both keys of an organization have the same access.
      lookup(goodProduct, { caller: "sameOrg" }),
      // Without a key there is no list.
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "nobody" }),
      changed({ retailer: "Acme Inc" }),
    ],
    fails: [
      [changed({ retailer: "zeta" }), notGranted("/retailer", "zeta", "primary", "A1")],
      [
        lookup({ ...goodProduct, retailer: "bolt" }, { caller: "otherOrg" }),
        notGranted("/retailer", "bolt", "otherOrg", "A1"),
      ],
      [page(goodProduct, { retailer: "zeta" }), notGranted("/products/1/retailer", "zeta", "primary")],
      [
        inBatch({ ...goodProduct, retailer: "zeta" }),
        notGranted("/products/0/retailer", "zeta", "primary", "A1"),
      ],
    ],
    notApplicable,
  },
};
