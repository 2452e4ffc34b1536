import type { Exchange } from "../../../conformance/client/exchange.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { errorOf, exchangeOf } from "../stub-exchange.ts";
import {
  afterCursor,
  type ExamplesByRule,
  goodProduct,
  isEmpty,
  isNull,
  lookup,
  missing,
  page,
  wrongFormat,
  wrongType,
} from "./example.ts";

const acme = { slug: "acme", name: "Acme Inc", domains: ["acme.example", "www.acme.example"] };
const retailers = (...list: readonly unknown[]) => exchangeOf("retailers", { retailers: list });
const notRetailers = [
  // An organization may have no retailers.
  retailers(),
  exchangeOf("retailers", { retailers: "none" }),
  errorOf(401, "unauthorized", { endpoint: "retailers" }),
  exchangeOf("retailers", { retailers: [{}] }, { status: 500 }),
  exchangeOf("lookup-by-id", { retailers: [{}] }),
] as const;

const browsed = (body: unknown, status = 200): Exchange => exchangeOf("category-page", body, { status });
const pageAfter = (cursor: string, next: string): Exchange =>
  exchangeOf(
    "category-page",
    { products: [], meta: { next_cursor: next, count: 0 } },
    { url: `https://stub.example/v1/products?category=c&cursor=${cursor}` },
  );
const withMeta = (meta: unknown) => browsed({ products: [goodProduct], meta });
const pageOfTwo = (query: string): Exchange =>
  exchangeOf(
    "category-page",
    { products: [goodProduct, goodProduct], meta: { next_cursor: "", count: 2 } },
    { url: `http://stub.example/v1/products?category=lamps&${query}` },
  );
const overLimit: Finding = { code: "page-over-limit", path: "/products", expected: 1, actual: 2 };
const notPages = [
  // A body that is not JSON is judged by service.json.
  exchangeOf("category-page", undefined, { text: "<html>" }),
  browsed({ error: { code: "bad_request", message: "No." } }, 400),
  lookup(goodProduct),
  retailers(acme),
] as const;

const noHost = (index: number, domain: string) =>
  wrongFormat(`/retailers/0/domains/${index}`, "host-name", domain);

