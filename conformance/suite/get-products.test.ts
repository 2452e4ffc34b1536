import { expect, test } from "vitest";
import { stubContext, withBody } from "../../test/support/stub-context.ts";
import { byId } from "../client/requests.ts";
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

test("a product of the same retailer without a GTIN and with another id is wrong", async () => {
  const outcome = await outcomeWith({ retailer: "acme", product_id: "9" });
  expect(outcome).toMatchObject({
    kind: "fail",
    findings: [{ code: "other-product", endpoint: "lookup-by-gtin", condition: "known-gtin" }],
  });
});

test.each([
  ["names the page", true, "pass"],
  ["names another page", false, "fail"],
])("a lookup by URL may return another product only if it %s", async (_which, namesThePage, expected) => {
  const context = await stubContext((request, correct, respond) => {
    if (request.endpoint !== "lookup-by-url") return correct;
    const url = new URLSearchParams(request.path.split("?")[1]).get("url");
    const other = Object(respond(byId("acme", "item-3")).response.json);
    return withBody(correct, namesThePage ? { ...other, product_url: url } : other);
  });
  const outcome = await section.checks.find(({ id }) => id === "query.url/known-page")?.run(context);
  expect(outcome?.kind).toBe(expected);
});
