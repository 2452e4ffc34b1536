import { describe, expect, test } from "vitest";
import { productFields } from "../../schemas/contracts/product.ts";
import { isObject, pointer, stepsOf } from "../../schemas/json.ts";
import { exampleFacts, goodProduct } from "../../test/support/rule-examples/example.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import type { CheckId } from "../requirements/all.ts";
import { listChecks } from "../suite/all.ts";
import { rules } from "./rules.ts";

// Every field of every response is looked at: its type by a rule, and its value by a rule or check, unless the spec leaves
// it open. A field that is new in a response must be added here.

/** What looks at the value of a field, or the sentence of the spec why nothing does. */
type Judged = readonly [CheckId, ...CheckId[]] | string;

const values: Readonly<Record<string, Judged>> = {
  "retailers /retailers": ["retailers.shape/every-list", "retailers.scope/all-granted"],
  "retailers /retailers/*/slug": ["retailer.slug/every-entry", "retailer.slug/accepted"],
  "retailers /retailers/*/name": ["product.retailer-name/of-another", "product.listed-name/as-listed"],
  "retailers /retailers/*/domains": ["retailer.domains/every-entry"],
  "retailers /retailers/*/domains/*": ["retailer.host-names/every-entry", "retailer.detection/every-product"],
  "product /retailer": ["by-id.product/every-response", "authentication.entitlement/every-product"],
  "product /retailer_name": ["product.retailer-name/of-another", "product.listed-name/as-listed"],
  "product /product_id": ["by-id.product/every-response", "batch.lookup/every-batch"],
  "product /title": ["product.same-values/by-category", "service.stand-ins/every-product"],
  "product /price": ["product.same-shape/by-category", "service.stand-ins/every-product"],
  "product /currency": ["product.currency/every-product"],
  "product /availability": ["product.same-values/by-category", "service.stand-ins/every-product"],
  "product /product_url": ["product.product-url/every-product", "retailer.detection/every-product"],
  "product /last_updated": [
    "product.last-updated/every-product",
    "product.freshness/every-product",
    "product.last-updated/in-one-zone",
  ],
  "product /identifiers/*/value": ["query.gtin/every-response"],
  "product /identifiers/*/type":
    "Their exact field names and types, and the rest of the allow-list: not shown.",
  "category-page /products": ["page.products/every-page", "query.paging/every-page"],
  "category-page /meta/next_cursor": ["page.last-cursor/walk-ends", "query.paging/no-repeats"],
  "category-page /meta/count": ["page.count/every-page"],
  "batch /products": ["batch.summary/every-item"],
  "batch /errors": ["batch.summary/every-item"],
  "batch /errors/*/retailer": ["batch-result.echo/every-batch"],
  "batch /errors/*/product_id": ["batch-result.echo/every-batch", "batch-result.echo/to-the-letter"],
  "batch /meta/total": ["batch.summary/every-item"],
  "batch /meta/found": ["batch.summary/every-batch"],
  "batch /meta/not_found": ["batch.summary/every-batch", "batch.partial/one-missing"],
  "batch /meta/other_errors": ["batch.summary/every-batch"],
  "error /error/code": ["errors.not-found/code"],
  "error /error/message": "Human-readable text. Its wording may change.",
};

/** Fields that the spec does not name: their type is not judged. */
const ofAnyType: ReadonlySet<string> = new Set([
  "product /identifiers/*/value",
  "product /identifiers/*/type",
]);

const known = { retailer: "acme", product_id: "A1" };
const unknown = { retailer: "acme", product_id: "A2" };

/** A good response of each kind. */
const responses: Readonly<Record<string, Exchange>> = {
  retailers: exchangeOf("retailers", {
    retailers: [{ slug: "acme", name: "Acme Inc", domains: ["acme.example"] }],
  }),
  product: exchangeOf("lookup-by-id", goodProduct, { url: "http://stub.example/v1/products/acme/A1" }),
  "category-page": exchangeOf("category-page", { products: [], meta: { next_cursor: "x", count: 0 } }),
  batch: exchangeOf(
    "batch",
    {
      products: [goodProduct],
      errors: [unknown],
      meta: { total: 2, found: 1, not_found: 1, other_errors: 0 },
    },
    { requestBody: JSON.stringify({ items: [known, unknown] }) },
  ),
  error: errorOf(404, "not_found"),
};

/** JSON Pointers to the fields of a body: scalars, and lists. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value))
    return [path, ...value.flatMap((entry: unknown, index) => fieldsOf(entry, path + pointer(index)))];
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, path + pointer(name)));
  return [path];
}

function withValue(body: unknown, path: string, value: unknown): unknown {
  const [step, ...rest] = stepsOf(path);
  if (step === undefined) return value;
  const inner = pointer(...rest);
  if (Array.isArray(body)) return body.with(Number(step), withValue(body[Number(step)], inner, value));
  return isObject(body) ? { ...body, [step]: withValue(body[step], inner, value) } : body;
}

const fields = Object.entries(responses).flatMap(([kind, exchange]) =>
  fieldsOf(exchange.response.json)
    // The products of lists are those of lookups.
    .filter((path) => !/^\/products\/\d/.test(path) && path !== "/identifiers")
    .map((path) => ({ kind, path, name: `${kind} ${path.replaceAll(/\/\d+(?=\/|$)/g, "/*")}` })),
);

describe("the fields of all responses", () => {
  test("are those of the table, and all of a product that the spec names are among them", () => {
    expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(values).sort());
    for (const name of Object.keys(productFields)) expect(values).toHaveProperty([`product /${name}`]);
  });

  test("are looked at by rules and checks that exist, or a sentence says why not", () => {
    const ids = listChecks().map(({ id }) => id);
    for (const judged of Object.values(values))
      if (typeof judged === "string") expect(judged).toMatch(/^[A-Z].{20,}\.$/);
      else expect(ids).toEqual(expect.arrayContaining([...judged]));
  });

  test.each(fields.filter(({ name }) => !ofAnyType.has(name)))(
    "$name: another type is found by a rule",
    ({ kind, path }) => {
      const exchange = responses[kind];
      if (exchange === undefined) throw new Error(kind);
      const found = (json: unknown) => {
        const { response } = exchange;
        const changed = { ...exchange, response: { ...response, json, text: JSON.stringify(json) } };
        return rules.flatMap((rule) => rule.judge(changed, exampleFacts) ?? []);
      };
      expect(found(exchange.response.json)).toEqual([]);
      expect(found(withValue(exchange.response.json, path, { odd: [0] }))).not.toEqual([]);
    },
  );
});
