import { expect, test } from "vitest";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Endpoint } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import { factsOf } from "./facts.ts";

const list = (caller: Caller, ...retailers: readonly unknown[]) =>
  exchangeOf("retailers", { retailers }, { caller });
const slug = (text: string) => ({ slug: text, name: text, domains: [] });

const product = exchangeOf("lookup-by-url", { retailer: "a", product_id: "1" });
const ofOther = list("otherOrg", slug("c"));
const of = (...slugs: readonly string[]) => new Set(slugs);
const failed = exchangeOf("retailers", { retailers: [slug("d")] }, { status: 500 });
const noLists = [failed, { ...list("primary", slug("e")), endpoint: "other" } as const];

test.each<[string, Exchange[], primary: ReadonlySet<string> | undefined, other?: ReadonlySet<string>]>([
  [
    "all lists count, and those of one organization's keys are merged",
    [
      list("primary", slug("a")),
      list("sameOrg", slug("b")),
      ofOther,
      list("primary"),
      product,
      ...noLists,
    ].concat(list("nobody", slug("a"))),
    of("a", "b"),
    of("c"),
  ],
  ["an empty list grants nothing", [list("primary"), list("otherOrg", slug("a")), product], of(), of("a")],
  ["without a list nothing is known", [product], undefined],
  ...[{ name: "B" }, { slug: 7 }, null, "b"].map(
    (entry): [string, Exchange[], undefined, ReadonlySet<string>] => [
      `nothing is known from a list with ${JSON.stringify(entry)}`,
      [list("primary", slug("a"), entry), ofOther, product],
      undefined,
      of("c"),
    ],
  ),
  [
    "nothing is known when lists and products spell every retailer differently",
    [list("primary", slug("b")), ofOther, product],
    undefined,
  ],
])("of what is granted, %s", (_name, exchanges, primary, other) => {
  const { entitled, listed } = factsOf(exchanges, { fieldNames: {} });
  expect([entitled("primary"), entitled("sameOrg"), entitled("otherOrg")]).toEqual([primary, primary, other]);
  expect(entitled("nobody")).toBeUndefined();
  expect([...listed.keys()].join("")).toMatch(/^[abc]*$/);
});

const page = (cursor: unknown, query: string, status = 200, endpoint: Endpoint = "category-page") => {
  const url = `http://stub.example/v1/products?category=c${query}`;
  return exchangeOf(endpoint, { products: [], meta: { next_cursor: cursor } }, { url, status });
};

test("a cursor has the limits of all requests for which a page returned it", () => {
  const pages = [
    page("x", "&limit=5"),
    page("x", "&limit=9"),
    page("y", ""),
    page("", "&limit=3"),
    page(undefined, "&limit=4"),
    page("z", "&limit=2", 200, "batch"),
  ];
  expect(factsOf(pages, { fieldNames: {} }).limitsOfCursors()).toEqual(
    new Map([
      ["x", new Set(["5", "9"])],
      ["y", new Set([""])],
    ]),
  );
});

const doubt = { code: "key-lists-differ", subject: "sameOrg" } as const;
const both = of("a", "b");

test.each<[string, Fixtures["sameOrgKey"], ReadonlySet<string>, ReadonlySet<string>]>([
  [
    "that may belong to another one",
    { present: true, value: { role: "contradicted", doubt } },
    of("a"),
    of("b"),
  ],
  ["that is confirmed", { present: true, value: { role: "asNamed" } }, both, both],
  ["that is unclear", { present: true, value: { role: "unclear", doubt } }, both, both],
  ["that is missing", { present: false, missing: doubt }, both, both],
])("a second key of the organization %s", (_name, sameOrgKey, primary, sameOrg) => {
  const lists = [list("primary", slug("a")), list("sameOrg", slug("b")), product];
  const { entitled } = factsOf(lists, { fieldNames: {}, fixtures: { sameOrgKey } as Fixtures });
  expect([entitled("primary"), entitled("sameOrg")]).toEqual([primary, sameOrg]);
});
