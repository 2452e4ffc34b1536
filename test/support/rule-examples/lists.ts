import type { Exchange } from "../../../conformance/client/exchange.ts";
import { exchangeOf } from "../stub-exchange.ts";
import { examplesOf, goodProduct, page } from "./example.ts";

const acme = { slug: "acme", name: "Acme Inc", domains: ["acme.example", "www.acme.example"] };
const retailers = (...list: readonly unknown[]) => exchangeOf("retailers", { retailers: list });
const withDomains = (...domains: readonly unknown[]) => retailers({ ...acme, domains });
const ofDomains = (domains: unknown) => retailers({ ...acme, domains });

const requested = (query: string, body: unknown): Exchange =>
  exchangeOf("category-page", body, { url: `https://stub.example/v1/products?${query}` });
const browsed = (body: unknown) => requested("category=c", body);
const withMeta = (meta: unknown) => browsed({ products: [goodProduct], meta });
const pageAfter = (cursor: string, next: string) =>
  requested(`category=c&cursor=${cursor}`, { products: [], meta: { next_cursor: next, count: 0 } });
/** A page of two products that was requested like this. */
const ofTwo = (query: string) =>
  requested(`category=lamps&${query}`, {
    products: [goodProduct, goodProduct],
    meta: { next_cursor: "", count: 2 },
  });

export const listExamples = {
  ...examplesOf(retailers, {
    "retailers.shape/every-list": {
      fails: [exchangeOf("retailers", { data: [] }), exchangeOf("retailers", { retailers: {} })],
      // A body that is not JSON is judged by service.json.
      notApplicable: [exchangeOf("retailers", undefined, { text: "<html>" })],
    },
    "retailer.slug/every-entry": {
      passes: [retailers(acme, { slug: "bolt" }, { slug: "a/b ü" })],
      fails: [
        ...[retailers({ slug: "" }, { slug: "" }), { slug: 7 }, "acme"],
        ...[retailers(acme, { name: "Bolt" }), retailers(acme, acme)],
      ],
    },
    "retailer.name/every-entry": {
      // A missing name is judged by another rule.
      passes: [{ slug: "acme", name: "acme" }, { slug: "acme" }],
      fails: [retailers(acme, { ...acme, name: "" }), { ...acme, name: null }],
    },
    "retailer.name-given/every-entry": {
      passes: [{ ...acme, name: null }],
      fails: [{ slug: "acme" }, retailers(acme, "bolt")],
    },
    "retailer.domains/every-entry": {
      passes: [withDomains()],
      fails: [
        ...[{ slug: "acme", name: "Acme" }, retailers(acme, { ...acme, domains: null })],
        ...[ofDomains("acme.example"), withDomains("a.example", 1)],
      ],
    },
    "retailer.host-names/every-entry": {
      passes: [
        withDomains(),
        withDomains("xn--mnchen-3ya.example", "münchen.example", "*.acme.example", "localhost"),
        // Other types than an array of strings are judged by retailer.domains.
        ...[ofDomains("https://acme.example"), withDomains({}, null, 7)],
      ],
      fails: [
        withDomains("acme.example", "https://acme.example"),
        ...["acme.example/shop", "acme.example:443", "", "Acme Inc"].map((domain) => withDomains(domain)),
      ],
    },
    "retailer.no-patterns/every-entry": {
      // Other texts than host names are judged by retailer.host-names.
      passes: [withDomains(), withDomains("https://*.acme.example", 7)],
      fails: [withDomains("acme.example", "*.acme.example"), withDomains("acme.*")],
    },
  }),
  ...examplesOf(browsed, {
    "page.products/every-page": {
      fails: [{ meta: {} }, { products: null, meta: {} }, { products: { A1: goodProduct } }, [goodProduct]],
    },
    "page.no-placeholders/every-page": { fails: [page(goodProduct, {})] },
    "page.own-cursor/every-page": {
      passes: [pageAfter("a", "b"), pageAfter("", "")],
      fails: [pageAfter("a", "a")],
    },
    "query.paging/every-page": {
      passes: [page(goodProduct, { ...goodProduct, retailer: "bolt" }), page({ title: "A" }, { title: "A" })],
      fails: [page(goodProduct, { title: "Lamp" }, { ...goodProduct, price: 1 })],
    },
  }),
  ...examplesOf(withMeta, {
    "page.next-cursor/every-page": {
      passes: [{ next_cursor: "a+b/=", count: 1 }],
      fails: [
        ...[{ count: 1 }, { next_cursor: null, count: 1 }, { next_cursor: 2, count: 1 }],
        browsed({ products: [], next_cursor: "" }),
      ],
    },
    "page.count/every-page": {
      // A page without products is judged by page.products.
      passes: [page(goodProduct, goodProduct), browsed({ meta: { next_cursor: "", count: 3 } })],
      fails: [
        ...[2, undefined, "1", 1.5, -1].map((count) => withMeta({ next_cursor: "", count })),
        browsed({ products: [], count: 0 }),
      ],
    },
  }),
  ...examplesOf(ofTwo, {
    "query.limit/every-page": {
      passes: [
        // The page before the last one was requested with limit=2, which the cursor may carry.
        ...["limit=2", "limit=20&cursor=x", "limit=1&cursor=of-limit-2"],
        // A page without products is judged by page.products.
        requested("limit=1", { products: null }),
      ],
      fails: ["limit=1", "limit=1&cursor=x", "limit=1&cursor=of-limit-1"],
      // Without a limit there is nothing to judge, and the target's own size is not known where the page before had that. An
      // invalid limit is judged by query.invalid-parameter.
      notApplicable: [
        ...["", "limit=1&cursor=of-no-limit"],
        ...["limit=ten", "limit=0", "limit=-1", "limit=1.5", "limit=1&limit=2"],
      ],
    },
  }),
};
