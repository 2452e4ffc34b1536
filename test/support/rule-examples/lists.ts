import type { Exchange } from "../../../conformance/client/exchange.ts";
import { exchangeOf } from "../stub-exchange.ts";
import { afterCursor, type ExamplesByRule, goodProduct, page } from "./example.ts";

const acme = { slug: "acme", name: "Acme Inc", domains: ["acme.example", "www.acme.example"] };
const retailers = (...list: readonly unknown[]) => exchangeOf("retailers", { retailers: list });
const withDomains = (domains: unknown) => retailers({ ...acme, domains });
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
export const listExamples: ExamplesByRule = {
  "retailers.shape/every-list": {
    fails: [exchangeOf("retailers", { data: [] }), exchangeOf("retailers", { retailers: {} })],
  },
  "retailer.slug/every-entry": {
    passes: [retailers(acme, { slug: "bolt" }, { slug: "a/b ü" })],
    fails: [
      retailers(acme, { name: "Bolt" }),
      retailers({ slug: "" }),
      retailers({ slug: 7 }),
      retailers("acme"),
      retailers(acme, acme),
    ],
  },
  "retailer.name/every-entry": {
    // A missing name is judged by another rule.
    passes: [retailers({ slug: "acme", name: "acme" }), retailers({ slug: "acme" })],
    fails: [retailers(acme, { ...acme, name: "" }), retailers({ ...acme, name: null })],
  },
  "retailer.name-given/every-entry": {
    passes: [retailers({ ...acme, name: null })],
    fails: [retailers({ slug: "acme" }), retailers(acme, "bolt")],
  },
  "retailer.domains/every-entry": {
    passes: [withDomains([])],
    fails: [
      retailers({ slug: "acme", name: "Acme" }),
      retailers(acme, { ...acme, domains: null }),
      withDomains("acme.example"),
      withDomains(["a.example", 1]),
    ],
  },
  "retailer.host-names/every-entry": {
    passes: [
      withDomains([]),
      withDomains(["xn--mnchen-3ya.example", "münchen.example", "*.acme.example", "localhost"]),
      // Other types than an array of strings are judged by retailer.domains.
      withDomains("https://acme.example"),
      withDomains([{}, null, 7]),
    ],
    fails: [
      withDomains(["acme.example", "https://acme.example"]),
      withDomains(["acme.example/shop"]),
      withDomains(["acme.example:443"]),
      withDomains([""]),
      withDomains(["Acme Inc"]),
    ],
  },
  "retailer.no-patterns/every-entry": {
    passes: [
      withDomains([]),
      // Other texts than host names are judged by retailer.host-names.
      withDomains(["https://*.acme.example", 7]),
    ],
    fails: [withDomains(["acme.example", "*.acme.example"]), withDomains(["acme.*"])],
  },
  "page.products/every-page": {
    fails: [
      browsed({ meta: {} }),
      browsed({ products: null, meta: {} }),
      browsed({ products: { A1: goodProduct } }),
      browsed([goodProduct]),
    ],
  },
  "page.next-cursor/every-page": {
    passes: [withMeta({ next_cursor: "a+b/=", count: 1 })],
    fails: [
      withMeta({ count: 1 }),
      withMeta({ next_cursor: null, count: 1 }),
      withMeta({ next_cursor: 2, count: 1 }),
      browsed({ products: [], next_cursor: "" }),
    ],
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
    fails: [pageOfTwo("limit=1"), pageOfTwo("limit=1&cursor=x"), pageOfTwo("limit=1&cursor=of-limit-1")],
    // An invalid limit is judged by query.invalid-parameter; without a limit there is nothing to judge.
    notApplicable: [
      pageOfTwo(""),
      // The page before had the target's own size, which is not known.
      pageOfTwo("limit=1&cursor=of-no-limit"),
      ...["limit=ten", "limit=0", "limit=-1", "limit=1.5", "limit=1&limit=2"].map(pageOfTwo),
    ],
  },
  "page.no-placeholders/every-page": {
    fails: [page(goodProduct, {})],
  },
  "query.paging/every-cursor": {
    passes: [
      afterCursor("refused-once", 400),
      afterCursor("made-up", 400),
      afterCursor("refused&cursor=refused", 400),
      afterCursor("refused", 200),
    ],
    fails: [afterCursor("refused", 400)],
    notApplicable: [page()],
  },
  "page.own-cursor/every-page": {
    passes: [pageAfter("a", "b"), pageAfter("", "")],
    fails: [pageAfter("a", "a")],
  },
  "page.count/every-page": {
    passes: [
      page(goodProduct, goodProduct),
      // A page without products is judged by page.products.
      browsed({ meta: { next_cursor: "", count: 3 } }),
    ],
    fails: [
      withMeta({ next_cursor: "", count: 2 }),
      withMeta({ next_cursor: "" }),
      withMeta({ next_cursor: "", count: "1" }),
      withMeta({ next_cursor: "", count: 1.5 }),
      browsed({ products: [], count: 0 }),
    ],
  },
};
