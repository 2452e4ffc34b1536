import { expect, test } from "vitest";
import { covering, kindsIn, lookAlikes, oneOfEachRetailerFirst, sparsest } from "./identifiers.ts";

test.each([
  ["a/b", ["slash", "lower-case"]],
  ["000123", ["digits-only", "leading-zero"]],
  ["50%", ["percent", "odd-end"]],
  ["SKU-1-r", ["mixed-case"]],
  ["ref. 12;x", ["dot", "blank", "semicolon", "lower-case"]],
  ["e\u0301", ["non-ascii", "decomposed", "lower-case", "odd-end"]],
  ["B0000001", []],
])("the id %j has the kinds %j", (id, kinds) => {
  expect(kindsIn("product_id", id)).toEqual(kinds);
});

test("URLs and GTINs have kinds for what a query parameter or a number may lose", () => {
  expect(kindsIn("product_url", "https://Shop.example:8443/p%20/?a=1&b=2#top")).toEqual([
    "query",
    "two-parameters",
    "fragment",
    "percent-encoded",
    "upper-case-host",
    "port",
  ]);
  expect(kindsIn("product_url", "https://shop.example/a%2fb%26")).toEqual(
    expect.arrayContaining(["encoded-slash", "encoded-delimiter"]),
  );
  expect(kindsIn("gtin", "036000291452")).toEqual(["12-digits", "leading-zero"]);
});

test("a few identifiers cover all kinds, up to the maximum", () => {
  const all = ["plain", "a/b", "x;y", "a/b;c", "1+1", "p l", "q+r s"];
  const kinds = (id: string) => kindsIn("product_id", id);
  const chosen = covering(all, kinds, 10);
  expect(chosen).toEqual(["a/b;c", "q+r s"]);
  expect(new Set(chosen.flatMap(kinds))).toEqual(new Set(all.flatMap(kinds)));
  expect(covering(all, kinds, 1)).toEqual(["a/b;c"]);
});

test("two ids of one retailer that a service may mistake for one another are named as a kind", () => {
  const products = ["acme 7", "acme 007", "brix Ab", "acme aB", "acme a-B", "acme 7x"].map((text) => {
    const [retailer = "", id = ""] = text.split(" ");
    return { text, retailer, id };
  });
  const alike = lookAlikes("product_id", products, ({ id }) => id);
  expect(new Map([...alike].map(([{ text }, names]) => [text, names]))).toEqual(
    new Map([
      ["acme 7", ["no-leading-zeros 0", "first-number 0"]],
      ["acme 007", ["no-leading-zeros 1"]],
      ["acme aB", ["letters-and-digits 0"]],
      ["acme a-B", ["letters-and-digits 1"]],
      ["acme 7x", ["first-number 1"]],
    ]),
  );
});

test("URLs that differ in their query are alike, and those with a fragment are left out", () => {
  const urls = ["https://a.example/p?x=1#top", "https://a.example/p?x=2", "https://a.example/p?x=3"];
  const products = urls.map((url) => ({ retailer: "acme", url }));
  const alike = lookAlikes("product_url", products, ({ url }) => url);
  expect([...alike.keys()]).toEqual(products.slice(1));
});

const lacking = (name: string, ...missing: readonly string[]) => {
  const whole: Record<string, unknown> = { title: "T", price: 1, brand: "B", currency: "EUR" };
  return {
    name,
    product: Object.fromEntries(Object.entries(whole).filter(([key]) => !missing.includes(key))),
  };
};

test("chooses few products that together lack the most fields", () => {
  const products = [
    lacking("whole"),
    lacking("a", "price"),
    lacking("b", "price", "brand"),
    lacking("c", "title"),
  ];
  expect(sparsest(products, 3).map(({ name }) => name)).toEqual(["b", "c"]);
  expect(sparsest(products, 1).map(({ name }) => name)).toEqual(["b"]);
});

test("chooses none when all have the same fields, or when there are none", () => {
  expect(sparsest([lacking("x"), lacking("y")], 3)).toEqual([]);
  expect(sparsest([], 3)).toEqual([]);
});

test("puts one product of each retailer first", () => {
  const products = ["a1", "a2", "b1", "a3", "c1"].map((id) => ({ id, retailer: id.slice(0, 1) }));
  expect(oneOfEachRetailerFirst(products).map(({ id }) => id)).toEqual(["a1", "b1", "c1", "a2", "a3"]);
});
