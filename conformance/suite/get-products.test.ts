import { expect, test } from "vitest";
import type { CheckContext } from "../engine/check.ts";
import { discovered } from "../testing/stub-discovery.ts";
import { exchangeOf } from "../testing/stub-exchange.ts";
import section from "./get-products.check.ts";

/** What the check of known GTINs says when all of them are answered with this product. */
async function knownGtinsAnsweredWith(product: Record<string, unknown>) {
  const { fixtures, dialect } = await discovered();
  const answer = async () => exchangeOf("lookup-by-gtin", product);
  const check = section.checks.find(({ id }) => id === "query.gtin/known");
  const context: CheckContext = {
    fixtures,
    dialect,
    target: { name: "stub", baseUrl: "", keys: {}, categories: [], dialect: {}, timeoutMilliseconds: 1 },
    ask: answer,
    shared: answer,
    control: answer,
    sendAtOnce: answer,
    once: (_, work) => work(),
    tryOut: answer,
    exchanges: [],
    effort: 1,
    known: () => undefined,
    sleep: async () => undefined,
  };
  return await check?.run(context);
}

test("a product of another retailer that shows no GTIN may carry the one that was asked for", async () => {
  const outcome = await knownGtinsAnsweredWith({ retailer: "zeta", product_id: "9", gtin: undefined });
  expect(outcome?.kind).toBe("pass");
});

test("what stands beside the GTINs in a list of identifiers is no other GTIN", async () => {
  const outcome = await knownGtinsAnsweredWith({ retailer: "zeta", product_id: "9", gtin: "mpn-7" });
  expect(outcome?.kind).toBe("pass");
});

test.each([
  ["of another retailer, with another GTIN", { retailer: "zeta", product_id: "9", gtin: "4006381333931" }],
  [
    "of another retailer, with a GTIN whose check digit is wrong",
    { retailer: "zeta", gtin: "4006381333930" },
  ],
  ["of the same retailer, with another id", { retailer: "acme", product_id: "9" }],
])("a product %s is the wrong one", async (_, product) => {
  const outcome = await knownGtinsAnsweredWith(product);
  expect(outcome).toMatchObject({
    kind: "fail",
    findings: [{ code: "other-product", endpoint: "lookup-by-gtin", condition: "known-gtin" }],
  });
});
