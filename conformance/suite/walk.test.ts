import { describe, expect, test } from "vitest";
import { stubContext } from "../../test/support/stub-context.ts";
import { discovered } from "../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Request } from "../client/requests.ts";
import { NotJudged } from "../requirements/outcome.ts";
import type { CheckContext } from "./check/check.ts";
import { longestWalk, mustEnd, smallerLimit, type Walk, walk, wholeWalk } from "./walk.ts";

function page(cursor: unknown, ...ids: readonly unknown[]): Exchange {
  const products = ids.map((id) => ({ retailer: "acme", product_id: id }));
  return exchangeOf("category-page", { products, meta: { next_cursor: cursor, count: ids.length } });
}

/** A context whose pages depend on the parameters of the request. */
async function contextOf(
  pageFor: (parameters: URLSearchParams) => Exchange,
  categories: CheckContext["fixtures"]["categories"] = [],
): Promise<CheckContext & { requested: () => URLSearchParams[] }> {
  const { fixtures } = await discovered();
  const parametersOf = ({ path }: Request) => new URLSearchParams(path.split("?")[1]);
  const context = await stubContext((request) => pageFor(parametersOf(request)), {
    fixtures: { ...fixtures, categories },
  });
  return { ...context, requested: () => context.sent.map(parametersOf) };
}

/** Walks through these pages; the last one repeats. */
async function walked(
  pages: readonly Exchange[],
  limit?: number | readonly number[],
): Promise<Walk & { requested: URLSearchParams[] }> {
  let count = 0;
  const context = await contextOf(() => pages[Math.min(count++, pages.length - 1)] ?? page(""));
  return {
    ...(await walk(context, "lamps & more", { limit, longest: longestWalk })),
    requested: context.requested(),
  };
}

describe("a walk", () => {
  test("follows each cursor to the empty one, past pages that are short or empty", async () => {
    const { end, products, pages, requested } = await walked([
      page("a+b", 1, "x"),
      page("c"),
      page("d", "y"),
      page("", "z"),
    ]);
    expect(end).toBe("empty cursor");
    expect(pages).toHaveLength(4);
    // A product whose id is not a string has no identity.
    expect(products).toEqual(["acme / x", "acme / y", "acme / z"]);
    expect(requested.map((one) => one.get("cursor"))).toEqual([null, "a+b", "c", "d"]);
    expect(new Set(requested.map((one) => one.get("category")))).toEqual(new Set(["lamps & more"]));
    expect(requested.some((one) => one.has("limit"))).toBe(false);
  });

  test.each([
    [7, ["7", "7", "7"]],
    [
      [3, 5],
      ["3", "5", "5"],
    ],
  ])("asks every page in the size that was wanted: %j", async (limit, sent) => {
    const { requested } = await walked([page("a"), page("b"), page("")], limit);
    expect(requested.map((one) => one.get("limit"))).toEqual(sent);
  });

  test.each<[Walk["end"], readonly Exchange[], pages: number]>([
    ["no cursor", [page(undefined, "x")], 1],
    ["no cursor", [page("a", "x"), page(null, "y")], 2],
    ["repeated cursor", [page("a"), page("b"), page("a")], 5],
    ["repeated cursor", [page("again")], 4],
    // The service may keep the place of a walk.
    ["empty cursor", ["x", "y", "z"].map((id) => page("again", id)).concat(page("", "w")), 4],
    ["no page", [page("a"), errorOf(400, "bad_request", { endpoint: "category-page" })], 2],
  ])("ends at: %s", async (end, answers, pages) => {
    const made = await walked(answers);
    expect(made.end).toBe(end);
    expect(made.pages).toHaveLength(pages);
  });

  test("ends where the same products come again and again, under cursors that are new", async () => {
    let count = 0;
    const context = await contextOf(() => page(`c${count++}`, "x", `${count % 3}`));
    const { end, pages } = await walk(context, "lamps", { longest: longestWalk });
    expect(end).toBe("repeated products");
    expect(pages.length).toBeLessThan(20);
  });

  test("that never ends is bounded", async () => {
    let count = 0;
    const context = await contextOf(() => page(`c${count++}`));
    const made = await walk(context, "lamps", { longest: 5 });
    expect(made).toMatchObject({ end: "bound" });
    expect(made.pages).toHaveLength(5);
  });
});

test.each([
  [25, "empty cursor"],
  [1, "bound"],
] as const)("a service that refuses pages of more than %i has pages of its own size", async (most, end) => {
  let count = 0;
  const context = await contextOf(
    (requested) => {
      const limit = Number(requested.get("limit") ?? "0");
      if (limit > most) return errorOf(400, "bad_request", { endpoint: "category-page" });
      return limit > 0 ? page("") : page(`c${count++}`);
    },
    [{ category: "long", products: [], nextCursor: "c" }],
  );
  expect(await wholeWalk(context)).toMatchObject({ category: "long", end });
});

describe("the walk to the end of a category", () => {
  const categories = [
    { category: "one page", products: [], nextCursor: "" },
    { category: "endless", products: [], nextCursor: "c" },
    { category: "two pages", products: [], nextCursor: "c" },
  ];
  let count = 0;
  const answer = (requested: URLSearchParams) =>
    requested.get("category") === "endless" ? page(`c${count++}`) : page("");

  test("takes one with a second page first, and the next where it is too long", async () => {
    const made = await wholeWalk(await contextOf(answer, categories));
    expect(made).toMatchObject({ category: "two pages", end: "empty cursor" });
  });

  test("tries larger pages before it gives up, and then shows what it walked", async () => {
    const context = await contextOf(answer, categories.slice(1, 2));
    const made = await wholeWalk(context);
    expect(made).toMatchObject({ category: "endless", end: "bound" });
    expect(context.requested().at(-1)?.get("limit")).toBe("100");
    expect(() => mustEnd(made)).toThrow(new NotJudged({ code: "category-too-long", subject: "endless" }));
  });
});

test.each([
  [0, 0, 0],
  [1, 1, 1],
  [12, 4, 3],
  [60, 3, 20],
  [1000, 40, 25],
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
      products: Array.from({ length: size }, (_, index) => String(index)),
    };
    const limit = smallerLimit(made);
    expect(limit).toBeGreaterThanOrEqual(1);
    expect(limit).toBeLessThan(Math.max(2, full));
    expect(Math.ceil((count * full) / limit)).toBeLessThanOrEqual(longestWalk);
  },
);
