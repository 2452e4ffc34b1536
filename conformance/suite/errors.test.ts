import { expect, test } from "vitest";
import { isObject } from "../../schemas/json.ts";
import { type StubFault, stubContext, withBody } from "../../test/support/stub-context.ts";
import section from "./errors.check.ts";

type Entry = Readonly<Record<string, unknown>>;

/** The outcome of the check of an unknown retailer in a batch, when the lists of its result are changed like this. */
async function outcomeWith(change: (lists: { products: Entry[]; errors: Entry[] }) => object) {
  const fault: StubFault = ({ body = "" }, correct) => {
    const { json } = correct.response;
    if (!body.includes("acme-unknown") || !isObject(json)) return correct;
    const { products = [], errors = [] } = json as { products?: Entry[]; errors?: Entry[] };
    return withBody(correct, { ...json, ...change({ products, errors }) });
  };
  const check = section.checks.find(({ id }) => id === "errors.unknown-retailer/in-batch");
  return await check?.run(await stubContext(fault));
}

const upstreamError = { retailer: "acme", product_id: "item-0", error: { code: "upstream_error" } };

test("it is listed beside an upstream error of the other item", async () => {
  const outcome = await outcomeWith(({ errors }) => ({ products: [], errors: [...errors, upstreamError] }));
  expect(outcome).toMatchObject({ kind: "pass" });
});

test("it is missing, and the other item is an upstream error", async () => {
  const outcome = await outcomeWith(() => ({ products: [], errors: [upstreamError] }));
  expect(outcome).toMatchObject({ kind: "fail", findings: [{ code: "item-missing" }] });
});
