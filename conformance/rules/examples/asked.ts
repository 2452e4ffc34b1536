import { errorOf, exchangeOf } from "../../testing/stub-exchange.ts";
import { type ExamplesByRule, goodProduct, lookup, page } from "./example.ts";

const askedFor = (path: string, product: unknown) =>
  lookup(product, { url: `https://stub.example/v1/products/${path}` });
const odd = { retailer: "a/b ü", product_id: "100%?#" };

const batch = (sent: unknown, ...products: readonly unknown[]) =>
  exchangeOf("batch", { products, errors: [] }, { requestBody: JSON.stringify(sent) });
const known = { retailer: "acme", product_id: "A1" };

export const askedExamples: ExamplesByRule = {
  "by-id.product/every-answer": {
    holds: [
      askedFor("acme/A1", goodProduct),
      askedFor("acme/A1?a=b/c#d", goodProduct),
      askedFor(`${encodeURIComponent(odd.retailer)}/${encodeURIComponent(odd.product_id)}`, odd),
      // What a product does not say speaks against nothing; null and empty are other rules' business.
      askedFor("acme/A1", { title: "Lamp" }),
      askedFor("acme/A1", { retailer: null, product_id: "" }),
      // A name where the slug belongs is the business of product.retailer.
      askedFor("acme/A1", { ...goodProduct, retailer: "Acme Inc" }),
    ],
    breaks: [
      [askedFor("acme/A2", goodProduct), 'asked for product_id "A2", got "A1"'],
      [askedFor("bolt/A1", goodProduct), 'asked for retailer "bolt", got "acme"'],
      [askedFor("acme/7", { product_id: 7 }), 'asked for product_id "7", got 7'],
      [
        askedFor("bolt/a1", goodProduct),
        'asked for retailer "bolt", got "acme"',
        'asked for product_id "a1", got "A1"',
      ],
    ],
    silent: [
      errorOf(404, "not_found"),
      page(goodProduct),
      exchangeOf("lookup-by-gtin", goodProduct, { url: "https://stub.example/v1/products?gtin=1" }),
    ],
  },
  "batch.lookup/every-batch": {
    holds: [
      batch({ items: [known] }, goodProduct),
      batch([{ ...known, product_id: "A0" }, known], goodProduct, goodProduct),
      batch([known], { title: "Lamp" }),
    ],
    breaks: [
      [
        batch([{ ...known, product_id: "A2" }], goodProduct),
        'products[0] is "acme" / "A1", which was not sent',
      ],
      [
        // Each from another item.
        batch(
          [
            { ...known, retailer: "bolt" },
            { ...known, product_id: "A2" },
          ],
          { title: "Lamp" },
          goodProduct,
        ),
        'products[1] is "acme" / "A1", which was not sent',
      ],
    ],
    silent: [
      batch([known]),
      errorOf(400, "bad_request", { endpoint: "batch" }),
      askedFor("bolt/A2", goodProduct),
    ],
  },
};
