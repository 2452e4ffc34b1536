import { expect, test } from "vitest";
import { stubContext, withBody } from "../../test/support/stub-context.ts";
import section from "./get-products.check.ts";

/** The outcome for known GTINs when every lookup returns this product. */
async function outcomeWith(product: Record<string, unknown>) {
  const context = await stubContext((_request, correct) => withBody(correct, product));
  return await section.checks.find(({ id }) => id === "query.gtin/known")?.run(context);
}

test("a product of another retailer without a GTIN may have the requested one", async () => {
  const outcome = await outcomeWith({ retailer: "zeta", product_id: "9", gtin: undefined });
  expect(outcome?.kind).toBe("pass");
});

test("an identifier of another kind in the list of GTINs is not another GTIN", async () => {
  const outcome = await outcomeWith({ retailer: "zeta", product_id: "9", gtin: "mpn-7" });
  expect(outcome?.kind).toBe("pass");
});
