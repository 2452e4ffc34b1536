import { expect, test } from "vitest";
import { NotJudged } from "../requirements/outcome.ts";
import { absent, need, needField, present } from "./fixtures.ts";

const product = { retailer: "zeta", productId: "1", product: {} };

test("a present value is returned, also a falsy one", () => {
  for (const value of [0, "", false, []]) expect(need(present(value))).toBe(value);
  expect(needField({ ...product, gtin: "" }, "gtin")).toBe("");
});

test.each([
  [{ code: "no-same-org-key" }, () => need(absent({ code: "no-same-org-key" }))],
  [
    { code: "no-product-with", subject: "gtin", details: { retailer: "zeta" } },
    () => needField({ ...product, url: "x" }, "gtin"),
  ],
])("an absent one is not judged, with its reason: %j", (finding, take) => {
  expect(take).toThrow(NotJudged);
  expect(take).toThrow(expect.objectContaining({ finding }));
});
