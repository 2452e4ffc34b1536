import {
  type Injection,
  inject,
  isObject,
  objectOf,
  onBody,
  onMeta,
  onRetailers,
  onStatus,
  withJson,
  without,
} from "../injection.ts";

const everyPage = "page.next-cursor/every-page";
const counters = "batch-result.counters/every-batch";
const smaller = "query.paging/same-products-in-smaller-pages";
const uneven = "query.paging/same-products-in-uneven-pages";
const large = "query.paging/same-products-in-large-pages";

const firstDoubled = (list: unknown): readonly unknown[] => [...listOf(list), ...listOf(list).slice(0, 1)];
const listOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
const lengthOf = (list: unknown): number => listOf(list).length;
const withProducts = (page: Record<string, unknown>, products: readonly unknown[]) => ({
  ...page,
  products,
  meta: isObject(page.meta) ? { ...page.meta, count: products.length } : page.meta,
});

/** Faults in the lists: retailers, pages, batches. */
export const listInjections: readonly Injection[] = [
  inject(
    "domains-gone",
    "retailer.domains/every-entry",
    onRetailers((entry) => without("domains", entry)),
  ),
  inject(
    "domains-null",
    "retailer.domains/every-entry",
    onRetailers((entry) => ({ ...entry, domains: null })),
  ),
  inject(
    "domains-urls",
    "retailer.host-names/every-entry",
    onRetailers((entry) => ({ ...entry, domains: ["https://shop.example/"] })),
  ),
  inject(
    "name-number",
    "retailer.name/every-entry",
    onRetailers((entry) => ({ ...entry, name: 7 })),
  ),
  inject(
    "slug-gone",
    "retailer.slug/every-entry",
    onRetailers((entry) => without("slug", entry)),
  ),
  inject(
    "retailers-renamed",
    "retailers.shape/list",
    onBody("retailers", ({ retailers }) => ({ data: retailers })),
  ),

  inject(
    "next-cursor-gone",
    everyPage,
    onMeta("category", (meta) => without("next_cursor", meta)),
    { "query.paging": "without a cursor the walk ends at the first page" },
  ),
  inject(
    "next-cursor-null",
    everyPage,
    onMeta("category", (meta) => (meta.next_cursor === "" ? { ...meta, next_cursor: null } : meta)),
  ),
  inject(
    "count-gone",
    "page.count/every-page",
    onMeta("category", (meta) => without("count", meta)),
  ),
  inject(
    "count-wrong",
    "page.count/every-page",
    onMeta("category", (meta) => ({ ...meta, count: Number(meta.count) + 1 })),
  ),
  inject(
    "products-null",
    "page.products/every-page",
    onBody("category", (page) => ({ ...page, products: null })),
  ),
  inject(
    "pages-cut-off",
    smaller,
    onMeta("category", (meta) => ({ ...meta, next_cursor: "" })),
  ),
  inject(
    "odd-pages-lose-first",
    uneven,
    onBody("category", (page, { parameters }) =>
      parameters.has("cursor") && Number(parameters.get("limit")) % 2 === 1
        ? withProducts(page, listOf(page.products).slice(1))
        : page,
    ),
  ),
  inject(
    "large-pages-lose-last",
    large,
    onBody("category", (page, { parameters }) =>
      Number(parameters.get("limit")) === 100 ? withProducts(page, listOf(page.products).slice(0, -1)) : page,
    ),
  ),
  inject(
    "product-twice",
    "query.paging/no-repeats",
    onBody("category", (page) => withProducts(page, firstDoubled(page.products))),
    { "query.limit": "a page with one product more may have more than the limit" },
  ),
  inject(
    "products-hidden",
    "query.paging/nothing-hidden",
    onBody("category", (page, { caller }) => {
      if (caller === "otherOrg") return page;
      // Always the same ones, whatever the size of the pages: about every third.
      const isShown = (one: unknown) => !isObject(one) || codeOf(one.product_id) % 3 !== 0;
      return withProducts(page, listOf(page.products).filter(isShown));
    }),
  ),
  inject(
    "limit-ignored",
    ["query.limit/1", "query.limit/3", "query.limit/every-page"],
    async (answer, asked, ask) => {
      if (asked.way !== "category" || answer.status !== 200 || !asked.parameters.has("limit"))
        return undefined;
      const parameters = new URLSearchParams(asked.parameters);
      parameters.delete("limit");
      return await ask({ ...asked, parameters });
    },
    { "query.paging": "a cursor of a page of one size may not serve another" },
  ),

  inject(
    "batch-errors-gone",
    "batch-result.errors/every-batch",
    onBody("batch", (result) => (lengthOf(result.errors) === 0 ? without("errors", result) : result)),
  ),
  inject(
    "batch-meta-gone",
    counters,
    onBody("batch", (result) => without("meta", result)),
  ),
  inject(
    "batch-counter-text",
    counters,
    onMeta("batch", (meta) => ({ ...meta, other_errors: String(meta.other_errors) })),
  ),
  inject(
    "batch-total-wrong",
    "batch.summary/every-batch",
    onMeta("batch", (meta) => ({ ...meta, total: Number(meta.total) + 1 })),
  ),
  inject(
    "batch-echo-gone",
    "batch-result.echo/every-batch",
    onBody("batch", (result) => ({
      ...result,
      errors: Array.isArray(result.errors)
        ? result.errors.map((entry) => (isObject(entry) ? without("product_id", entry) : entry))
        : result.errors,
    })),
    { "batch.partial": "the item that was not found is not listed as what it is" },
  ),
  inject(
    "batch-partial-207",
    "batch.partial/one-missing",
    (answer, asked) => {
      const meta = asked.way === "batch" && answer.status === 200 ? objectOf(answer)?.meta : undefined;
      return isObject(meta) && meta.not_found !== 0 ? { ...answer, status: 207 } : undefined;
    },
    {
      "batch.lookup": "a batch with an item that stands twice holds one that is not found too",
      "batch.size": "most of the 50 items that are sent are not found",
    },
  ),
  inject(
    "batch-without-list-accepted",
    ["batch.malformed/no-list", "batch.malformed/text-for-list"],
    onStatus(
      400,
      (answer) => withJson({ ...answer, status: 200 }, emptyResult),
      ({ way, body }) => way === "batch" && !body.includes("[") && body.includes("}"),
    ),
  ),
  inject(
    "batch-half-item-found",
    "batch.malformed/incomplete-item",
    onStatus(
      400,
      (answer) =>
        withJson(
          { ...answer, status: 200 },
          { ...emptyResult, products: [{ title: "any" }], meta: { ...emptyResult.meta, total: 1, found: 1 } },
        ),
      ({ way, body }) => way === "batch" && body.includes('"retailer"') && !body.includes('"product_id"'),
    ),
  ),
];

const emptyResult = {
  products: [] as unknown[],
  errors: [],
  meta: { total: 0, found: 0, not_found: 0, other_errors: 0 },
};

function codeOf(text: unknown): number {
  return [...String(text)].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0);
}
