import { expect, test } from "vitest";
import { productFields } from "../../schemas/contracts/product.ts";
import { isObject, pointer, stepsOf } from "../../schemas/json.ts";
import { exampleFacts, goodProduct } from "../../test/support/rule-examples/example.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import { rules } from "./judge-all.ts";

/** A good response of each kind, with every field that the spec names. */
const responses = [
  exchangeOf("retailers", { retailers: [{ slug: "acme", name: "Acme Inc", domains: ["acme.example"] }] }),
  exchangeOf("lookup-by-id", goodProduct, { url: "http://stub.example/v1/products/acme/A1" }),
  exchangeOf("category-page", { products: [], meta: { next_cursor: "x", count: 0 } }),
  exchangeOf(
    "batch",
    {
      products: [],
      errors: [{ retailer: "acme", product_id: "A2" }],
      meta: { total: 1, found: 0, not_found: 1, other_errors: 0 },
    },
    { requestBody: JSON.stringify({ items: [{ retailer: "acme", product_id: "A2" }] }) },
  ),
  errorOf(404, "not_found"),
];

/** JSON Pointers to the fields of a body: scalars, and lists. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value))
    return [path, ...value.flatMap((entry: unknown, index) => fieldsOf(entry, path + pointer(index)))];
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, path + pointer(name)));
}

function withValue(body: unknown, path: string, value: unknown): unknown {
  const [step, ...rest] = stepsOf(path);
  if (step === undefined) return value;
  const inner = pointer(...rest);
  if (Array.isArray(body)) return body.with(Number(step), withValue(body[Number(step)], inner, value));
  return isObject(body) ? { ...body, [step]: withValue(body[step], inner, value) } : body;
}

const fields = responses.flatMap((exchange) =>
  fieldsOf(exchange.response.json)
    // The spec does not name the identifiers of a product.
    .filter((path) => !path.startsWith("/identifiers"))
    .map((path) => ({ endpoint: exchange.endpoint, path, exchange })),
);

test("every field of a product that the spec names is among them", () => {
  const shown = fields.map(({ path }) => path);
  expect(shown).toEqual(expect.arrayContaining(Object.keys(productFields).map((name) => pointer(name))));
});

test.each(fields)("$endpoint $path: another type is found by a rule", ({ path, exchange }) => {
  const { json: body } = exchange.response;
  const found = (json: unknown) => {
    const response = { ...exchange.response, json, text: JSON.stringify(json) };
    return rules.flatMap((rule) => rule.judge({ ...exchange, response }, exampleFacts) ?? []);
  };
  expect(found(body)).toEqual([]);
  expect(found(withValue(body, path, { odd: [0] }))).not.toEqual([]);
});
