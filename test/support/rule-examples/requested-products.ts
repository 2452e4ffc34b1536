import type { Caller } from "../../../conformance/client/target.ts";
import { exchangeOf } from "../stub-exchange.ts";
import { type ExamplesByRule, goodProduct, lookup } from "./example.ts";

const lookupOf = (path: string, product: unknown, caller: Caller = "primary") =>
  lookup(product, { url: `https://stub.example/v1/products/${path}`, caller });
const odd = { retailer: "a/b ü", product_id: "100%?#" };

const batch = (sent: unknown, ...products: readonly unknown[]) =>
  exchangeOf("batch", { products, errors: [] }, { requestBody: JSON.stringify(sent) });
const known = { retailer: "acme", product_id: "A1" };

export const requestedProductExamples: ExamplesByRule = {
  "by-id.product/every-response": {
    passes: [
      lookupOf("acme/A1", goodProduct),
      lookupOf("acme/A1?a=b/c#d", goodProduct),
      lookupOf(`${encodeURIComponent(odd.retailer)}/${encodeURIComponent(odd.product_id)}`, odd),
      // A service may ignore the case of ids.
      lookupOf("acme/a1", goodProduct),
      // Missing fields are not compared; null and empty ones are judged by other rules.
      lookupOf("acme/A1", { title: "Lamp" }),
      lookupOf("acme/A1", { retailer: null, product_id: "" }),
      // A display name in place of the slug is judged by product.retailer.
      lookupOf("acme/A1", { ...goodProduct, retailer: "Acme Inc" }),
      lookupOf("acme/A1", { ...goodProduct, retailer: "Acme Inc" }, "nobody"),
    ],
    fails: [
      lookupOf("acme/A2", goodProduct),
      lookupOf("bolt/A1", goodProduct),
      lookupOf("acme/7", { product_id: 7 }),
      // A slug that is also the name of another retailer is a slug.
      lookupOf("acme/A1", { ...goodProduct, retailer: "delta" }),
      lookupOf("bolt/a2", goodProduct),
    ],
    notApplicable: [
      exchangeOf("lookup-by-gtin", goodProduct, { url: "https://stub.example/v1/products?gtin=1" }),
    ],
  },
  "batch.lookup/every-batch": {
    passes: [
      batch({ items: [known] }, goodProduct),
      batch([{ ...known, product_id: "A0" }, known], goodProduct, goodProduct),
      batch([known], { title: "Lamp" }),
    ],
    fails: [
      batch([{ ...known, product_id: "A2" }], goodProduct),
      // retailer and product_id of different items.
      batch(
        [
          { ...known, retailer: "bolt" },
          { ...known, product_id: "A2" },
        ],
        { title: "Lamp" },
        goodProduct,
      ),
    ],
    notApplicable: [batch([known])],
  },
};
