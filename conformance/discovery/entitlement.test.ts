import { expect, test } from "vitest";
import { gtinOf } from "../../test/support/stub-discovery.ts";
import { needGtin } from "./entitlement.ts";

test("a product of a retailer that is not granted is looked up by the GTIN by which its organization found it", () => {
  const product = { retailer: "zeta", productId: "1", product: {} };
  expect(needGtin({ ...product, gtin: gtinOf(1) })).toBe(gtinOf(1));
  const finding = { code: "no-product-with", subject: "gtin", details: { retailer: "zeta" } };
  expect(() => needGtin(product)).toThrow(expect.objectContaining({ finding }));
});
