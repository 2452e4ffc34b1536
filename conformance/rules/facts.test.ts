import { expect, test } from "vitest";
import type { Caller } from "../client/target.ts";
import { exchangeOf } from "../testing/stub-exchange.ts";
import { factsOf } from "./facts.ts";

const list = (caller: Caller, ...retailers: readonly unknown[]) =>
  exchangeOf("retailers", { retailers }, { caller });
const slug = (text: string) => ({ slug: text, name: text, domains: [] });

const productOf = (retailer: string) => exchangeOf("lookup-by-url", { retailer, product_id: "1" });

test("every list of the run counts, since retailers come and go; the keys of one organization share theirs", () => {
  const lists = [
    list("primary", slug("a")),
    list("sameOrg", slug("b")),
    list("otherOrg", slug("c")),
    list("primary"),
  ];
  const { entitled } = factsOf([...lists, productOf("a")], { dialect: {} });
  expect(entitled("primary")).toEqual(new Set(["a", "b"]));
  expect(entitled("sameOrg")).toEqual(new Set(["a", "b"]));
  // Whose products were seen does not matter, nor that none of its own were.
  expect(entitled("otherOrg")).toEqual(new Set(["c"]));
  expect(entitled("nobody")).toBeUndefined();
});

test("an empty list grants nothing, and no list says nothing", () => {
  const facts = factsOf([list("primary"), list("otherOrg", slug("a")), productOf("a")], { dialect: {} });
  expect(facts.entitled("primary")).toEqual(new Set());
  const noLists = [
    exchangeOf("retailers", { retailers: [slug("a")] }, { status: 500 }),
    exchangeOf("retailers", { retailers: "a" }),
    exchangeOf("other", { retailers: [slug("a")] }),
    exchangeOf("retailers", undefined, { text: "<html>" }),
    productOf("a"),
  ];
  expect(factsOf(noLists, { dialect: {} }).entitled("primary")).toBeUndefined();
});

test("a list in which an entry does not say its slug does not say what is granted", () => {
  for (const entry of [{ name: "B" }, { slug: 7 }, null, "b"]) {
    const lists = [list("primary", slug("a"), entry), list("otherOrg", slug("c"))];
    const facts = factsOf([...lists, productOf("a")], { dialect: {} });
    expect(facts.entitled("primary")).toBeUndefined();
    expect(facts.entitled("otherOrg")).toEqual(new Set(["c"]));
  }
});

test("lists and products that spell every retailer differently do not say what is granted", () => {
  const facts = factsOf([list("primary", slug("a")), list("otherOrg", slug("c")), productOf("A Inc")], {
    dialect: {},
  });
  expect(facts.entitled("primary")).toBeUndefined();
  expect(facts.entitled("otherOrg")).toBeUndefined();
});

test("names are those that are no slug of their own retailer", () => {
  const { retailerNames } = factsOf(
    [list("primary", slug("a"), { slug: "b", name: "The B" }, { slug: "c" })],
    { dialect: {} },
  );
  expect(retailerNames).toEqual(new Set(["The B"]));
});
