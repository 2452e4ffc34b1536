import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Target } from "../conformance/client/target.ts";
import { type RunningService, startService } from "../service/start.ts";
import { endpointOf, type WireChange } from "../service/wire.ts";
import { serve } from "../test/support/server.ts";
import { callerOf, errorResponse, isFor, onProducts, onResponse } from "./changes/change.ts";
import { startProxy } from "./proxy.ts";

const unchanged: WireChange = (send) => send;

describe("in front of the reference service", () => {
  const options = { products: 120, rate: 100_000, burst: 100_000 };
  let service: RunningService;
  let target: Target;
  beforeAll(async () => {
    service = await startService(options);
    const { baseUrl, keys, categories } = service;
    target = { name: "test", baseUrl, keys, categories, fieldNames: {}, timeoutMilliseconds: 5000 };
  });
  afterAll(() => service.stop());

  const get = async (baseUrl: string, path: string, key = target.keys.primary ?? "") => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { "x-api-key": key } });
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      body: await response.text(),
    };
  };

  test("a response without a change is the target's own", async () => {
    await using proxy = await startProxy(target, unchanged);
    const paths = [
      "/retailers",
      `/products?category=${encodeURIComponent("home & garden")}&limit=3`,
      "/nothing",
    ];
    for (const path of paths) expect(await get(proxy.baseUrl, path)).toEqual(await get(target.baseUrl, path));
  });

  test("a batch is forwarded with its body, and products in its response are changed", async () => {
    const [first] = JSON.parse((await get(target.baseUrl, "/products?category=books")).body).products;
    await using proxy = await startProxy(
      target,
      onProducts((product) => ({ ...product, title: null }), ["batch"]),
    );
    const items = [{ retailer: first.retailer, product_id: first.product_id }];
    const response = await fetch(`${proxy.baseUrl}/products/batch-lookup`, {
      method: "POST",
      headers: { "x-api-key": target.keys.primary ?? "", "content-type": "application/json" },
      body: JSON.stringify({ items }),
    });
    expect(await response.json()).toMatchObject({ products: [{ ...first, title: null }] });
  });

  test("a change knows whose key was sent and to which endpoint", async () => {
    const requests: string[] = [];
    await using proxy = await startProxy(target, (send, keys) => (request) => {
      requests.push(`${callerOf(request, keys)} ${endpointOf(request)}`);
      return send(request);
    });
    await get(proxy.baseUrl, "/retailers");
    await get(proxy.baseUrl, "/products?gtin=1", target.keys.otherOrg);
    await get(proxy.baseUrl, "/products?gtin=1&url=x", "nobody-issued-this");
    await fetch(`${proxy.baseUrl}/products/a/b`);
    expect(requests).toEqual([
      "primary retailers",
      "otherOrg lookup-by-gtin",
      "undefined other",
      "undefined lookup-by-id",
    ]);
  });

  test("a change may send another request instead, and the proxy notices the change", async () => {
    await using proxy = await startProxy(
      target,
      onResponse((_response, request, ask) =>
        isFor("lookup-by-id")(request) ? ask({ ...request, path: "/v1/retailers" }) : undefined,
      ),
    );
    await get(proxy.baseUrl, "/nothing");
    expect(proxy.hasChanged()).toBe(false);
    expect((await get(proxy.baseUrl, "/products/a/b")).body).toBe(
      (await get(target.baseUrl, "/retailers")).body,
    );
    expect(proxy.hasChanged()).toBe(true);
  });
});

test("a response that the target compresses unrequested can be changed too", async () => {
  const { gzipSync } = await import("node:zlib");
  await using stub = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync('{"title":"x"}'));
  });
  const target = {
    name: "stub",
    baseUrl: stub.baseUrl,
    keys: {},
    categories: [],
    fieldNames: {},
    timeoutMilliseconds: 5000,
  };
  await using proxy = await startProxy(
    target,
    onProducts((product) => ({ ...product, more: 1 })),
  );
  const response = await fetch(`${proxy.baseUrl}/products/a/b`);
  expect(await response.json()).toEqual({ title: "x", more: 1 });
});

test("if the target is gone, the proxy closes the connection, as the target would", async () => {
  const stub = await serve(() => undefined);
  await stub[Symbol.asyncDispose]();
  const target = {
    name: "gone",
    baseUrl: stub.baseUrl,
    keys: {},
    categories: [],
    fieldNames: {},
    timeoutMilliseconds: 1000,
  };
  await using proxy = await startProxy(
    target,
    onResponse(() => errorResponse(500)),
  );
  await expect(fetch(`${proxy.baseUrl}/retailers`)).rejects.toThrow();
});
