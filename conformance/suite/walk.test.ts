import { describe, expect, test } from "vitest";
import { stubContext } from "../../test/support/stub-context.ts";
import { usualDiscovery } from "../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Request } from "../client/requests.ts";
import { NotJudged } from "../requirements/outcome.ts";
import type { CheckContext } from "./check/check.ts";
import paging from "./product-list-page.check.ts";
import { longestWalk, mustEnd, smallerLimit, type Walk, walk, wholeWalk } from "./walk.ts";

function page(cursor: unknown, ...ids: readonly unknown[]): Exchange {
  const products = ids.map((id) => ({ retailer: "acme", product_id: id }));
  return exchangeOf("category-page", { products, meta: { next_cursor: cursor, count: ids.length } });
}

const tooLarge = errorOf(400, "bad_request", { endpoint: "category-page" });

/** A context whose pages depend on the parameters of the request. */
async function contextOf(
  pageFor: (parameters: URLSearchParams) => Exchange,
  categories: CheckContext["fixtures"]["categories"] = [],
): Promise<CheckContext & { requested: () => URLSearchParams[] }> {
  const { fixtures } = await usualDiscovery();
  const parametersOf = ({ path }: Request) => new URLSearchParams(path.split("?")[1]);
  const context = await stubContext((request) => pageFor(parametersOf(request)), {
    fixtures: { ...fixtures, categories },
  });
  return { ...context, requested: () => context.sent.map(parametersOf) };
}

/** Pages with the same products under cursors that are new. */
const inCircles = Array.from({ length: longestWalk }, (_, at) => page(`c${at}`, "x", `${at % 3}`));

test.each<[Walk["end"], readonly Exchange[], pages: number]>([
  ["no cursor", [page(undefined, "x")], 1],
  ["no cursor", [page("a", "x"), page(null, "y")], 2],
  ["repeated cursor", [page("a"), page("b"), page("a")], 5],
  ["repeated cursor", [page("again")], 4],
  // The service may keep the place of a walk.
  ["empty cursor", ["x", "y", "z"].map((id) => page("again", id)).concat(page("", "w")), 4],
  ["repeated products", inCircles, 12],
  ["no page", [page("a"), tooLarge], 2],
])("a walk ends at: %s", async (end, answers, pages) => {
  let count = 0;
  const context = await contextOf(() => answers[Math.min(count++, answers.length - 1)] ?? page(""));
  const made = await walk(context, "lamps & more", { longest: longestWalk });
  expect(made.end).toBe(end);
  expect(made.pages).toHaveLength(pages);
});

describe("the walk to the end of a category", () => {
  const categories = ["one page", "endless", "two pages"].map((category) => ({
    category,
    products: [],
    nextCursor: category === "one page" ? "" : "c",
  }));
  let count = 0;
  const answer = (requested: URLSearchParams) =>
    requested.get("category") === "endless" ? page(`c${count++}`) : page("");

  test("takes one with a second page first, and the next where it is too long", async () => {
    const made = await wholeWalk(await contextOf(answer, categories));
    expect(made).toMatchObject({ category: "two pages", end: "empty cursor" });
  });

  test.each([
    ["100", answer],
    // A service that refuses more has pages of its own size.
    ["25", (one: URLSearchParams) => (Number(one.get("limit")) > 25 ? tooLarge : answer(one))],
  ])("tries pages of %s before it gives up, and then shows what it walked", async (size, respond) => {
    const context = await contextOf(respond, categories.slice(1, 2));
    const made = await wholeWalk(context);
    expect(made).toMatchObject({ category: "endless", end: "bound" });
    expect(context.requested().at(-1)?.get("limit")).toBe(size);
    const details = { pages: 80, limit: Number(size) };
    expect(() => mustEnd(made)).toThrow(
      new NotJudged({ code: "category-too-long", subject: "endless", details }),
    );
  });
});

test.each([
  [0, 0, 0],
  [12, 4, 3],
  [120, 40, 3],
  [2000, 20, 100],
  // Two thirds of the products are filtered out.
  [268, 40, 20],
])(
  "a smaller limit for %i products on %i pages of %i gives more pages, but not too many",
  (size, count, full) => {
    const ids = Array.from({ length: full }, (_, index) => `item-${index}`);
    const made: Walk = {
      category: "c",
      caller: "primary",
      limit: undefined,
      end: "empty cursor",
      pages: Array.from({ length: count }, (_, index) => (index === 0 ? page("", ...ids) : page(""))),
      products: Array.from({ length: size }, (_, index) => {
        return { name: String(index), product: {}, page: page(""), path: "" };
      }),
    };
    const limit = smallerLimit(made);
    expect(limit).toBeGreaterThanOrEqual(1);
    expect(limit).toBeLessThan(Math.max(2, full));
    expect(Math.ceil((count * full) / limit)).toBeLessThanOrEqual(longestWalk);
  },
);

test("a cursor that is refused in pages of another size is a failure, although the category was walked", async () => {
  const refused = errorOf(403, "forbidden", { endpoint: "category-page" });
  const context = await stubContext(({ path }, correct) =>
    /limit=.*cursor=/.test(path) ? refused : correct,
  );
  const check = paging.checks.find(({ id }) => id === "query.paging/same-products-in-smaller-pages");
  expect(await check?.run(context)).toMatchObject({ kind: "fail", findings: [{ code: "cursor-rejected" }] });
});
