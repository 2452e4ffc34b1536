import type { Exchange } from "../../client/exchange.ts";
import { errorOf, exchangeOf } from "../../testing/stub-exchange.ts";
import { type ExamplesByRule, goodProduct, lookup, page } from "./example.ts";

const acme = { slug: "acme", name: "Acme Inc", domains: ["acme.example", "www.acme.example"] };
const retailers = (...list: readonly unknown[]) => exchangeOf("retailers", { retailers: list });
const notRetailers = [
  // An organization without retailers has no entry to judge.
  retailers(),
  exchangeOf("retailers", { retailers: "none" }),
  errorOf(401, "unauthorized", { endpoint: "retailers" }),
  lookup(goodProduct),
] as const;

const browsed = (body: unknown, status = 200): Exchange => exchangeOf("category-page", body, { status });
const withMeta = (meta: unknown) => browsed({ products: [goodProduct], meta });
const twoAskedWith = (query: string): Exchange =>
  exchangeOf(
    "category-page",
    { products: [goodProduct, goodProduct], meta: { next_cursor: "", count: 2 } },
    { url: `http://stub.example/v1/products?category=lamps&${query}` },
  );
const notPages = [
  // A body that is no JSON is the business of service.json.
  exchangeOf("category-page", undefined, { text: "<html>" }),
  browsed({ error: { code: "bad_request", message: "No." } }, 400),
  lookup(goodProduct),
  retailers(acme),
] as const;

export const listExamples: ExamplesByRule = {
  "retailer.slug/every-entry": {
    holds: [retailers(acme), retailers(acme, { slug: "bolt" }, { slug: "a/b ü" })],
    breaks: [
      [retailers(acme, { name: "Bolt" }), "retailers[1].slug is missing"],
      [retailers({ slug: "" }), 'retailers[0].slug is ""'],
      [retailers({ slug: 7 }), "retailers[0].slug is 7"],
      [retailers("acme"), "retailers[0].slug is missing"],
      [retailers(acme, acme), 'the slug "acme" stands twice'],
    ],
    silent: notRetailers,
  },
  "retailer.name/every-entry": {
    // That it is missing is another rule's business.
    holds: [retailers(acme), retailers({ slug: "acme", name: "acme" }), retailers({ slug: "acme" })],
    breaks: [
      [retailers(acme, { ...acme, name: "" }), 'retailers[1].name is ""'],
      [retailers({ ...acme, name: null }), "retailers[0].name is null"],
    ],
    silent: notRetailers,
  },
  "retailer.name-given/every-entry": {
    holds: [retailers(acme), retailers({ ...acme, name: null })],
    breaks: [
      [retailers({ slug: "acme" }), "retailers[0].name is missing"],
      [retailers(acme, "bolt"), "retailers[1].name is missing"],
    ],
    silent: notRetailers,
  },
  "retailer.domains/every-entry": {
    holds: [retailers(acme), retailers({ ...acme, domains: [] })],
    breaks: [
      [retailers({ slug: "acme", name: "Acme" }), "retailers[0].domains is missing"],
      [retailers(acme, { ...acme, domains: null }), "retailers[1].domains is null"],
      [retailers({ ...acme, domains: "acme.example" }), 'retailers[0].domains is "acme.example"'],
      [retailers({ ...acme, domains: [1] }), "retailers[0].domains is [1]"],
    ],
    silent: notRetailers,
  },
  "retailer.host-names/every-entry": {
    holds: [
      retailers(acme),
      retailers({ ...acme, domains: [] }),
      retailers({
        ...acme,
        domains: ["xn--mnchen-3ya.example", "münchen.example", "*.acme.example", "localhost"],
      }),
      // What is no list is the business of retailer.domains.
      retailers({ ...acme, domains: "https://acme.example" }),
    ],
    breaks: [
      [
        retailers({ ...acme, domains: ["acme.example", "https://acme.example"] }),
        'retailers[0]."https://acme.example" is no host name',
      ],
      [
        retailers({ ...acme, domains: ["acme.example/shop"] }),
        'retailers[0]."acme.example/shop" is no host name',
      ],
      [
        retailers({ ...acme, domains: ["acme.example:443"] }),
        'retailers[0]."acme.example:443" is no host name',
      ],
      [retailers({ ...acme, domains: [""] }), 'retailers[0]."" is no host name'],
      [retailers({ ...acme, domains: ["Acme Inc"] }), 'retailers[0]."Acme Inc" is no host name'],
    ],
    silent: notRetailers,
  },
  "page.products/every-page": {
    holds: [page(goodProduct), page()],
    breaks: [
      [browsed({ meta: {} }), "products is missing"],
      [browsed({ products: null, meta: {} }), "products is null"],
      [browsed({ products: { A1: goodProduct } }), `products is ${JSON.stringify({ A1: goodProduct })}`],
      [browsed([goodProduct]), "products is missing"],
    ],
    silent: notPages,
  },
  "page.next-cursor/every-page": {
    holds: [page(goodProduct), withMeta({ next_cursor: "a+b/=", count: 1 })],
    breaks: [
      [withMeta({ count: 1 }), "meta.next_cursor is missing"],
      [withMeta({ next_cursor: null, count: 1 }), "meta.next_cursor is null"],
      [withMeta({ next_cursor: 2, count: 1 }), "meta.next_cursor is 2"],
      [browsed({ products: [], next_cursor: "" }), "meta.next_cursor is missing"],
    ],
    silent: notPages,
  },
  "query.limit/every-page": {
    holds: [twoAskedWith("limit=2"), twoAskedWith("limit=20&cursor=x")],
    breaks: [[twoAskedWith("limit=1"), "2 products on a page that was asked with limit=1"]],
    // What is no page size is query.invalid-parameter's business, and without one there is nothing to keep to.
    silent: [
      twoAskedWith(""),
      ...["limit=ten", "limit=0", "limit=-1", "limit=1&limit=2"].map(twoAskedWith),
      ...notPages,
    ],
  },
  "page.count/every-page": {
    holds: [
      page(goodProduct, goodProduct),
      page(),
      // A page without its list is the business of page.products.
      browsed({ meta: { next_cursor: "", count: 3 } }),
    ],
    breaks: [
      [withMeta({ next_cursor: "", count: 2 }), "meta.count is 2 on a page of 1"],
      [withMeta({ next_cursor: "" }), "meta.count is missing"],
      [withMeta({ next_cursor: "", count: "1" }), 'meta.count is "1"'],
      [withMeta({ next_cursor: "", count: 1.5 }), "meta.count is 1.5"],
      [browsed({ products: [], count: 0 }), "meta.count is missing"],
    ],
    silent: notPages,
  },
};
