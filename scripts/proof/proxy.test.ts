import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Target } from "../../conformance/client/target.ts";
import { type RunningService, startService } from "../../service/start.ts";
import { startStub } from "../testing/stub-target.ts";
import { type Change, errorAnswer, onProducts } from "./injection.ts";
import { injections } from "./injections.ts";
import { startProxy } from "./proxy.ts";

const unchanged: Change = () => undefined;

describe("in front of the reference service", () => {
  let service: RunningService;
  let target: Target;
  beforeAll(async () => {
    service = await startService({ products: 120 });
    const { baseUrl, keys, categories } = service;
    target = { name: "test", baseUrl, keys, categories, dialect: {}, timeoutMilliseconds: 5000 };
  });
  afterAll(() => service.stop());

  const get = async (baseUrl: string, path: string, key = target.keys.primary ?? "") => {
    const answer = await fetch(`${baseUrl}${path}`, { headers: { "x-api-key": key } });
    return { status: answer.status, type: answer.headers.get("content-type"), body: await answer.text() };
  };

  test("an answer that is left alone is the target's own", async () => {
    await using proxy = await startProxy(target, unchanged);
    const paths = [
      "/retailers",
      `/products?category=${encodeURIComponent("home & garden")}&limit=3`,
      "/nothing",
    ];
    for (const path of paths) expect(await get(proxy.baseUrl, path)).toEqual(await get(target.baseUrl, path));
  });

  test("a batch goes out with its body, and products in it are changed", async () => {
    const [first] = JSON.parse((await get(target.baseUrl, "/products?category=books")).body).products;
    await using proxy = await startProxy(
      target,
      onProducts((product) => ({ ...product, title: null }), ["batch"]),
    );
    const items = [{ retailer: first.retailer, product_id: first.product_id }];
    const answer = await fetch(`${proxy.baseUrl}/products/batch-lookup`, {
      method: "POST",
      headers: { "x-api-key": target.keys.primary ?? "", "content-type": "application/json" },
      body: JSON.stringify({ items }),
    });
    expect(await answer.json()).toMatchObject({ products: [{ ...first, title: null }] });
  });

  test("a change knows whose key was sent, and by which way", async () => {
    const seen: string[] = [];
    await using proxy = await startProxy(target, (_answer, { caller, way }) => {
      seen.push(`${caller} ${way}`);
      return undefined;
    });
    await get(proxy.baseUrl, "/retailers");
    await get(proxy.baseUrl, "/products?gtin=1", target.keys.otherOrg);
    await get(proxy.baseUrl, "/products?gtin=1&url=x", "nobody-issued-this");
    await fetch(`${proxy.baseUrl}/products/a/b`);
    expect(seen).toEqual(["primary retailers", "otherOrg gtin", "stranger other", "nobody by-id"]);
  });

  test("a change may ask for something else instead", async () => {
    await using proxy = await startProxy(target, (_answer, asked, ask) =>
      ask({ ...asked, path: "/retailers" }),
    );
    expect((await get(proxy.baseUrl, "/products/a/b")).body).toBe(
      (await get(target.baseUrl, "/retailers")).body,
    );
  });
});

test("what a target compresses unasked can be changed too", async () => {
  const { gzipSync } = await import("node:zlib");
  await using stub = await startStub((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync('{"title":"x"}'));
  });
  const target = {
    name: "stub",
    baseUrl: stub.baseUrl,
    keys: {},
    categories: [],
    dialect: {},
    timeoutMilliseconds: 5000,
  };
  await using proxy = await startProxy(
    target,
    onProducts((product) => ({ ...product, more: 1 })),
  );
  const answer = await fetch(`${proxy.baseUrl}/products/a/b`);
  expect(await answer.json()).toEqual({ title: "x", more: 1 });
});

test("a target that is gone cuts the connection, as it would without the proxy", async () => {
  const stub = await startStub(() => undefined);
  await stub[Symbol.asyncDispose]();
  const target = {
    name: "gone",
    baseUrl: stub.baseUrl,
    keys: {},
    categories: [],
    dialect: {},
    timeoutMilliseconds: 1000,
  };
  await using proxy = await startProxy(target, () => errorAnswer(500, "x"));
  await expect(fetch(`${proxy.baseUrl}/retailers`)).rejects.toThrow();
});

test("an injection leaves alone what it does not concern, and forgets between runs", async () => {
  const asked = {
    method: "GET",
    way: "other",
    path: "/x",
    parameters: new URLSearchParams("a=b"),
    headers: {},
    caller: "primary",
    body: Buffer.alloc(0),
  } as const;
  const answer = {
    status: 418,
    headers: { "content-type": "application/json" },
    body: { json: {} },
  } as const;
  const refuse = () => Promise.reject(new Error("asked again"));
  for (const { fault, start } of injections) {
    // Whatever concerns every answer, or every header, is meant to.
    const changed = await start()(answer, asked, refuse);
    if (changed !== undefined)
      expect(["content-type-text", "content-type-gone", "error-flat"], fault).toContain(fault);
    expect(start(), fault).toBeTypeOf("function");
  }
});
