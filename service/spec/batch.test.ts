import { expect, it } from "vitest";
import { type BodyFields, clientOfTests, walk } from "../../test/support/service.ts";

// What the suite judges on this service is shown by the proof.
const client = await clientOfTests();
const known = (await walk(client, "home & garden", "primary", 100)).products;

const item = ({ retailer, product_id }: BodyFields) => ({ retailer, product_id });
const missing = { retailer: "nordkauf", product_id: "a/b 100% not there é" };

it("rejects far more than 50 and none at all with 400 bad_request", async () => {
  for (const items of [Array(500).fill(missing), []]) {
    const { status, json } = await client.batch({ items });
    expect([status, json.error.code]).toEqual([400, "bad_request"]);
  }
});

it("reports an unknown and an unentitled retailer as errors of their items", async () => {
  const unknown = { retailer: "nobody", product_id: "1" };
  const { products } = await walk(client, "last chance", "otherOrg");
  const foreign = products.filter(({ retailer }) => retailer === "harbour-outlet").slice(0, 1);
  const { status, json } = await client.batch({
    items: [unknown, ...foreign.map(item), ...known.slice(0, 1).map(item)],
  });
  expect(status).toBe(200);
  expect(json.errors).toMatchObject([
    { ...unknown, code: "bad_request" },
    { ...foreign.map(item)[0], code: "forbidden" },
  ]);
  expect(json.meta).toEqual({ total: 3, found: 1, not_found: 0, other_errors: 2 });
  expect(json.products).toEqual(known.slice(0, 1));
});

it("returns duplicates as often as they were sent", async () => {
  const [first] = known.map(item);
  const { json } = await client.batch({ items: [first, first, missing, missing] });
  expect(json.meta).toEqual({ total: 4, found: 2, not_found: 2, other_errors: 0 });
  expect([json.products.length, json.errors.length]).toEqual([2, 2]);
});

it("echoes retailer and product_id of an error exactly", async () => {
  const odd = ["", " x ", "\u0000", "51%", "\ud800", "😀", "A".repeat(2000)].slice(1);
  const { json } = await client.batch({
    items: odd.map((product_id) => ({ retailer: "nordkauf", product_id })),
  });
  expect(json.errors.map(({ product_id }) => product_id)).toEqual(odd);
});

it.each([
  ["no body", undefined],
  ["null", null],
  ["a list", []],
  ["a string", "items"],
  ["another field", { things: [missing] }],
  ["items as object", { items: { 0: missing } }],
  ["an item as string", { items: ["nordkauf"] }],
  ["an item without retailer", { items: [{ product_id: "1" }] }],
  ["an empty product_id", { items: [{ retailer: "nordkauf", product_id: "" }] }],
  ["a null item", { items: [null] }],
])("rejects %s with 400 bad_request", async (_name, body) => {
  const { status, json } = await client.batch(body);
  expect([status, json.error.code]).toEqual([400, "bad_request"]);
});
