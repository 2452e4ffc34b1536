import { describe, expect, test } from "vitest";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Caller } from "../client/target.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import { factsOf } from "./facts.ts";

const list = (caller: Caller, ...retailers: readonly unknown[]) =>
  exchangeOf("retailers", { retailers }, { caller });
const slug = (text: string) => ({ slug: text, name: text, domains: [] });

const productOf = (retailer: string) => exchangeOf("lookup-by-url", { retailer, product_id: "1" });

test("all lists of a run count, and those of one organization's keys are merged", () => {
  const lists = [
    list("primary", slug("a")),
    list("sameOrg", slug("b")),
    list("otherOrg", slug("c")),
    list("primary"),
  ];
  const { entitled } = factsOf([...lists, productOf("a")], { fieldNames: {} });
  expect(entitled("primary")).toEqual(new Set(["a", "b"]));
  expect(entitled("sameOrg")).toEqual(new Set(["a", "b"]));
  // It does not matter whose products were seen.
  expect(entitled("otherOrg")).toEqual(new Set(["c"]));
  expect(entitled("nobody")).toBeUndefined();
});

test("an empty list grants nothing; without a list nothing is known", () => {
  const facts = factsOf([list("primary"), list("otherOrg", slug("a")), productOf("a")], { fieldNames: {} });
  expect(facts.entitled("primary")).toEqual(new Set());
  expect(factsOf([productOf("a")], { fieldNames: {} }).entitled("primary")).toBeUndefined();
});

test("nothing is known from a list with an entry without a slug", () => {
  for (const entry of [{ name: "B" }, { slug: 7 }, null, "b"]) {
    const lists = [list("primary", slug("a"), entry), list("otherOrg", slug("c"))];
    const facts = factsOf([...lists, productOf("a")], { fieldNames: {} });
    expect(facts.entitled("primary")).toBeUndefined();
    expect(facts.entitled("otherOrg")).toEqual(new Set(["c"]));
  }
});

test("nothing is known when lists and products spell every retailer differently", () => {
  const facts = factsOf([list("primary", slug("a")), list("otherOrg", slug("c")), productOf("A Inc")], {
    fieldNames: {},
  });
  expect(facts.entitled("primary")).toBeUndefined();
  expect(facts.entitled("otherOrg")).toBeUndefined();
});

test("a cursor has the limits of all requests for which a page returned it", () => {
  const page = (cursor: unknown, query: string, endpoint: "category-page" | "batch" = "category-page") =>
    exchangeOf(
      endpoint,
      { products: [], meta: { next_cursor: cursor } },
      { url: `http://stub.example/v1/products?category=c${query}` },
    );
  const pages = [
    page("x", "&limit=5"),
    page("x", "&limit=9"),
    page("y", ""),
    page("", "&limit=3"),
    page(undefined, "&limit=4"),
    page("z", "&limit=2", "batch"),
  ];
  expect(factsOf(pages, { fieldNames: {} }).limitsOfCursors).toEqual(
    new Map([
      ["x", new Set(["5", "9"])],
      ["y", new Set([""])],
    ]),
  );
});

describe("a second key of the same organization", () => {
  const lists = [list("primary", slug("a")), list("sameOrg", slug("b")), productOf("a")];
  const fixturesWith = (sameOrgKey: Fixtures["sameOrgKey"]) => ({ sameOrgKey }) as Fixtures;
  const entitledWith = (sameOrgKey: Fixtures["sameOrgKey"]) => {
    const { entitled } = factsOf(lists, { fieldNames: {}, fixtures: fixturesWith(sameOrgKey) });
    return [entitled("primary"), entitled("sameOrg")];
  };
  const doubt = { code: "key-lists-differ", subject: "sameOrg" } as const;

  test("that may belong to another one is judged by its own list", () => {
    const key = { present: true, value: { role: "contradicted", doubt } } as const;
    expect(entitledWith(key)).toEqual([new Set(["a"]), new Set(["b"])]);
  });

  test.each<[string, Fixtures["sameOrgKey"]]>([
    ["confirmed", { present: true, value: { role: "asNamed" } }],
    ["unclear", { present: true, value: { role: "unclear", doubt } }],
    ["missing", { present: false, missing: doubt }],
  ])("that is %s shares the lists of the first", (_name, key) => {
    const both = new Set(["a", "b"]);
    expect(entitledWith(key)).toEqual([both, both]);
  });
});
