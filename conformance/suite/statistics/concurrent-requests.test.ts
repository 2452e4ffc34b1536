import { expect, test } from "vitest";
import { type StubFault, stubContext, withBody } from "../../../test/support/stub-context.ts";
import { byId, retailers } from "../../client/requests.ts";
import { concurrentRequests, wrongResponses } from "./concurrent-requests.ts";

test("a correct service returns no wrong response, on any lookup path and with either organization's key", async () => {
  const context = await stubContext();
  expect(await wrongResponses(context)).toEqual([]);
  expect(context.sent).toHaveLength(concurrentRequests);
  expect(new Set(context.sent.map(({ endpoint }) => endpoint))).toEqual(
    new Set(["lookup-by-id", "lookup-by-url", "lookup-by-gtin", "retailers", "batch"]),
  );
  expect(new Set(context.sent.map(({ caller }) => caller))).toEqual(new Set(["primary", "otherOrg"]));
});

test("of several products with one page, any may be returned by its URL", async () => {
  const fault: StubFault = ({ endpoint }, correct) => {
    const product = correct.response.json as object;
    return endpoint === "lookup-by-url" ? withBody(correct, { ...product, product_id: "its-twin" }) : correct;
  };
  expect(await wrongResponses(await stubContext(fault))).toEqual([]);
});

const otherProduct = { code: "other-product", condition: "at-once", path: "/product_id" } as const;

test.each<[string, StubFault, expected: object]>([
  [
    "the product of another lookup by id",
    ({ path }, correct, respond) => (path.endsWith("item-3") ? respond(byId("acme", "item-0")) : correct),
    { ...otherProduct, expected: "item-3", actual: "item-0" },
  ],
  [
    "another product to a lookup by URL",
    ({ endpoint }, correct, respond) =>
      endpoint === "lookup-by-url" ? respond(byId("acme", "item-9")) : correct,
    { ...otherProduct, actual: "item-9" },
  ],
  [
    "an item of another batch",
    ({ endpoint }, correct) =>
      endpoint === "batch"
        ? withBody(correct, { products: [{ retailer: "acme", product_id: "of another" }] })
        : correct,
    { code: "item-not-sent", path: "/products/0", actual: { retailer: "acme", product_id: "of another" } },
  ],
  [
    "the retailers of the other organization",
    ({ endpoint }, correct, respond) =>
      endpoint === "retailers" ? respond({ ...retailers(), caller: "otherOrg" }) : correct,
    { code: "retailer-of-other-organization", subject: "zeta", path: "/retailers/1" },
  ],
])("%s is a wrong response", async (_name, fault, expected) => {
  const [wrong] = await wrongResponses(await stubContext(fault));
  expect(wrong?.finding).toMatchObject(expected);
});

test("errors are judged elsewhere, and a thorough run sends more rounds", async () => {
  const context = await stubContext(
    (_request, { response, ...exchange }) => ({ ...exchange, response: { ...response, status: 500 } }),
    { effort: 2 },
  );
  expect(await wrongResponses(context)).toEqual([]);
  expect(context.sent).toHaveLength(2 * concurrentRequests);
});
