import { expect, test } from "vitest";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { exchangeOf, type MadeUp } from "../../test/support/stub-exchange.ts";
import { type TwinAnswer, verdictsOf } from "./answers.ts";
import { collectDifferences } from "./differences.ts";
import { mismatches, observe, observeAll } from "./observation.ts";

const address = { old: "http://old.example/v1", new: "http://new.example/v1" };

function seen(json: unknown, side: keyof typeof address = "old", madeUp: MadeUp = {}) {
  return observe(exchangeOf("lookup-by-id", json, madeUp), address[side]);
}

const product = {
  retailer: "acme",
  product_id: "A1",
  title: "Lamp",
  price: 12.5,
  last_updated: "2026-11-21T08:34:22Z",
};

test.each<[string, unknown, unknown]>([
  ["the order of keys", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  [
    "the order of products",
    { products: [product, { ...product, product_id: "A2" }] },
    { products: [{ ...product, product_id: "A2" }, product] },
  ],
  ["the cursor", { meta: { next_cursor: "abc" } }, { meta: { next_cursor: "xyz" } }],
  [
    "the wording of an error",
    { error: { code: "not_found", message: "a" } },
    { error: { code: "not_found", message: "b" } },
  ],
  ["a fraction of a second that is zero", product, { ...product, last_updated: "2026-11-21T08:34:22.000Z" }],
  ["its own address", { image: "http://old.example/1.png" }, { image: "http://new.example/1.png" }],
])("%s is no difference", (_name, old, now) => {
  expect(mismatches(seen(old), seen(now, "new"))).toEqual([]);
});

test.each<[string, unknown, unknown, string]>([
  ["a value", product, { ...product, title: "Lamps" }, "/title"],
  ["a field named status", { status: "a", x: 1 }, { status: "b", x: 2 }, "/x"],
  ["a type", product, { ...product, price: "12.5" }, "/price"],
  ["null for a field that was omitted", product, { ...product, brand: null }, "/brand"],
  ["a product that is missing", { products: [product] }, { products: [] }, "/products/acme A1"],
  [
    "no cursor on a page that has one",
    { meta: { next_cursor: "abc" } },
    { meta: { next_cursor: "" } },
    "/meta/next_cursor",
  ],
  [
    "a cursor that is null",
    { meta: { next_cursor: "" } },
    { meta: { next_cursor: null } },
    "/meta/next_cursor",
  ],
  ["an object in place of a text", { a: "b" }, { a: { b: "c" } }, "/a"],
  ["another time", product, { ...product, last_updated: "2026-11-21T08:34:23Z" }, "/last_updated"],
])("%s is a difference", (_name, old, now, place) => {
  expect(mismatches(seen(old), seen(now, "new")).map((one) => one.place)).toContain(place);
});

test("with another status, the bodies are not compared", () => {
  const found = mismatches(seen({ a: 1 }), seen({ b: 1 }, "new", { status: 404 }));
  expect(found.map(({ place }) => place)).toEqual(["status"]);
});

test("another media type is a difference, its spelling and parameters are none", () => {
  const typed = (type: string) => seen({}, "old", { headers: { "content-type": type } });
  expect(mismatches(typed("application/json"), typed("Application/JSON; charset=utf-8"))).toEqual([]);
  expect(mismatches(typed("application/json"), typed("text/html"))).toHaveLength(1);
});

function asked(old: readonly unknown[], now: readonly unknown[]) {
  const answers = (bodies: readonly unknown[], side: keyof typeof address): TwinAnswer[] =>
    bodies.map((body) => ({ observation: seen(body, side), exchanges: [], isPrompt: true }));
  return verdictsOf({ old: answers(old, "old"), new: answers(now, "new") });
}

const other = { ...product, title: "Lamps" };

test("a difference counts when it stays in all rounds", () => {
  expect(asked([product, product, product, product], [other, other, other, other])).toMatchObject([
    { is: "value", mismatch: { place: "/title" } },
  ]);
});

test("a difference that is gone when asked again is passing", () => {
  expect(asked([product, product, product, product], [other, product, product, product])).toMatchObject([
    { is: "passing" },
  ]);
  // The catalog changed between the first two responses.
  expect(asked([product, other, other, other], [other, other, other, other])).toMatchObject([
    { is: "passing" },
  ]);
});

test("what differs between two responses of the old deployment is ignored, unless its type is another", () => {
  const id = (request: unknown) => ({ request });
  expect(asked([id("a"), id("b"), id("c"), id("d")], [id("e"), id("f"), id("g"), id("h")])).toMatchObject([
    { is: "ignored", mismatch: { place: "/request" } },
  ]);
  expect(asked([id("a"), id("b"), id("c"), id("d")], [id(null), id(null), id(null), id(null)])).toMatchObject(
    [{ is: "type" }],
  );
});

test("what varies at the new deployment only is a difference", () => {
  const id = (request: unknown) => ({ request });
  expect(asked([id("a"), id("a"), id("a"), id("a")], [id("e"), id("f"), id("g"), id("h")])).toMatchObject([
    { is: "varies" },
  ]);
});

test("price and availability may differ with last_updated, nothing else may", () => {
  const later = { ...product, last_updated: "2026-11-22T08:00:00Z", price: 13 };
  const same = (body: unknown) => [body, body, body, body];
  expect(asked(same(product), same(later))).toMatchObject([
    { is: "moved", mismatch: { place: "/price" } },
    { is: "moved", mismatch: { place: "/last_updated" } },
  ]);
  expect(asked(same(product), same({ ...later, price: "13" }))).toContainEqual(
    expect.objectContaining({ is: "type" }),
  );
  expect(asked(same(product), same({ ...later, title: "Lamps" }))).toContainEqual(
    expect.objectContaining({ is: "value" }),
  );
  // Without another last_updated, the price is another.
  expect(asked(same(product), same({ ...product, price: 13 }))).toMatchObject([{ is: "value" }]);
  expect(asked(same(product), same({ ...later, last_updated: "yesterday" }))).toContainEqual(
    expect.objectContaining({ is: "value" }),
  );
});

function collected(pairs: readonly (readonly [old: unknown, now: unknown])[]) {
  const redaction = redactionFor({ keys: {} });
  const differences = collectDifferences({ old: redaction, new: redaction });
  for (const [at, [old, now]] of pairs.entries()) {
    const answers = (body: unknown, side: keyof typeof address): TwinAnswer[] =>
      [1, 2, 3, 4].map(() => ({ observation: seen(body, side), exchanges: [], isPrompt: true }));
    const all = { old: answers(old, "old"), new: answers(now, "new") };
    differences.see(all);
    for (const one of verdictsOf(all)) differences.note("lookup-by-id", String(at), one, all);
  }
  return differences.result(() => pairs.length);
}

test("a field that the old deployment never returns is an addition; one that it returns elsewhere is a difference", () => {
  const { additions, differences } = collected([
    [product, { ...product, color: "red", brand: "Lux" }],
    [
      { ...product, brand: "Lux" },
      { ...product, brand: "Lux" },
    ],
  ]);
  expect(additions).toMatchObject([{ change: "added", path: "/color", new: "red", count: 1, total: 2 }]);
  expect(differences).toMatchObject([{ change: "added", path: "/brand", new: "Lux" }]);
});

test("a product more in a list is a difference", () => {
  const { additions, differences } = collected([[{ products: [] }, { products: [product] }]]);
  expect(additions).toEqual([]);
  expect(differences).toMatchObject([{ change: "added", path: "/products/*", new: "acme A1" }]);
});

test("times that are apart by the same hours in three products are written in another zone", () => {
  const at = (hour: number) => ({ ...product, last_updated: `2026-11-21T${hour}:34:22Z` });
  const pair = (hour: number) => [at(hour), at(hour + 2)] as const;
  expect(collected([pair(10), pair(11)])).toMatchObject({ differences: [], moved: [{ count: 2 }] });
  expect(collected([pair(10), pair(11), pair(12)]).differences).toMatchObject([
    { change: "value", path: "/last_updated" },
  ]);
});

test("a difference on one page of a walk is shown with that page", () => {
  const walk = (titles: readonly string[], side: keyof typeof address): TwinAnswer => {
    const exchanges = titles.map((title) =>
      exchangeOf("category-page", { products: [{ ...product, title }] }),
    );
    const pages = exchanges.map((exchange) => observe(exchange, address[side]));
    return { observation: observeAll(pages), exchanges, isPrompt: false };
  };
  const all = {
    old: Array.from({ length: 4 }, () => walk(["Lamp", "Chair", "Desk"], "old")),
    new: Array.from({ length: 4 }, () => walk(["Lamp", "Stool", "Desk"], "new")),
  };
  const redaction = redactionFor({ keys: {} });
  const differences = collectDifferences({ old: redaction, new: redaction });
  for (const one of verdictsOf(all)) differences.note("walk", "1", one, all);
  const [difference] = differences.result(() => 1).differences;
  expect(difference?.evidence.map(({ response }) => response?.body)).toEqual([
    expect.stringContaining("Chair"),
    expect.stringContaining("Stool"),
  ]);
});
