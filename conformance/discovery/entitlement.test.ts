import { describe, expect, test } from "vitest";
import { gtinOf } from "../../test/support/stub-discovery.ts";
import { needGtin } from "./entitlement.ts";

describe("a product of a retailer that is not granted", () => {
  const product = { retailer: "zeta", productId: "1", product: {} };

  test("is looked up by the GTIN by which the other organization found it", () => {
    expect(needGtin({ ...product, gtin: gtinOf(1) })).toBe(gtinOf(1));
  });

  test.each([
    ["without a GTIN", undefined, { code: "no-product-with", subject: "gtin" }],
    ["that is not found by it", 404, { code: "nothing-found-by", endpoint: "lookup-by-gtin", actual: 404 }],
    ["whose lookup failed", 500, { code: "nothing-found-by", endpoint: "lookup-by-gtin", actual: 500 }],
  ])("%s gives its own reason", (_state, gtinStatus, finding) => {
    expect(() => needGtin(gtinStatus === undefined ? product : { ...product, gtinStatus })).toThrow(
      expect.objectContaining({
        finding: expect.objectContaining({ ...finding, details: { retailer: "zeta" } }),
      }),
    );
  });
});
