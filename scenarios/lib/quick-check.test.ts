import { expect, test } from "vitest";
import { catalogFrom, productPath } from "./catalog.ts";
import { batchResult, productList, type QuickCheck, single } from "./quick-check.ts";
import { createResponseRules } from "./response-rules.ts";
import { sampleFixtures } from "./sample-fixtures.ts";
import { callOf, type LoadCall } from "./traffic.ts";

const fieldNames = { batchFoundField: "found", batchFoundProduct: "item", gtin: "identifiers.gtin" };
const rules = createResponseRules(fieldNames);

const product: Readonly<Record<string, unknown>> = {
  retailer: "north",
  retailer_name: "Nørth & Söhne 北",
  product_id: "A/1 %",
  title: 'A "bottle" \\ é',
  price: 9.5,
  currency: "EUR",
  last_updated: "2026-01-01T00:00:00Z",
  images: [{ url: "https://img.example/1.jpg", width: 800 }],
  identifiers: { gtin: "04006381333931" },
};
const second = { ...product, product_id: "B" };

interface Case {
  readonly quick: QuickCheck;
  readonly call: LoadCall;
  readonly text: string;
}

const byId: LoadCall = { name: "lookup-by-id", path: productPath("north", "A/1 %"), sought: '"A/1 %"' };
const lookup = (body: unknown, call = byId): Case => ({ quick: single, call, text: textOf(body) });
const page = (
  products: unknown,
  meta: unknown = { next_cursor: "c", count: Array.isArray(products) ? products.length : 0 },
): Case => ({
  quick: productList,
  call: { name: "category-page", path: "/products?category=a" },
  text: textOf({ products, meta }),
});
const counts = { total: 2, found: 1, not_found: 1, other_errors: 0 };
const missing = { retailer: "north", product_id: "B", reason: "none" };
const batch = (
  found: unknown,
  errors: unknown = [missing],
  meta: unknown = counts,
  ids: readonly string[] = ["A/1 %", "B"],
): Case => {
  const body = JSON.stringify({ items: ids.map((id) => ({ retailer: "north", product_id: id })) });
  const call = { name: "batch", path: "/products/batch-lookup", body, size: ids.length } as const;
  return { quick: batchResult, call, text: textOf({ found, errors, meta }) };
};

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function accepts({ quick, call, text }: Case): boolean {
  return quick(text, call, fieldNames) !== false;
}

function isRight({ call, text }: Case): boolean {
  const json = () => JSON.parse(text) as unknown;
  return rules.check(call, { status: 200, body: text, json }) === undefined;
}

test.each<[string, Case]>([
  ["a product", lookup(product)],
  ["a product with a line break at its end", lookup(`${JSON.stringify(product)}\n`)],
  ["a product with blanks", lookup(JSON.stringify(product, undefined, 2))],
  ["a page", page([product, second])],
  ["a page with blanks", page([product])],
  ["the last page", page([product], { next_cursor: "", count: 1 })],
  ["a batch", batch([{ item: product }])],
  [
    "a batch whose found items are echoed",
    batch([{ retailer: "north", product_id: "A/1 %", item: product }]),
  ],
  [
    "a batch in another order",
    batch([{ item: second }, { item: product }], [], { ...counts, found: 2, not_found: 0 }),
  ],
])("%s is accepted", (_what, one) => {
  expect(isRight(one)).toBe(true);
  expect(accepts(one)).toBe(true);
});

test.each<[string, Case]>([
  ["null within a text", lookup({ ...product, title: "null and void" })],
  ["null as a text", lookup({ ...product, title: "null" })],
  ["quotes at the end of a text", lookup({ ...product, title: 'size 12"' })],
  ["an id that is written with escapes", lookup(JSON.stringify(product).replace("A/1", "A\\/1"))],
  [
    "a GTIN of another form",
    lookup(product, { ...byId, name: "lookup-by-gtin", path: "/products?gtin=4006381333931", sought: "99" }),
  ],
  [
    "an empty cursor on a page with an empty text",
    page([{ ...product, title: 'size 12"' }], { next_cursor: "", count: 1 }),
  ],
  ["ids with escapes on a page", page([{ ...product, product_id: 'a"b' }])],
  ["a page without products", page([])],
  ["a product without id on a page", page([{ ...product, product_id: undefined }])],
])("%s is left to the complete check, which finds nothing wrong", (_what, one) => {
  expect(accepts(one)).toBe(false);
  expect(isRight(one)).toBe(true);
});

