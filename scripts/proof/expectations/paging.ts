import { caught, type Expectation } from "../expectation.ts";

const smaller = "query.paging/same-products-in-smaller-pages";
const uneven = "query.paging/same-products-in-uneven-pages";
const large = "query.paging/same-products-in-large-pages";

/** Faults in the pages of a category. */
export const pagingExpectations: readonly Expectation[] = [
  ...caught("page.next-cursor/every-page", ["next-cursor-null", "next-cursor-omitted", "next-cursor-false"]),
  ...caught("page.count/every-page", [
    "count-omitted",
    "count-string",
    "count-before-filter",
    "count-off-by-one-on-last-page",
  ]),
  ...caught("page.products/every-page", ["products-null-when-empty", "products-renamed"]),
  ...caught("query.paging/no-repeats", ["cursor-ignored"], {
    "page.last-cursor": "the same cursor comes again and again, so the walk has no end",
  }),
  ...caught(["query.paging/no-repeats", smaller], ["cursor-repeats-item"]),
  ...caught(smaller, ["cursor-skips-item", "cursor-ends-at-short-page", "cursor-ends-after-two-pages"]),
  ...caught(uneven, ["cursor-skips-item-in-odd-pages"]),
  ...caught(large, ["large-page-loses-what-is-cut"]),
  ...caught("page.last-cursor/walk-ends", ["cursor-never-ends"], {
    "query.paging": "the pages of a walk without an end cannot hold the same as those of another",
  }),
  ...caught(["query.limit/1", "query.limit/3"], ["limit-ignored"]),
  ...caught("query.limit/1", ["limit-one-too-many"]),
  ...caught("query.invalid-parameter/cursor-garbage", ["cursor-garbage-accepted"]),
  ...caught("query.invalid-parameter/limit-word", ["limit-word-accepted", "limit-word-is-404"]),
  ...caught("authentication.entitlement/every-product", ["category-unfiltered"]),
  ...caught("authentication.entitlement/every-product", ["category-unfiltered-with-bearer"], {
    "authentication.equivalent": "the same page shows more with one header than with the other",
  }),
  ...caught("authentication.entitlement/every-product", ["category-unfiltered-on-second-page"], {
    "query.paging": "which products stand on a second page depends on the size of the first",
  }),
];
