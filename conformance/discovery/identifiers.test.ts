import { expect, test } from "vitest";
import { covering, kindsIn, oneOfEachRetailerFirst, sparsest } from "./identifiers.ts";

test.each([
  ["a/b", ["slash"]],
  ["000123", ["leading-zero"]],
  ["50%", ["percent", "odd-end"]],
  ["SKU-1-r", ["mixed-case"]],
  ["ref. 12;x", ["dot", "blank", "semicolon"]],
  ["e\u0301", ["non-ascii", "odd-end"]],
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
    "upper-case",
    "port",
  ]);
  expect(kindsIn("product_url", "https://shop.example/a%2fb%26")).toEqual(
    expect.arrayContaining(["percent-encoded", "encoded-delimiter"]),
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

test("puts one product of each retailer first", () => {
  const products = ["a1", "a2", "b1", "a3", "c1"].map((id) => ({ id, retailer: id.slice(0, 1) }));
  expect(oneOfEachRetailerFirst(products).map(({ id }) => id)).toEqual(["a1", "b1", "c1", "a2", "a3"]);
});