export const listExamples: ExamplesByRule = {
  "retailers.shape/every-list": {
    passes: [retailers(), retailers(acme)],
    fails: [
      [exchangeOf("retailers", { data: [] }), missing("/retailers", "array")],
      [exchangeOf("retailers", { retailers: {} }), wrongType("/retailers", "array", {})],
    ],
    notApplicable: [errorOf(401, "unauthorized", { endpoint: "retailers" }), lookup(goodProduct)],
  },
  "retailer.slug/every-entry": {
    passes: [retailers(acme), retailers(acme, { slug: "bolt" }, { slug: "a/b ü" })],
    fails: [
      [retailers(acme, { name: "Bolt" }), missing("/retailers/1/slug", "string")],
      [retailers({ slug: "" }), isEmpty("/retailers/0/slug")],
      [retailers({ slug: 7 }), wrongType("/retailers/0/slug", "string", 7)],
      [retailers("acme"), missing("/retailers/0/slug", "string")],
      [retailers(acme, acme), { code: "item-repeated", path: "/retailers/1/slug", actual: "acme" }],
    ],
    notApplicable: notRetailers,
  },
  "retailer.name/every-entry": {
    // A missing name is judged by another rule.
    passes: [retailers(acme), retailers({ slug: "acme", name: "acme" }), retailers({ slug: "acme" })],
    fails: [
      [retailers(acme, { ...acme, name: "" }), isEmpty("/retailers/1/name")],
      [retailers({ ...acme, name: null }), isNull("/retailers/0/name")],
    ],
    notApplicable: notRetailers,
  },
  "retailer.name-given/every-entry": {
    passes: [retailers(acme), retailers({ ...acme, name: null })],
    fails: [
      [retailers({ slug: "acme" }), missing("/retailers/0/name", "string")],
      [retailers(acme, "bolt"), missing("/retailers/1/name", "string")],
    ],
    notApplicable: notRetailers,
  },
  "retailer.domains/every-entry": {
    passes: [retailers(acme), retailers({ ...acme, domains: [] })],
    fails: [
      [retailers({ slug: "acme", name: "Acme" }), missing("/retailers/0/domains", "array")],
      [retailers(acme, { ...acme, domains: null }), isNull("/retailers/1/domains")],
      [
        retailers({ ...acme, domains: "acme.example" }),
        wrongType("/retailers/0/domains", "array", "acme.example"),
      ],
      [retailers({ ...acme, domains: ["a.example", 1] }), wrongType("/retailers/0/domains/1", "string", 1)],
    ],
    notApplicable: notRetailers,
  },
  "retailer.host-names/every-entry": {
    passes: [
      retailers(acme),
      retailers({ ...acme, domains: [] }),
      retailers({
        ...acme,
        domains: ["xn--mnchen-3ya.example", "münchen.example", "*.acme.example", "localhost"],
      }),
      // Other types than an array of strings are judged by retailer.domains.
      retailers({ ...acme, domains: "https://acme.example" }),
      retailers({ ...acme, domains: [{}, null, 7] }),
    ],
    fails: [
      [
        retailers({ ...acme, domains: ["acme.example", "https://acme.example"] }),
        noHost(1, "https://acme.example"),
      ],
      [retailers({ ...acme, domains: ["acme.example/shop"] }), noHost(0, "acme.example/shop")],
      [retailers({ ...acme, domains: ["acme.example:443"] }), noHost(0, "acme.example:443")],
      [retailers({ ...acme, domains: [""] }), noHost(0, "")],
      [retailers({ ...acme, domains: ["Acme Inc"] }), noHost(0, "Acme Inc")],
    ],
    notApplicable: notRetailers,
  },
  "retailer.no-patterns/every-entry": {
    passes: [
      retailers(acme),
      retailers({ ...acme, domains: [] }),
      // Other texts than host names are judged by retailer.host-names.
      retailers({ ...acme, domains: ["https://*.acme.example", 7] }),
    ],
    fails: [
      [retailers({ ...acme, domains: ["acme.example", "*.acme.example"] }), noHost(1, "*.acme.example")],
      [retailers({ ...acme, domains: ["acme.*"] }), noHost(0, "acme.*")],
    ],
    notApplicable: notRetailers,
  },
  "page.products/every-page": {
    passes: [page(goodProduct), page()],
    fails: [
      [browsed({ meta: {} }), missing("/products", "array")],
      [browsed({ products: null, meta: {} }), isNull("/products")],
      [
        browsed({ products: { A1: goodProduct } }),
        wrongType("/products", "array", { type: "object", size: 1 }),
      ],
      [browsed([goodProduct]), missing("/products", "array")],
    ],
    notApplicable: notPages,
  },
  "page.next-cursor/every-page": {
    passes: [page(goodProduct), withMeta({ next_cursor: "a+b/=", count: 1 })],
    fails: [
      [withMeta({ count: 1 }), missing("/meta/next_cursor", "string")],
      [withMeta({ next_cursor: null, count: 1 }), isNull("/meta/next_cursor")],
      [withMeta({ next_cursor: 2, count: 1 }), wrongType("/meta/next_cursor", "string", 2)],
      [browsed({ products: [], next_cursor: "" }), missing("/meta/next_cursor", "string")],
    ],
    notApplicable: notPages,
  },
  "query.limit/every-page": {
    passes: [
      pageOfTwo("limit=2"),
      pageOfTwo("limit=20&cursor=x"),
      // The page before was requested with limit=2, which the cursor may carry.
      pageOfTwo("limit=1&cursor=of-limit-2"),
      // A page without products is judged by page.products.
      exchangeOf("category-page", { products: null }, { url: "http://stub.example/v1/products?limit=1" }),
    ],
    fails: [
      [pageOfTwo("limit=1"), overLimit],
      [pageOfTwo("limit=1&cursor=x"), overLimit],
      [pageOfTwo("limit=1&cursor=of-limit-1"), overLimit],
    ],
    // An invalid limit is judged by query.invalid-parameter; without a limit there is nothing to judge.
    notApplicable: [
      pageOfTwo(""),
      // The page before had the target's own size, which is not known.
      pageOfTwo("limit=1&cursor=of-no-limit"),
      ...["limit=ten", "limit=0", "limit=-1", "limit=1.5", "limit=1&limit=2"].map(pageOfTwo),
      ...notPages,
    ],
  },
  "page.no-placeholders/every-page": {
    passes: [page(goodProduct), page()],
    fails: [
      [
        page(goodProduct, {}),
        { code: "empty-products", path: "/products/1", actual: {}, details: { empty: 1, products: 2 } },
      ],
    ],
    notApplicable: notPages,
  },
  "query.paging/every-cursor": {
    passes: [
      afterCursor("refused-once", 400),
      afterCursor("made-up", 400),
      afterCursor("refused&cursor=refused", 400),
      afterCursor("refused", 200),
    ],
    fails: [[afterCursor("refused", 400), { code: "cursor-rejected", subject: "lamps", actual: 400 }]],
    notApplicable: [...notPages, page()],
  },
  "page.own-cursor/every-page": {
    passes: [page(goodProduct), pageAfter("a", "b"), pageAfter("", "")],
    fails: [[pageAfter("a", "a"), { code: "cursor-kept", path: "/meta/next_cursor", actual: "a" }]],
    notApplicable: notPages,
  },
  "page.count/every-page": {
    passes: [
      page(goodProduct, goodProduct),
      page(),
      // A page without products is judged by page.products.
      browsed({ meta: { next_cursor: "", count: 3 } }),
    ],
    fails: [
      [
        withMeta({ next_cursor: "", count: 2 }),
        { code: "wrong-count", path: "/meta/count", subject: "products", expected: 1, actual: 2 },
      ],
      [withMeta({ next_cursor: "" }), missing("/meta/count", "number")],
      [withMeta({ next_cursor: "", count: "1" }), wrongType("/meta/count", "number", "1")],
      [
        withMeta({ next_cursor: "", count: 1.5 }),
        { code: "wrong-format", path: "/meta/count", expected: "count", actual: 1.5 },
      ],
      [browsed({ products: [], count: 0 }), missing("/meta/count", "number")],
    ],
    notApplicable: notPages,
  },
};
