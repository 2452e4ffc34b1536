import { expect, test } from "vitest";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { surveyOf } from "./session.ts";

const page = (...products: readonly unknown[]) =>
  exchangeOf("category-page", { products, meta: { next_cursor: "", count: products.length } });

test("a product counts once, with every field it ever had for the primary key", () => {
  const first = { retailer: "acme", product_id: "1", title: "a" };
  const list = page(first, { retailer: "acme", product_id: "2" });
  const found = exchangeOf("lookup-by-id", { ...first, images: [{ url: "u" }] });
  const foreign = exchangeOf("lookup-by-id", { ...first, brand: 5 }, { caller: "otherOrg" });
  const { fields, fieldsByRetailer } = surveyOf([list, found, foreign], {});
  const all = { retailer: 2, product_id: 2, title: 1, "images[].url": 1 };
  expect([fields, fieldsByRetailer]).toEqual([all, { acme: { products: 2, fields: all } }]);
});

test("null and empty count as missing, and null has no type; lists and objects have types", () => {
  const lists = { sizes: [null, "42", 43], size: { width: 1 }, images: [] };
  const { fields, productsByType } = surveyOf(
    [page({ retailer: "acme", title: "", price: null, stock: 0, ...lists }, { price: 2 })],
    {},
  );
  expect(fields).toEqual({ retailer: 1, "sizes[]": 1, "size.width": 1, stock: 1, price: 1 });
  expect(productsByType).toEqual({
    retailer: { string: 1 },
    title: { string: 1 },
    stock: { number: 1 },
    sizes: { array: 1 },
    "sizes[]": { string: 1, number: 1 },
    size: { object: 1 },
    "size.width": { number: 1 },
    images: { array: 1 },
    price: { number: 1 },
  });
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
