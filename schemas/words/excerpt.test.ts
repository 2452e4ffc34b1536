import { expect, test } from "vitest";
import { hiddenIn } from "../json-text.ts";
import { excerptOf } from "./excerpt.ts";

const asIs = (text: string) => text;
const product = (nth: number, more: Record<string, unknown> = {}) => ({
  retailer: "acme",
  product_id: `B${nth}`,
  title: `Product ${nth}`,
  brand: "Acme",
  mpn: "M",
  price: 9.5,
  ...more,
});
const page = {
  products: Array.from({ length: 50 }, (_, nth) => product(nth, nth === 9 ? { mpn: null } : {})),
  meta: { count: 50, next_cursor: null },
};

/** The lines as text; `>` marks those of the place. */
const shown = (body: unknown, path: string, redact = asIs) =>
  excerptOf(body, path, redact).lines.map(({ text, mark }) => `${mark === "place" ? ">" : " "}${text}`);

test("a null in a list of 50: its product, how many are omitted, and the marked place", () => {
  expect(shown(page, "/products/9/mpn")).toEqual([
    " {",
    '   "products": [',
    "     … 9 more entries",
    "     {",
    '       "retailer": "acme",',
    '       "product_id": "B9",',
    '       "title": "Product 9",',
    '       "brand": "Acme",',
    '>      "mpn": null,',
    '       "price": 9.5',
    "     },",
    "     … 40 more entries",
    "   ],",
    '   "meta": { "count": 50, "next_cursor": null }',
    " }",
  ]);
});

test("a missing field is a marked line in its object", () => {
  expect(shown({ products: [], meta: { count: 0 } }, "/meta/next_cursor")).toEqual([
    " {",
    '   "products": [],',
    '   "meta": {',
    '     "count": 0,',
    '>    "next_cursor": (missing)',
    "   }",
    " }",
  ]);
});

test.each([
  ["a value in place of an object", { meta: 7 }, "/meta/count", '>  "meta": 7'],
  ["an entry beyond the end", { errors: [] }, "/errors/0", ">    (missing)"],
  ["the body itself", null, "", ">null"],
  ["a name with a slash", { "a/b": { c: 1 } }, "/a~1b/c", '>    "c": 1'],
  ["a name that every object knows", { constructor: 1 }, "/constructor", '>  "constructor": 1'],
])("%s", (_name, body, path, line) => {
  expect(shown(body, path)).toContain(line);
});

test("a name that is there twice is shown with each value", () => {
  const body = '{"list":[{"a":null,"b":{"c":1},"a":2}]}';
  const { lines } = excerptOf(JSON.parse(body), "/list/0/a", asIs, hiddenIn(body));
  const marked = lines.filter(({ mark }) => mark === "place");
  expect(marked.map(({ text }) => text.trim())).toEqual(['"a": null,', '"a": 2,']);
});

test("in an object, omitted fields are counted", () => {
  const wide = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`f${nth}`, nth]));
  const lines = shown(wide, "/f12");
  expect(lines.filter((line) => line.includes("…"))).toEqual(["   … 5 more fields", "   … 3 more fields"]);
  expect(lines).toContain('>  "f12": 12,');
});

test("a place that is a list shows its first entries, one per line", () => {
  const lines = shown({ list: Array.from({ length: 100 }, (_, nth) => product(nth)) }, "/list");
  expect(lines.filter((line) => line.startsWith(">"))).toHaveLength(14);
  expect(lines).toContain(
    '>    { "retailer": "acme", "product_id": "B0", "title": "Product 0", … 3 more fields },',
  );
  expect(lines).toContain("     … 88 more entries");
});

test("a place that is an object shows its first fields", () => {
  const lines = shown(page, "/products/9");
  expect(lines.filter((line) => line.startsWith(">"))).toHaveLength(8);
  expect(lines).toContain('>      "product_id": "B9",');
  const wide = { one: Object.fromEntries(Array.from({ length: 15 }, (_, nth) => [`f${nth}`, nth])) };
  expect(shown(wide, "/one")).toContain("     … 3 more fields");
});

test("keys are removed from names and values before a text is cut", () => {
  const key = "canary-key-0123456789";
  const redact = (text: string) => text.replaceAll(key, "$KEY");
  const body = { [`${key}${"x".repeat(400)}`]: "y".repeat(290) + key, other: [{ [key]: key }] };
  for (const path of Object.keys(body).map((name) => `/${name}`)) {
    const text = JSON.stringify(excerptOf(body, path, redact));
    expect(text).not.toContain("canary");
    expect(text).toContain("$KEY");
  }
});
