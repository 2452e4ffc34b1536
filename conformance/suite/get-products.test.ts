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

test.each([
  ["of another retailer, with another GTIN", { retailer: "zeta", product_id: "9", gtin: "4006381333931" }],
  [
    "of another retailer, with a GTIN whose check digit is wrong",
    { retailer: "zeta", gtin: "4006381333930" },
  ],
  ["of the same retailer, with another id", { retailer: "acme", product_id: "9" }],
])("a product %s is wrong", async (_, product) => {
  const outcome = await outcomeWith(product);
  expect(outcome).toMatchObject({
    kind: "fail",
    findings: [{ code: "other-product", endpoint: "lookup-by-gtin", condition: "known-gtin" }],
  });
});

test.each([
  ["has the same page", true, "pass"],
  ["has another page", false, "fail"],
])("a lookup by URL may return another product only if it %s", async (_which, sharesThePage, expected) => {
  const other = byId("acme", "item-3");
  let url: string | null = null;
  const context = await stubContext((request, correct, respond) => {
    const { response } = respond(other);
    if (request.endpoint === "lookup-by-url") {
      url = new URLSearchParams(request.path.split("?")[1]).get("url");
      return { ...correct, response };
    }
    return sharesThePage && request.path === other.path
      ? withBody(correct, { ...Object(response.json), product_url: url })
      : correct;
  });
  const outcome = await section.checks.find(({ id }) => id === "query.url/known-page")?.run(context);
  expect(outcome?.kind).toBe(expected);
});
