import { expect, test } from "vitest";
import { stubContext, withBody } from "../../test/support/stub-context.ts";
import section from "./get-products.check.ts";

test.each([
  ["of its retailer without a GTIN may have the requested one", "acme", undefined],
  ["of another may have an identifier of another kind in the list of GTINs", "zeta", "mpn-7"],
])("a product %s", async (_name, retailer, gtin) => {
  const product = { retailer, product_id: "9", gtin };
  const context = await stubContext((_request, correct) => withBody(correct, product));
  const outcome = await section.checks.find(({ id }) => id === "query.gtin/known")?.run(context);
  expect(outcome?.kind).toBe("pass");
});
