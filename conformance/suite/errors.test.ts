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

test.each<[string, string, (errors: readonly Entry[]) => Entry[]]>([
  ["listed", "pass", (errors) => [...errors, upstreamError]],
  ["missing", "fail", () => [upstreamError]],
])("it is %s beside an upstream error of the other item: %s", async (_name, kind, errors) => {
  const outcome = await outcomeWith((lists) => ({ products: [], errors: errors(lists.errors) }));
  expect(outcome?.kind).toBe(kind);
});
