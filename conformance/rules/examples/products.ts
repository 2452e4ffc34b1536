import { errorOf, exchangeOf } from "../../testing/stub-exchange.ts";
import { type ExamplesByRule, goodProduct, lookup, page } from "./example.ts";

const changed = (change: object) => lookup({ ...goodProduct, ...change });
const silent = [
  errorOf(404, "not_found"),
  page(),
  exchangeOf("retailers", { retailers: [] }),
  exchangeOf("batch", { products: [], errors: [] }, { requestBody: "[]" }),
] as const;
const inBatch = (product: object) => exchangeOf("batch", { products: [product] }, { requestBody: "[]" });

export const productExamples: ExamplesByRule = {
  "service.omitted-fields/every-product": {
    holds: [lookup(goodProduct), lookup({}), changed({ price: 0, sale: false, images: [], more: {} })],
    breaks: [
      [changed({ title: null }), "title is null"],
      [changed({ brand: "" }), "brand is an empty string"],
      [changed({ images: ["a", ""] }), "images[1] is an empty string"],
      [changed({ identifiers: [{ type: "EAN", value: null }] }), "identifiers[0].value is null"],
      [
        page(goodProduct, { ...goodProduct, a: { b: null }, c: "" }),
        "products[1]: a.b is null",
        "products[1]: c is an empty string",
      ],
      [inBatch({ ...goodProduct, title: "" }), "products[0]: title is an empty string"],
    ],
    silent,
  },
  "product.field-types/every-product": {
    // null is another rule's business, and so are fields that the spec does not name.
    holds: [lookup(goodProduct), lookup({}), changed({ price: null, gtin: 1 }), changed({ price: 10 })],
    breaks: [
      [changed({ price: "12.50" }), "price must be number,null"],
      [
        changed({ product_id: 7, title: ["Lamp"] }),
        "product_id must be string,null",
        "title must be string,null",
      ],
      [page(goodProduct, { ...goodProduct, currency: 978 }), "products[1]: currency must be string,null"],
    ],
    silent,
  },
  "product.same-shape/every-product": {
    holds: [lookup(goodProduct), lookup({}), changed({ seller: goodProduct }), page(goodProduct)],
    breaks: [
      [lookup({ product: goodProduct }), 'the product sits under "product"'],
      [page(goodProduct, { data: goodProduct }), 'products[1]: the product sits under "data"'],
    ],
    // What surrounds a product in a batch is the target's dialect.
    silent: [...silent, inBatch({ product: goodProduct })],
  },
  "product.currency/every-product": {
    holds: [
      lookup(goodProduct),
      lookup({}),
      changed({ currency: "usd" }),
      changed({ currency: "978" }),
      changed({ currency: null }),
      changed({ currency: "" }),
    ],
    breaks: [
      [changed({ currency: "€" }), 'currency is "€", no currency code'],
      [changed({ currency: "US Dollar" }), 'currency is "US Dollar", no currency code'],
      [page(goodProduct, { currency: "$" }), 'products[1]: currency is "$", no currency code'],
    ],
    silent,
  },
  "product.product-url/every-product": {
    holds: [
      lookup(goodProduct),
      lookup({}),
      changed({ product_url: "//acme.example/p/1" }),
      changed({ product_url: "acme.example/p/1" }),
      changed({ product_url: "www.acme.example:8080" }),
      changed({ product_url: "https://münchen.example/ü?a=b#c" }),
    ],
    breaks: [
      [changed({ product_url: "/p/A1" }), 'product_url is "/p/A1", no URL'],
      [changed({ product_url: "A1" }), 'product_url is "A1", no URL'],
      [changed({ product_url: "see our shop" }), 'product_url is "see our shop", no URL'],
    ],
    silent,
  },
  "product.last-updated/every-product": {
    holds: [lookup(goodProduct), lookup({}), changed({ last_updated: "2026-11-21T08:34Z" })],
    breaks: [
      [
        changed({ last_updated: "2026-11-21T08:34:22+01:00" }),
        'last_updated is "2026-11-21T08:34:22+01:00", no ISO 8601 timestamp in UTC',
      ],
      [changed({ last_updated: "yesterday" }), 'last_updated is "yesterday", no ISO 8601 timestamp in UTC'],
    ],
    silent,
  },
  "product.retailer/every-product": {
    holds: [
      lookup(goodProduct),
      lookup({}),
      // What is a name of one and a slug of another is a slug.
      changed({ retailer: "bolt" }),
      changed({ retailer: "delta" }),
      // An unknown one is the business of entitlement.
      changed({ retailer: "nobody-knows" }),
    ],
    breaks: [
      [changed({ retailer: "Acme Inc" }), 'retailer is "Acme Inc", the name of a retailer and not its slug'],
      [
        page(goodProduct, { retailer: "Zeta" }),
        'products[1]: retailer is "Zeta", the name of a retailer and not its slug',
      ],
    ],
    silent,
  },
  "authentication.entitlement/every-product": {
    holds: [
      lookup(goodProduct),
      lookup({}),
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "otherOrg" }),
      // The second key of the organization may what the first may.
      lookup(goodProduct, { caller: "sameOrg" }),
      // Nobody's list is known.
      lookup({ ...goodProduct, retailer: "zeta" }, { caller: "nobody" }),
      changed({ retailer: "Acme Inc" }),
    ],
    breaks: [
      [changed({ retailer: "zeta" }), 'a product of "zeta", which GET /retailers does not list for this key'],
      [
        lookup({ ...goodProduct, retailer: "bolt" }, { caller: "otherOrg" }),
        'a product of "bolt", which GET /retailers does not list for this key',
      ],
      [
        page(goodProduct, { retailer: "zeta" }),
        'products[1]: a product of "zeta", which GET /retailers does not list for this key',
      ],
      [
        inBatch({ ...goodProduct, retailer: "zeta" }),
        'products[0]: a product of "zeta", which GET /retailers does not list for this key',
      ],
    ],
    silent,
  },
};
