import { expect, test } from "vitest";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { retailers } from "../../conformance/client/requests.ts";
import { exchangeOf, type MadeUp } from "../../test/support/stub-exchange.ts";
import { mismatches, observe, type TwinAnswer } from "./deployment.ts";
import { collectDifferences } from "./differences.ts";
import type { TwinProbe } from "./probes.ts";
import type { Side } from "./twin-result.ts";

const address = { old: "http://old.example/v1", new: "http://new.example/api/v1" };

function seen(json: unknown, side: Side = "old", madeUp: MadeUp = {}) {
  return observe(exchangeOf("lookup-by-id", json, madeUp), address[side]);
}

const product = {
  retailer: "acme",
  product_id: "A1",
  title: "Lamp",
  price: 12.5,
  last_updated: "2026-11-21T08:34:22Z",
};
const second = { ...product, product_id: "A2" };
const error = (message: string) => ({ error: { code: "not_found", message } });
const cursor = (next_cursor: unknown) => ({ meta: { next_cursor } });

test.each<[string, unknown, unknown]>([
  ["the order of keys", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ["the order of products", { products: [product, second] }, { products: [second, product] }],
  ["the cursor", cursor("abc"), cursor("xyz")],
  ["the wording of an error", error("a"), error("b")],
  ["the spelling of a time", product, { ...product, last_updated: "2026-11-21T08:34:22.000+00:00" }],
  ["its own address", { image: "http://old.example/1.png" }, { image: "http://new.example/1.png" }],
  ["its own path", { self: "http://old.example/v1/p" }, { self: "http://new.example/api/v1/p" }],
])("%s is no difference", (_name, old, now) => {
  expect(mismatches(seen(old), seen(now, "new"))).toEqual([]);
});

test.each<[string, unknown, unknown, string]>([
  ["a value", product, { ...product, title: "Lamps" }, "/title"],
  ["a field named status", { status: "a", x: 1 }, { status: "b", x: 2 }, "/x"],
  ["null for a field that was omitted", product, { ...product, brand: null }, "/brand"],
  ["a product that is missing", { products: [product] }, { products: [] }, "/products/acme A1"],
  ["no cursor on a page that has one", cursor("abc"), cursor(""), "/meta/next_cursor"],
  ["a cursor that is null", cursor(""), cursor(null), "/meta/next_cursor"],
  ["a longer host", { image: "http://old.example.com/1.png" }, { image: ".com/1.png" }, "/image"],
  ["an object in place of a text", { a: "b" }, { a: { b: "c" } }, "/a"],
])("%s is a difference", (_name, old, now, place) => {
  expect(mismatches(seen(old), seen(now, "new")).map((one) => one.place)).toContain(place);
});

test("with another status the bodies are not compared; of the media type, spelling and parameters are not", () => {
  const places = (madeUp: MadeUp) =>
    mismatches(seen({ a: 1 }), seen({ b: 1 }, "new", madeUp)).map(({ place }) => place);
  expect(places({ status: 404 })).toEqual(["status"]);
  const typed = (type: string) => seen({}, "old", { headers: { "content-type": type } });
  expect(mismatches(typed("application/json"), typed("Application/JSON; charset=utf-8"))).toEqual([]);
  expect(mismatches(typed("application/json"), typed("text/html"))).toHaveLength(1);
});

type Rounds = Readonly<Record<Side, readonly unknown[]>>;
const same = (body: unknown) => [body, body, body, body];

/** What is found of requests that were asked four times each. */
function collected(...requests: readonly Rounds[]) {
  const redaction = redactionFor({ keys: {} });
  const differences = collectDifferences({ old: redaction, new: redaction });
  const probes = new Set<TwinProbe>();
  for (const bodies of requests) {
    const answerOf = (side: Side, body: unknown): TwinAnswer => {
      const exchange = exchangeOf("lookup-by-id", body, typeof body === "number" ? { status: body } : {});
      return { observation: observe(exchange, address[side]), exchange };
    };
    const rounds = bodies.old.map((body, at) => ({
      old: answerOf("old", body),
      new: answerOf("new", bodies.new[at]),
    }));
    const probe = { kind: "lookup-by-id", isTimed: false, requests: { old: retailers(), new: retailers() } };
    probes.add(probe);
    differences.add(probe, rounds as [(typeof rounds)[number]]);
  }
  return differences.result(probes);
}

const other = { ...product, title: "Lamps" };
const later = { ...product, last_updated: "2026-11-22T08:00:00Z", price: 13 };
const ids = (...all: readonly unknown[]) => all.map((request) => ({ request }));

test.each<[string, Rounds, ...string[]]>([
  ["is a status", { old: same(404), new: same(200) }, "value status"],
  ["stays", { old: same(product), new: same(other) }, "value /title"],
  ["is gone when asked again", { old: same(product), new: [other, ...same(product)] }, "unstable /title"],
  [
    "differs at the old one as well",
    { old: ids("a", "b", "c", "d"), new: ids("e", "f", "g", "h") },
    "unstable /request",
  ],
  [
    "differs at the old one, and is of another type",
    { old: ids("a", "b", "c", "d"), new: same({ request: null }) },
    "value /request",
  ],
  [
    "varies at the new one only",
    { old: same({ request: "a" }), new: ids("e", "f", "g", "h") },
    "varies /request",
  ],
  ["is of another time", { old: same(product), new: same(later) }, "moved /price", "moved /last_updated"],
  [
    "is of another time, and of another type",
    { old: same(product), new: same({ ...later, price: "13" }) },
    "value /price",
    "moved /last_updated",
  ],
  [
    "may not be of another time",
    { old: same(product), new: same({ ...later, price: 12.5, title: "Lamps" }) },
    "value /title",
    "moved /last_updated",
  ],
  [
    "is a price without another time",
    { old: same(product), new: same({ ...product, price: 13 }) },
    "value /price",
  ],
  [
    "is no time",
    { old: same(product), new: same({ ...product, last_updated: "yesterday" }) },
    "value /last_updated",
  ],
  [
    "is one more product in a list",
    { old: same({ products: [] }), new: same({ products: [product] }) },
    "extra /products/*",
  ],
])("a difference that %s", (_name, rounds, ...expected) => {
  const { differences, notes } = collected(rounds);
  expect([...differences, ...notes].map(({ change, path }) => `${change} ${path}`)).toEqual(expected);
});

test("a field that the old deployment never returns is a note; one that it returns elsewhere is a difference", () => {
  const branded = { ...product, brand: "Lux" };
  const colored = ["red", "blue", "red"].map((color) => ({ ...branded, color }));
  const { differences, notes } = collected(
    ...[3, 1].map((rounds) => ({ old: same(product).slice(0, rounds), new: colored.slice(0, rounds) })),
    { old: same(branded), new: same(branded) },
  );
  expect(notes).toMatchObject([
    { change: "added", path: "/color", new: "red", requests: [{ count: 2, total: 3 }] },
  ]);
  expect(differences).toMatchObject([{ change: "extra", path: "/brand", new: "Lux", evidence: [{}, {}] }]);
});

test("a value that stays where others of the field vary is one of these", () => {
  const varying: Rounds = { old: same(product), new: [other, ...same(product).slice(1)] };
  const changes = ({ change }: { change: string }) => change;
  const { differences, notes } = collected({ old: same(product), new: same(other) }, varying);
  expect([differences, notes].map((all) => all.map(changes))).toEqual([[], ["unstable"]]);
});

test("times that are apart by the same in three products are written in another zone", () => {
  const at = (hour: number, minute: number) => ({
    ...product,
    last_updated: `2026-11-21T${hour}:${minute}:22Z`,
  });
  const pair = (hour: number): Rounds => ({ old: same(at(hour, hour)), new: same(at(hour + 2, hour)) });
  expect(collected(pair(10), pair(11))).toMatchObject({ differences: [], notes: [{ change: "moved" }] });
  expect(collected(pair(10), pair(11), pair(12)).differences).toMatchObject([
    { change: "shifted", path: "/last_updated" },
  ]);
});
