import type { Caller } from "../../../conformance/client/target.ts";
import { exchangeOf } from "../stub-exchange.ts";
import { changed, examplesOf, goodProduct, lookup, page } from "./example.ts";

// Each change is one to the good product.

const inBatch = (product: object) => exchangeOf("batch", { products: [product] }, { requestBody: "[]" });
const lookupOf = (path: string, product: unknown, caller: Caller = "primary") =>
  lookup(product, { url: `https://stub.example/v1/products/${path}`, caller });
const byGtin = (gtin: string, body: unknown) =>
  exchangeOf("lookup-by-gtin", body, { url: `https://stub.example/v1/products?gtin=${gtin}` });
const byUrlAndGtin = { ...byGtin("96385074&url=x", goodProduct), endpoint: "lookup-by-url" } as const;
const future = "2999-01-01T00:00:00Z";
const odd = { retailer: "a/b ü", product_id: "100%?#" };
const ofNames = { ...goodProduct, retailer: "Acme Inc" };
const each = (field: string, ...values: readonly unknown[]) => values.map((value) => ({ [field]: value }));

export const productExamples = examplesOf(changed, {
  "service.omitted-fields/every-product": {
    passes: [{ price: 0, sale: false, images: [], more: {} }],
    fails: [
      ...[{ title: null }, { brand: "" }, { images: ["a", ""] }, { price: -2 }],
      ...[{ identifiers: [{ type: "EAN", value: null }] }, { last_updated: "0001-01-01T00:00:00Z" }],
      { stock: { since: "00010101T000000.000Z" } },
      page(goodProduct, { ...goodProduct, a: { b: null }, c: "" }),
      inBatch({ ...goodProduct, title: "" }),
    ],
  },
  "service.stand-ins/every-product": {
    passes: [
      { title: "Null and void", price: 0, brand: "none", last_updated: "1970-01-01T00:00:01Z" },
      // Identifiers may be anything; an empty text is judged by service.omitted-fields.
      ...[{ product_id: "null" }, { title: "" }],
    ],
    fails: [
      ...[{ title: "null" }, { color: " \t" }, { identifiers: [{ value: "N/A" }] }, { price: -1 }],
      ...[{ images: [] }, { identifiers: {} }, { last_updated: "1970-01-01T00:00:00.000Z" }],
    ],
  },
  "product.freshness/every-product": {
    // Other forms are judged by product.last-updated.
    passes: [
      ...each("last_updated", new Date(Date.now() + 60_000).toISOString(), "2999"),
      lookup({ last_updated: "2999-01-01T00:15:00Z" }, { headers: { date: future } }),
    ],
    fails: [{ last_updated: future }],
  },
  "product.field-types/every-product": {
    // Null is judged by another rule; fields that the spec does not name may have any type.
    passes: [{ price: null, gtin: 1 }, { price: 10 }],
    fails: [
      { price: "12.50", last_updated: 1 },
      { product_id: 7, title: ["Lamp"], availability: true },
      page(goodProduct, { ...goodProduct, currency: 978 }),
    ],
  },
  "product.same-shape/every-product": {
    passes: [{ seller: goodProduct }],
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
    // With a port, a host name that begins with a letter would be the scheme of a URL.
    passes: each(
      "product_url",
      ...["//acme.example/p/1", "acme.example/p/1", "shop.acme.example", "7.acme.example:8080"],
      "https://münchen.example/ü?a=b#c",
    ),
    fails: each(
      "product_url",
      ...["/p/A1", "A1", "see our shop", "see our.shop", "our.shop for lamps", "//"],
      ...["p/acme.example", "7.acme.example:port"],
    ),
  },
  "product.last-updated/every-product": {
    passes: [{ last_updated: "2026-11-21T08:34Z" }],
    fails: each("last_updated", "2026-11-21T08:34:22+01:00", "yesterday"),
  },
  "product.retailer/every-product": {
    // A text that is the slug of one retailer and the name of another is accepted as a slug. An unknown slug is judged by
    // authentication.entitlement.
    passes: each("retailer", "bolt", "delta", "nobody-knows"),
    fails: [
      ...each("retailer", "ACME", "Acme Inc"),
      page(goodProduct, { retailer: "Zeta" }),
      lookup({ retailer: "Acme Inc" }, { caller: "nobody" }),
    ],
  },
  "product.retailer-name/of-another": {
    passes: [
      ...each("retailer_name", "Acme", "Lamps", 7),
      { retailer: "bolt", retailer_name: "Bolt Tools" },
      { retailer: "Cora", retailer_name: "Delta Ltd" },
      // A slug that is not listed is judged by product.retailer.
      { retailer: "ACME", retailer_name: "Zeta" },
      { retailer: "zeta", retailer_name: "Zeta" },
    ],
    fails: each("retailer_name", " Bolt", "Zeta"),
  },
  "product.listed-name/as-listed": {
    passes: [
      // Case and blanks of values are not normalized.
      ...each("retailer_name", " ACME  inc", 7),
      { retailer: "nobody", retailer_name: "No Body" },
      { retailer: "zeta", retailer_name: "Zed" },
      lookup({ retailer: "acme" }),
    ],
    fails: [{ retailer_name: "Acme" }, page(goodProduct, { ...goodProduct, retailer_name: "Zeta" })],
  },
  "retailer.detection/every-product": {
    passes: [
      ...each("product_url", "https://WWW.acme.example:8443/p/A1", "//de.acmewww.example/p/A1"),
      // A relative URL is judged by product.product-url.
      ...each("product_url", "acme.example//p/A1", "no url at all", "/p/A1"),
      // A retailer without domains is not judged.
      { retailer: "bolt", product_url: "https://bolt.example/p/A1" },
      { retailer: "Cora", product_url: "https://cora.example/p/A1" },
      { retailer: "zeta", product_url: "https://zed.example/p/A1" },
    ],
    fails: each("product_url", "https://notacme.example", "//acme.example.evil/p", "a.example?u=http://x"),
  },
  "authentication.entitlement/every-product": {
    passes: [
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "otherOrg" }),
      // Both keys of an organization have the same access.
      lookup(goodProduct, { caller: "sameOrg" }),
      // Without a key there is no list.
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "nobody" }),
      { retailer: "Acme Inc" },
    ],
    fails: [
      { retailer: "zeta" },
      lookup({ ...goodProduct, retailer: "bolt" }, { caller: "otherOrg" }),
      page(goodProduct, { retailer: "zeta" }),
      inBatch({ ...goodProduct, retailer: "zeta" }),
    ],
  },
  "by-id.product/every-response": {
    passes: [
      // A service may ignore the case of ids.
      ...["acme/A1", "acme/A1?a=b/c#d", "acme/a1"].map((path) => lookupOf(path, goodProduct)),
      lookupOf(`${encodeURIComponent(odd.retailer)}/${encodeURIComponent(odd.product_id)}`, odd),
      // Missing fields are not compared; null and empty ones are judged by other rules.
      ...[{ title: "Lamp" }, { retailer: null, product_id: "" }].map((one) => lookupOf("acme/A1", one)),
      // A display name in place of the slug is judged by product.retailer.
      lookupOf("acme/A1", ofNames),
      lookupOf("acme/A1", ofNames, "nobody"),
    ],
    fails: [
      ...["acme/A2", "bolt/A1", "bolt/a2"].map((path) => lookupOf(path, goodProduct)),
      lookupOf("acme/7", { product_id: 7 }),
      // A slug that is also the name of another retailer is a slug.
      lookupOf("acme/A1", { ...goodProduct, retailer: "delta" }),
    ],
    notApplicable: [byGtin("1", goodProduct)],
  },
  "query.gtin/every-response": {
    passes: [
      byGtin("4006381333931", goodProduct),
      byGtin("04006381333931", goodProduct),
      // The requested GTIN may be in another field.
      byGtin("96385074", { ...goodProduct, ean8: "96385074" }),
      byGtin("96385074", { ...goodProduct, identifiers: [{ type: "MPN", value: "x" }] }),
      byGtin("96385074", { title: "Lamp" }),
    ],
    fails: [byGtin("96385074", goodProduct)],
    notApplicable: [byGtin("1", []), byGtin("96385074&gtin=1", goodProduct), byUrlAndGtin],
  },
});
