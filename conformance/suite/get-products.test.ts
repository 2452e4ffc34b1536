import { expect, test } from "vitest";
import { stubContext, withBody } from "../../test/support/stub-context.ts";
import section from "./get-products.check.ts";

test.each([
  ["without a GTIN may have the requested one", undefined],
  ["may have an identifier of another kind in the list of GTINs", "mpn-7"],
])("a product of another retailer %s", async (_name, gtin) => {
  const product = { retailer: "zeta", product_id: "9", gtin };
  const context = await stubContext((_request, correct) => withBody(correct, product));
  const outcome = await section.checks.find(({ id }) => id === "query.gtin/known")?.run(context);
  expect(outcome?.kind).toBe("pass");
});
