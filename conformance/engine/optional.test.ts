import { expect, test } from "vitest";
import type { OptionalName } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { excuseFor } from "./optional.ts";

const products = (count: number) => ({ count, of: "products" }) as const;
const all: readonly OptionalName[] = [
  "sameOrgKey",
  "otherOrgKey",
  "otherRetailers",
  "gtin",
  "productUrl",
  "rateLimit",
];

test.each<[Finding, OptionalName]>([
  [{ code: "no-same-org-key" }, "sameOrgKey"],
  [{ code: "no-other-org-key" }, "otherOrgKey"],
  [{ code: "no-foreign-retailer" }, "otherRetailers"],
  [{ code: "no-foreign-product" }, "otherRetailers"],
  [{ code: "no-own-product" }, "otherRetailers"],
  [{ code: "key-role-unclear", subject: "otherOrg" }, "otherRetailers"],
  [{ code: "no-product-with", subject: "gtin" }, "gtin"],
  [{ code: "nothing-found-by", endpoint: "lookup-by-gtin", seen: products(0) }, "gtin"],
  [{ code: "no-product-with", subject: "product_url" }, "productUrl"],
  [{ code: "nothing-found-by", endpoint: "lookup-by-url", seen: products(0) }, "productUrl"],
  [{ code: "limit-not-reached" }, "rateLimit"],
  [{ code: "no-response-exercised", expected: [429], seen: { count: 0, of: "responses" } }, "rateLimit"],
])("%j is excused by %s only", (finding, name) => {
  expect(excuseFor([finding], [name])).toBe(name);
  expect(excuseFor([finding], all)).toBe(name);
  expect(
    excuseFor(
      [finding],
      all.filter((other) => other !== name),
    ),
  ).toBeUndefined();
  expect(excuseFor([finding])).toBeUndefined();
});

test.each<Finding>([
  // A configured key that is refused or in an unclear role is not excused.
  { code: "key-refused", subject: "sameOrg" },
  { code: "key-lists-differ", subject: "sameOrg" },
  { code: "key-role-unclear", subject: "sameOrg" },
  // Products that have one but are not found by it are not excused.
  { code: "nothing-found-by", endpoint: "lookup-by-gtin", seen: products(3) },
  { code: "no-answer", subject: "reset" },
  { code: "no-response-exercised", expected: [404], seen: { count: 0, of: "responses" } },
])("%j is excused by nothing", (finding) => {
  expect(excuseFor([finding], all)).toBeUndefined();
});

test("every reason must be excused", () => {
  const findings: Finding[] = [{ code: "no-same-org-key" }, { code: "no-other-org-key" }];
  expect(excuseFor(findings, ["sameOrgKey"])).toBeUndefined();
  expect(excuseFor(findings, ["sameOrgKey", "otherOrgKey"])).toBe("sameOrgKey");
  expect(excuseFor([], all)).toBeUndefined();
});
