import { expect, test } from "vitest";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { surveyOf } from "./survey.ts";

const page = (...products: readonly unknown[]) =>
  exchangeOf("category-page", { products, meta: { next_cursor: "", count: products.length } });

test("a product counts once, with every field it ever had", () => {
  const first = { retailer: "acme", product_id: "1", title: "a" };
  const { fields, fieldsByRetailer } = surveyOf(
    [
      page(first, { retailer: "acme", product_id: "2" }),
      exchangeOf("lookup-by-id", { ...first, images: [{ url: "u" }] }),
    ],
    {},
  );
  expect(fieldsByRetailer).toEqual({
    acme: { products: 2, fields: { retailer: 2, product_id: 2, title: 1, "images[].url": 1 } },
  });
  expect(fields).toEqual(fieldsByRetailer.acme?.fields);
});

test("a field that is null or empty counts as missing, so that omitting it is no change of the contract", () => {
  const { fields } = surveyOf(
    [page({ retailer: "acme", product_id: "1", title: "", price: null, sizes: [null, "42"], stock: 0 })],
    {},
  );
  expect(fields).toEqual({ retailer: 1, product_id: 1, "sizes[]": 1, stock: 1 });
});

test("the types at each path, lists and objects included, without null", () => {
  const { types } = surveyOf(
    [
      page(
        { retailer: "acme", price: null, sizes: [null, "42", 43], size: { width: 1 }, images: [] },
        { price: 2 },
      ),
    ],
    {},
  );
  expect(types).toEqual({
    retailer: ["string"],
    price: ["number"],
    sizes: ["array"],
    "sizes[]": ["number", "string"],
    size: ["object"],
    "size.width": ["number"],
    images: ["array"],
  });
});

test("responses are counted by endpoint and status", () => {
  const exchanges = [exchangeOf("retailers", {}), exchangeOf("retailers", {}, { status: 401 })];
  expect(surveyOf(exchanges, {}).statuses).toEqual({ retailers: { 200: 1, 401: 1 } });
});

test("the number of retailers is limited, but their fields count", () => {
  const many = Array.from({ length: 500 }, (_, index) => ({ retailer: `r${index}`, product_id: "1" }));
  const { fields, fieldsByRetailer } = surveyOf([page(...many)], {});
  expect(Object.keys(fieldsByRetailer)).toHaveLength(200);
  expect(fields).toEqual({ retailer: 500, product_id: 500 });
});

test("the number of field paths is limited, and a field may have any name", () => {
  const odd = JSON.parse(
    '{ "retailer": "constructor", "product_id": "1", "__proto__": 1, "constructor": 2 }',
  );
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field-${index}`, 1]));
  const { fields, fieldsByRetailer } = surveyOf([page(odd), page(many)], {});
  expect(Object.keys(fields).length).toBeLessThanOrEqual(400);
  const [[slug, met] = []] = Object.entries(fieldsByRetailer);
  expect(slug).toBe("constructor");
  expect(Object.keys(met?.fields ?? {})).toEqual(expect.arrayContaining(["__proto__", "constructor"]));
});