const absent = [null, "", [null], { a: "" }];
test.each<[string, readonly Case[]]>([
  [
    "null and empty texts",
    Object.keys(product).flatMap((name) =>
      absent.flatMap((value) => [
        lookup({ ...product, [name]: value }),
        page([product, { ...second, [name]: value }]),
        batch([{ item: { ...product, [name]: value } }]),
      ]),
    ),
  ],
  [
    "what is no JSON object",
    ["", " ", "x", "<html>", "[]", '"A/1 %"', '{"product_id":"A/1 %"', "null"].map((text) => lookup(text)),
  ],
  ["another product", [lookup(second), lookup({ error: { code: "not_found", message: "none" } })]],
  [
    "a page that does not add up",
    [
      page([product], { next_cursor: "c", count: 2 }),
      page([product], { next_cursor: "c", count: 10 }),
      page([product], { next_cursor: "c" }),
      page([product], { count: 1 }),
      page([product], { next_cursor: 5, count: 1 }),
      page("none"),
    ],
  ],
  [
    "a batch that does not add up",
    [
      batch([{ item: product }], [missing], { ...counts, total: 3 }),
      batch([{ item: product }], [missing], { ...counts, found: 2 }),
      batch([{ item: product }], [], { ...counts, total: 1, not_found: 0 }),
      batch([{ item: product }], [missing], { ...counts, total: 3, other_errors: 1 }, ["A/1 %", "B", "C"]),
      batch([{ item: { ...product, product_id: "C" } }]),
      batch([{ item: product }], [{ ...missing, product_id: "A/1 %" }]),
      batch([{ item: product }, { item: product }], [], { ...counts, found: 2, not_found: 0 }),
      batch([], [], {}),
    ],
  ],
])("%s is not accepted", (_what, cases) => {
  expect(cases.filter(accepts)).toEqual([]);
});

test.each<[string, Case]>([
  ["a product that is on a page twice", page([product, second, second])],
  [
    "a batch with an item of another batch in its middle",
    batch(
      [{ item: product }, { item: { ...product, product_id: "X" } }, { item: second }],
      [],
      { ...counts, total: 3, found: 3, not_found: 0 },
      ["A/1 %", "C", "B"],
    ),
  ],
])("%s is seen by the complete check alone", (_what, one) => {
  expect(accepts(one)).toBe(true);
  expect(isRight(one)).toBe(false);
});

test("an error is accepted with the code of its status", () => {
  const text = JSON.stringify({ error: { code: "not_found", message: "none" } });
  expect(['"not_found"', '"forbidden"'].map((sought) => single(text, { sought }))).toEqual([true, false]);
});

test("requests seek the id of their product, the code of their error, and the digits of a GTIN", () => {
  const fixtures = sampleFixtures();
  const soughtBy = (catalog = catalogFrom(fixtures)) =>
    [
      callOf("lookup-by-id", catalog.byId.at(7)),
      callOf("lookup-by-url", catalog.byUrl.at(7)),
      callOf("lookup-by-gtin", catalog.byGtin.at(7)),
      callOf("lookup-unknown-product", catalog.unknownProduct),
    ].map(({ sought }) => sought);
  expect(soughtBy()).toEqual(['"id/7 %"', '"id/7 %"', '"id/7 %"', '"not_found"']);
  const shown = catalogFrom({ ...fixtures, dialect: { ...fixtures.dialect, gtin: "gtin" } });
  expect(soughtBy(shown)[2]).toBe("4000000000007");
});
