import { expect, test } from "vitest";
import { gtinOf } from "../testing/stub-discovery.ts";
import { needGtin } from "./entitlement.ts";

const gtin = gtinOf(1);
const foreign = (product: Readonly<Record<string, unknown>>) => ({
  retailer: "zeta",
  productId: "1",
  product,
});

test("a GTIN is used once the other organization has found its product by it", () => {
  expect(needGtin({ ...foreign({ gtin }), gtin }, "gtin")).toBe(gtin);
});

test.each([
  ["has none", {}, "gtin", { code: "no-product-with", subject: "gtin", details: { retailer: "zeta" } }],
  ["may have one at an unknown place", { gtin }, undefined, { code: "no-product-with" }],
  [
    "is not found by it",
    { gtin },
    "gtin",
    {
      code: "nothing-found-by",
      endpoint: "lookup-by-gtin",
      subject: "otherOrg",
      details: { retailer: "zeta" },
    },
  ],
])("a product that %s gives its own reason", (_state, product, path, finding) => {
  expect(() => needGtin(foreign(product), path)).toThrow(
    expect.objectContaining({ finding: expect.objectContaining(finding) }),
  );
});
