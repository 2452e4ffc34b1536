import { expect, test } from "vitest";
import { sparsest } from "./choose-products.ts";

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
