import { expect, test } from "vitest";
import { stubContext } from "../../test/support/stub-context.ts";
import { category } from "../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Request } from "../client/requests.ts";
import type { Check } from "./check/check.ts";
import pages from "./product-list-page.check.ts";

const inAnySize = "query.paging/same-products-in-";
const paging = pages.checks.filter(
  ({ id }) => id.startsWith(inAnySize) || id === "query.paging/no-repeats" || id.endsWith("/limit-changes"),
);

/** A category of 60 products with offsets for cursors. `change` may change the list before each page. */
function categoryThat(change: (ids: string[], page: number) => void) {
  const ids = Array.from({ length: 60 }, (_, index) => `item-${index}`);
  let page = 0;
  return ({ path, endpoint }: Request) => {
    if (endpoint === "lookup-by-id") {
      const id = path.split("/").at(-1) ?? "";
      const product = { retailer: "acme", product_id: id };
      return ids.includes(id) ? exchangeOf(endpoint, product) : errorOf(404, "not_found", { endpoint });
    }
    const parameters = new URLSearchParams(path.split("?")[1]);
    const [start, limit] = [Number(parameters.get("cursor") ?? 0), Number(parameters.get("limit") ?? 10)];
    change(ids, page++);
    const products = ids.slice(start, start + limit).map((id) => ({ retailer: "acme", product_id: id }));
    const end = start + limit;
    const meta = { count: products.length, next_cursor: end < ids.length ? String(end) : "" };
    return exchangeOf("category-page", { products, meta });
  };
}

async function outcomeOf(check: Check, change: (ids: string[], page: number) => void) {
  const respond = categoryThat(change);
  const { fixtures, ...context } = await stubContext((request) => respond(request));
  const categories = [{ category, products: [], nextCursor: "10" }];
  return await check.run({ ...context, fixtures: { ...fixtures, categories } });
}

test.each(paging)("$id fails when a product is repeated in every walk", async (check) => {
  const outcome = await outcomeOf(check, (ids) => {
    ids[1] = "item-0";
  });
  expect(outcome).toMatchObject({ kind: "fail", findings: [{ code: "item-repeated" }] });
});
