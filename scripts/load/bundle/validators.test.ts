import { beforeAll, describe, expect, test } from "vitest";
import type { Validators } from "../../../scenarios/lib/response-rules.ts";
import { renderValidators } from "./validators.ts";

const product = { retailer: "north", product_id: "1", title: "Bottle", price: 9.5 };
const page = { products: [product], meta: { next_cursor: "", count: 1 } };
const meta = { total: 1, found: 1, not_found: 0, other_errors: 0 };

let validators: Validators;
beforeAll(async () => {
  // As a separate module, as in a bundle.
  const text = encodeURIComponent(renderValidators());
  ({ validators } = (await import(/* @vite-ignore */ `data:text/javascript,${text}`)) as {
    validators: Validators;
  });
});

describe("the validators in a bundle", () => {
  const cases: [keyof Validators, valid: boolean, data: unknown][] = [
    ["product", true, product],
    ["product", true, {}],
    ["product", true, { title: null }],
    ["product", false, { ...product, price: "9.5" }],
    ["product", false, { ...product, last_updated: 5 }],
    ["product", false, []],
    ["productList", true, page],
    ["productList", false, { ...page, meta: { count: 1 } }],
    ["productList", false, { ...page, products: [{ price: "9.5" }] }],
    ["batchResult", true, { found: [], errors: [], meta }],
    ["batchResult", false, { found: [], errors: [], meta: { ...meta, found: undefined } }],
    ["errorBody", true, { error: { code: "not_found", message: "none" } }],
    ["errorBody", false, { error: { code: 404, message: "none" } }],
    ["errorBody", false, product],
  ];
  test.each(cases)("%s: %j of %j", (name, valid, data) => {
    expect(validators[name](data)).toBe(valid);
  });

  test("name the rule that a response violates", () => {
    validators.product({ price: "9.5" });
    expect(validators.product.errors).toMatchObject([{ instancePath: "/price", keyword: "type" }]);
  });
});
