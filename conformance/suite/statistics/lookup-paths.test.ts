import { describe, expect, test } from "vitest";
import type { EndpointId } from "../../../schemas/api.ts";
import { isObject } from "../../../schemas/json.ts";
import { type StubFault, stubContext, withBody } from "../../../test/support/stub-context.ts";
import type { Exchange } from "../../client/exchange.ts";
import { batch, byId } from "../../client/requests.ts";
import section from "./lookup-paths.check.ts";

type Body = Readonly<Record<string, unknown>>;
type Change = (product: Body, path: EndpointId | "other", count: number) => Body;

const ids = ["item-0", "item-1", "item-3", "item-4", "item-6"];
const retailerOf = (id: string) => (["item-1", "item-4"].includes(id) ? "bolt" : "acme");

/** Changes every product of a response. */
function changed(exchange: Exchange, change: (product: Body) => Body): Exchange {
  const { json, status } = exchange.response;
  if (status !== 200 || !isObject(json)) return exchange;
  if (!Array.isArray(json.products)) return withBody(exchange, change(json));
  return withBody(exchange, { ...json, products: json.products.filter(isObject).map(change) });
}

/** Looks up products by id and in a batch, and runs the checks. `count` in a change is the number of the request. */
async function compared(change: Change) {
  let count = 0;
  const fault: StubFault = ({ endpoint }, correct) => {
    count++;
    return changed(correct, (product) => change(product, endpoint, count));
  };
  const context = await stubContext(fault);
  const items = ids.map((id) => ({ retailer: retailerOf(id), product_id: id }));
  for (const { retailer, product_id } of items) await context.ask(byId(retailer, product_id));
  await context.ask(batch(items, { batchRequestField: "items" }));
  const outcomes = [];
  for (const check of section.checks) outcomes.push(await check.run(context));
  const [shape, values, _zones, some] = outcomes;
  return { shape, values, some, batches: context.sent.filter(({ endpoint }) => endpoint === "batch").length };
}

const images = (count: number) => Array.from({ length: count }, (_, index) => `https://img.example/${index}`);
const passes = { kind: "pass", findings: [] };
const onBatch =
  (change: (product: Body) => Body): Change =>
  (product, path) =>
    path === "batch" ? change(product) : product;

test("equal products pass", async () => {
  expect(await compared((product) => product)).toMatchObject({ shape: passes, values: passes });
});

test("a status that only the entries of a batch have is theirs", async () => {
  const { shape, some } = await compared(onBatch((product) => ({ ...product, status: "found" })));
  expect({ shape, some }).toMatchObject({ shape: passes, some: passes });
});

describe("a lookup path that differs each time", () => {
  test("in a value", async () => {
    const { shape, values } = await compared(onBatch((product) => ({ ...product, title: "LAMP" })));
    expect(shape).toMatchObject(passes);
    expect(values).toMatchObject({
      kind: "fail",
      findings: [{ subject: "title", expected: "Lamp", actual: "LAMP", seen: { count: 4, total: 4 } }],
    });
  });

  test("in the length of a list that few products have several entries in", async () => {
    const several = ["item-0", "item-1", "item-3"];
    const full = (id: unknown) => images(several.includes(String(id)) ? 3 : 1);
    const { values } = await compared((product, path) => ({
      ...product,
      images: full(product.product_id).slice(0, path === "batch" ? 1 : 3),
    }));
    expect(values).toMatchObject({ kind: "fail", findings: [{ subject: "images", seen: { count: 3 } }] });
  });

  test("in the length of a list of objects", async () => {
    const { values } = await compared((product, path) => ({
      ...product,
      media: { images: images(path === "batch" ? 2 : 4).map((url, rank) => ({ url, rank })) },
    }));
    expect(values?.findings).toMatchObject([{ subject: "media.images" }]);
  });
});

describe("a service may", () => {
  test.each<[string, Change]>([
    ["change titles during the run", (product, _way, count) => ({ ...product, title: `Lamp ${count}` })],
    [
      "lengthen and shorten lists on one lookup path during the run",
      (product, path, count) => ({ ...product, images: images(path === "batch" ? 1 + (count % 5) : 3) }),
    ],
    [
      "shuffle lists",
      (product, _way, count) => ({ ...product, images: images(3).map((url) => `${url}?${(count * 7) % 5}`) }),
    ],
    [
      "return another value for a single product",
      onBatch((product) => (product.product_id === "item-0" ? { ...product, title: "New" } : product)),
    ],
    [
      "return a shorter list for a single product",
      (product, path) => ({
        ...product,
        images: images(path === "batch" && product.product_id === "item-0" ? 1 : 3),
      }),
    ],
  ])("%s", async (_name, change) => {
    expect(await compared(change)).toMatchObject({ shape: passes, values: passes, some: passes });
  });
});

describe("a lookup path that returns a few products differently each time", () => {
  const onSome = (affected: readonly string[], change: (product: Body) => Body): Change =>
    onBatch((product) => (affected.includes(String(product.product_id)) ? change(product) : product));
  const two = ["item-0", "item-3"];
  const found = (finding: object) => ({
    shape: passes,
    values: passes,
    some: { kind: "fail", findings: [finding] },
  });

  test.each<[string, Change, finding: object]>([
    [
      "with another value",
      onSome(two, (product) => ({ ...product, title: "New" })),
      { subject: "title", expected: "Lamp", actual: "New", seen: { count: 2, total: 5 } },
    ],
    [
      "with a text cut off, for one product",
      onSome(["item-0"], (product) => ({ ...product, title: "Lam" })),
      { subject: "title", expected: "Lamp", actual: "Lam", seen: { count: 1, total: 5 } },
    ],
  ])("%s", async (_name, change, finding) => {
    expect(await compared(change)).toMatchObject(
      found({ code: "differs-between-ways", endpoint: "batch", ...finding }),
    );
  });

  test("is not blamed when its values change each time", async () => {
    const moving: Change = (product, path, count) => ({
      ...product,
      ...(path === "batch" && two.includes(String(product.product_id)) ? { title: `New ${count}` } : {}),
    });
    expect(await compared(moving)).toMatchObject({ shape: passes, values: passes, some: passes });
  });

  test.each<[string, Change]>([
    // The replicas respond by turns, as behind a load balancer.
    [
      "two replicas differ",
      (product, _way, count) => ({
        ...product,
        title: count % 2 === 0 ? "Old" : "New",
        price: 1 + (count % 2),
      }),
    ],
    [
      "three replicas differ",
      (product, _way, count) => ({ ...product, title: count % 3 === 0 ? "Old" : "New" }),
    ],
    [
      "it was late and is up to date now",
      (product, path, count) => ({ ...product, price: count <= 6 && path === "batch" ? 1 : 2 }),
    ],
  ])("is not blamed when %s", async (_name, change) => {
    expect(await compared(change)).toMatchObject({ shape: passes, values: passes, some: passes });
  });

  test("is requested again only when something differs", async () => {
    const { batches } = await compared((product) => product);
    expect(batches).toBe(1);
    const { batches: more } = await compared(onSome(two, (product) => ({ ...product, title: "New" })));
    expect(more).toBeGreaterThan(1);
  });
});
