import { exchangeOf } from "../stub-exchange.ts";
import { changed, type ExamplesByRule, goodProduct, lookup, page } from "./example.ts";

/** The product with each of these values in one field. */
const each = (field: string, ...values: readonly unknown[]) =>
  values.map((value) => changed({ [field]: value }));
const inBatch = (product: object) => exchangeOf("batch", { products: [product] }, { requestBody: "[]" });

export const productExamples: ExamplesByRule = {
  "service.omitted-fields/every-product": {
    passes: [changed({ price: 0, sale: false, images: [], more: {} })],
    fails: [
      changed({ title: null }),
      changed({ brand: "" }),
      changed({ images: ["a", ""] }),
      changed({ identifiers: [{ type: "EAN", value: null }] }),
      page(goodProduct, { ...goodProduct, a: { b: null }, c: "" }),
      inBatch({ ...goodProduct, title: "" }),
      changed({ last_updated: "0001-01-01T00:00:00Z" }),
      changed({ stock: { since: "00010101T000000.000Z" } }),
      changed({ price: -2 }),
    ],
  },
  "service.stand-ins/every-product": {
    passes: [
      changed({ title: "Null and void", price: 0, brand: "none", last_updated: "1970-01-01T00:00:01Z" }),
      // Identifiers may be anything.
      changed({ product_id: "null" }),
      changed({ title: "" }),
    ],
    fails: [
      changed({ title: "null" }),
      changed({ color: " \t" }),
      changed({ identifiers: [{ value: "N/A" }] }),
      changed({ price: -1 }),
      changed({ images: [] }),
      changed({ identifiers: {} }),
      changed({ last_updated: "1970-01-01T00:00:00.000Z" }),
    ],
  },
  "product.freshness/every-product": {
    passes: [
      changed({ last_updated: new Date(Date.now() + 60_000).toISOString() }),
      // Other forms are judged by product.last-updated.
      changed({ last_updated: "2999" }),
    ],
    fails: [changed({ last_updated: "2999-01-01T00:00:00Z" })],
  },
  "product.field-types/every-product": {
    // Null is judged by another rule; fields that the spec does not name may have any type.
    passes: [changed({ price: null, gtin: 1 }), changed({ price: 10 })],
    fails: [
      changed({ price: "12.50" }),
      changed({ product_id: 7, title: ["Lamp"] }),
      page(goodProduct, { ...goodProduct, currency: 978 }),
    ],
  },
  "product.same-shape/every-product": {
    passes: [changed({ seller: goodProduct })],
    fails: [lookup({ product: goodProduct }), page(goodProduct, { data: goodProduct })],
    // In a batch result a wrapper is allowed; a body that is not JSON is judged by service.json.
    notApplicable: [inBatch({ product: goodProduct }), lookup(undefined, { text: "<html>" })],
  },
  "product.currency/every-product": {
    passes: each("currency", "usd", "978", null, ""),
    fails: [
      ...each("currency", "€", "US Dollar", "€EUR", "EUR 1", "E", "1978", "9781", "97"),
      page(goodProduct, { currency: "$" }),
    ],
  },
  "product.product-url/every-product": {
    passes: [
      ...each("product_url", "//acme.example/p/1", "acme.example/p/1", "shop.acme.example"),
      // With a port, a host name that begins with a letter would be the scheme of a URL.
      changed({ product_url: "7.acme.example:8080" }),
      changed({ product_url: "https://münchen.example/ü?a=b#c" }),
    ],
    fails: [
      ...each("product_url", "/p/A1", "A1", "see our shop", "see our.shop", "our.shop for lamps", "//"),
      ...each("product_url", "p/acme.example", "7.acme.example:port"),
    ],
  },
  "product.last-updated/every-product": {
    passes: [changed({ last_updated: "2026-11-21T08:34Z" })],
    fails: each("last_updated", "2026-11-21T08:34:22+01:00", "yesterday"),
  },
  "product.retailer/every-product": {
    passes: [
      // A text that is the slug of one retailer and the name of another is accepted as a slug.
      changed({ retailer: "bolt" }),
      changed({ retailer: "delta" }),
      // An unknown slug is judged by authentication.entitlement.
      changed({ retailer: "nobody-knows" }),
    ],
    fails: [
      changed({ retailer: "ACME" }),
      changed({ retailer: "Acme Inc" }),
      page(goodProduct, { retailer: "Zeta" }),
      lookup({ retailer: "Acme Inc" }, { caller: "nobody" }),
    ],
  },
  "authentication.entitlement/every-product": {
    passes: [
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "otherOrg" }),
      // Both keys of an organization have the same access.
      lookup(goodProduct, { caller: "sameOrg" }),
      // Without a key there is no list.
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "nobody" }),
      changed({ retailer: "Acme Inc" }),
    ],
    fails: [
      changed({ retailer: "zeta" }),
      lookup({ ...goodProduct, retailer: "bolt" }, { caller: "otherOrg" }),
      page(goodProduct, { retailer: "zeta" }),
      inBatch({ ...goodProduct, retailer: "zeta" }),
    ],
  },
};
