import { expect, test } from "vitest";
import type { Validators } from "../../../scenarios/lib/response-rules.ts";
import { renderValidators } from "./validators.ts";

// What they accept is shown by same-judgement.test.ts. Here they are a separate module, as in a bundle.
test("the validators in a bundle name the rule that a response violates", async () => {
  const text = encodeURIComponent(renderValidators());
  const module = (await import(/* @vite-ignore */ `data:text/javascript,${text}`)) as {
    validators: Validators;
  };
  const { product, errorBody } = module.validators;
  expect(product({ title: null, price: 9.5 })).toBe(true);
  expect(errorBody({ error: { code: "not_found", message: "none" } })).toBe(true);
  expect(errorBody({ error: { code: 404, message: "none" } })).toBe(false);
  expect(product({ price: "9.5" })).toBe(false);
  expect(product.errors).toMatchObject([{ instancePath: "/price", keyword: "type" }]);
});
