import { exchangeOf } from "../stub-exchange.ts";
import { changed, type ExamplesByRule, goodProduct, lookup, page } from "./example.ts";

const known = { retailer: "acme", product_id: "A1" };
const unknown = { retailer: "acme", product_id: "A2" };

const byGtin = (gtin: string, body: unknown) =>
  exchangeOf("lookup-by-gtin", body, { url: `https://stub.example/v1/products?gtin=${gtin}` });

const batch = (
  found: readonly object[],
  errors: readonly object[],
  sent: unknown,
  total = found.length + errors.length,
) =>
  exchangeOf(
    "batch",
    {
      products: found,
      errors,
      meta: { total, found: found.length, not_found: errors.length, other_errors: 0 },
    },
    { requestBody: typeof sent === "string" ? sent : JSON.stringify({ items: sent }) },
  );

export const agreeingFactExamples: ExamplesByRule = {
  "product.retailer-name/of-another": {
    passes: [
      changed({ retailer_name: "Acme" }),
      changed({ retailer: "bolt", retailer_name: "Bolt Tools" }),
      changed({ retailer: "Cora", retailer_name: "Delta Ltd" }),
      // A slug that is not listed is judged by product.retailer.
      changed({ retailer: "ACME", retailer_name: "Zeta" }),
      changed({ retailer_name: 7 }),
    ],
    fails: [changed({ retailer_name: " Bolt" })],
  },
  "product.listed-name/as-listed": {
    passes: [
      // Case and blanks of values are not normalized.
      changed({ retailer_name: " ACME  inc" }),
      changed({ retailer: "nobody", retailer_name: "No Body" }),
      lookup({ retailer: "acme" }),
      changed({ retailer_name: 7 }),
    ],
    fails: [changed({ retailer_name: "Acme" }), page(goodProduct, { ...goodProduct, retailer_name: "Zeta" })],
  },
  "retailer.detection/every-product": {
    passes: [
      changed({ product_url: "https://WWW.acme.example:8443/p/A1" }),
      changed({ product_url: "//de.acme-shop.example/p/A1" }),
      changed({ product_url: "acme.example/p/A1" }),
      // A retailer without domains is not judged.
      changed({ retailer: "bolt", product_url: "https://bolt.example/p/A1" }),
      changed({ product_url: "no url at all" }),
      // A relative URL is judged by product.product-url.
      changed({ product_url: "/p/A1" }),
    ],
    fails: [
      changed({ product_url: "https://notacme.example/p" }),
      changed({ product_url: "https://acme.example.evil/p" }),
    ],
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
    notApplicable: [byGtin("1", []), byGtin("96385074&gtin=1", goodProduct)],
  },
  "query.paging/every-page": {
    passes: [page(goodProduct, { ...goodProduct, retailer: "bolt" }), page({ title: "A" }, { title: "A" })],
    fails: [page(goodProduct, { title: "Lamp" }, { ...goodProduct, price: 1 })],
  },
  "batch.summary/every-item": {
    passes: [
      batch([goodProduct], [unknown], [known, unknown]),
      // An item that was sent twice may count and be listed once or twice.
      batch([goodProduct], [], [known, known]),
      batch([goodProduct], [], [known, known], 2),
      batch([goodProduct, goodProduct], [], [known, known]),
      // Entries that were not sent, or that name no item, are judged by other rules.
      batch([goodProduct], [{ retailer: "acme", product_id: "a2" }], [known, unknown]),
    ],
    fails: [
      batch([goodProduct, goodProduct], [], [known], 1),
      batch([goodProduct], [known, unknown], [known, unknown], 2),
      batch([goodProduct], [], [known, unknown]),
      batch([goodProduct], [], [known], 2),
    ],
    notApplicable: [
      batch([{ title: "Lamp" }], [], [known]),
      batch([goodProduct], [], [known, null]),
      batch([], [], "{"),
      batch([], [], []),
    ],
  },
};
