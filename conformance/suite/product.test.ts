import { describe, expect, test } from "vitest";
import type { EndpointId } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import { stubContext, withBody } from "../../test/support/stub-context.ts";
import section from "./product.check.ts";

type Body = Readonly<Record<string, unknown>>;

/** The outcome of a check when every product is changed; `count` is the number of the request. */
async function outcomeOf(
  id: string,
  change: (product: Body, endpoint: EndpointId | "other", count: number) => Body,
) {
  let count = 0;
  const context = await stubContext(({ endpoint }, correct) => {
    const { json } = correct.response;
    if (!isObject(json)) return correct;
    count++;
    return Array.isArray(json.products)
      ? withBody(correct, {
          ...json,
          products: json.products.filter(isObject).map((one) => change(one, endpoint, count)),
        })
      : withBody(correct, change(json, endpoint, count));
  });
  const outcome = await section.checks.find((check) => check.id === id)?.run(context);
  return { kind: outcome?.kind, findings: outcome?.findings };
}

const images = (count: number) => Array.from({ length: count }, (_, index) => `https://img.example/${index}`);
const ways = [
  ["url", "lookup-by-url"],
  ["gtin", "lookup-by-gtin"],
  ["category", "category-page"],
  ["batch", "batch"],
] as const;

describe.each(ways)("by %s", (way, endpoint) => {
  const shape = `product.same-shape/by-${way}`;
  const values = `product.same-values/by-${way}`;

  test("a product that is gone by id has no fields to compare: its status is the fact", async () => {
    let lookups = 0;
    const context = await stubContext((request, correct) => {
      if (request.endpoint !== "lookup-by-id")
        return withBody(correct, JSON.parse(correct.response.text.replaceAll('"title"', '"name"')));
      return ++lookups === 1
        ? correct
        : { ...correct, response: { ...correct.response, status: 404, json: {} } };
    });
    const outcome = await section.checks.find(({ id }) => id === shape)?.run(context);
    expect(outcome?.findings).toEqual([
      expect.objectContaining({
        code: "wrong-status",
        endpoint: "lookup-by-id",
        actual: 404,
        expected: [200],
      }),
    ]);
  });

  test("a shorter list is another value", async () => {
    const outcome = await outcomeOf(values, (product, at) => ({
      ...product,
      images: images(at === endpoint ? 1 : 3),
    }));
    expect(outcome).toMatchObject({
      kind: "fail",
      findings: [{ subject: "images", endpoint, expected: images(3), actual: images(1) }],
    });
  });

  test("a list that has the same length for some requests by chance passes", async () => {
    const coincidence = await outcomeOf(values, (product, at, count) => ({
      ...product,
      images: images(at === endpoint || count > 6 ? 3 : 1),
    }));
    expect(coincidence.kind).toBe("pass");
  });

  test("a list that changes from request to request passes", async () => {
    const changing = await outcomeOf(values, (product, at, count) => ({
      ...product,
      images: images(at === endpoint ? count : 3),
    }));
    expect(changing.kind).toBe("pass");
  });
});

test.each([
  ["an index", { index: 3 }, "pass"],
  ["a status", { status: "found" }, "pass"],
  ["a price", { wholesale_price: 1.5 }, "fail"],
  ["an object", { pricing: { amount: 3 } }, "fail"],
  ["a field of the spec", { currency: "EUR" }, "fail"],
])("%s that only the entries of a batch have beside the product", async (_, extra, kind) => {
  const outcome = await outcomeOf(
    "product.same-shape/by-batch",
    ({ currency: _currency, ...product }, at) => ({
      ...product,
      ...(at === "batch" && extra),
    }),
  );
  expect(outcome.kind).toBe(kind);
});
