import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startStub } from "../testing/stub-target.ts";
import { findTooBig } from "./load-stage.ts";

const fixtures = { products: [{ retailer: "a", product_id: "1" }], categories: ["hats"] };
const targetAt = (baseUrl: string) => ({
  name: "test",
  baseUrl,
  keys: { primary: "key-of-a-test" },
  categories: [],
  dialect: {},
  timeoutMilliseconds: 5000,
});

test("finds the request whose small response unpacks to a body that is too big", async () => {
  const packed = gzipSync(Buffer.alloc(9 * 1024 * 1024));
  await using stub = await startStub((request, response) => {
    const isPage = (request.url ?? "").includes("category=");
    response.writeHead(200, isPage ? { "content-encoding": "gzip" } : {});
    response.end(isPage ? packed : "{}");
  });
  expect(await findTooBig(targetAt(stub.baseUrl), fixtures)).toMatchObject({
    code: "response-too-big",
    endpoint: "category-page",
    subject: expect.stringMatching(/^GET .*category=hats/),
    unit: "bytes",
  });
});

test("finds nothing when responses can be read, are errors, or are missing", async () => {
  await using stub = await startStub((request, response) => {
    if ((request.url ?? "").includes("category=")) response.destroy();
    else response.writeHead(503).end("down");
  });
  expect(await findTooBig(targetAt(stub.baseUrl), fixtures)).toBeUndefined();
});
