import { connect } from "node:net";
import { expect, it } from "vitest";
import { clientOfTests } from "../../test/support/service.ts";

const client = await clientOfTests({ products: 30 });
const key = { "x-api-key": client.service.keys.primary };

const json = { "content-type": "application/json" };
const batch = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  client.send("/products/batch-lookup", { method: "POST", headers: { ...key, ...headers }, body });

function shaped(
  reply: { status: number; headers: Headers; json: { error: object } },
  status: number,
  code: string,
) {
  expect([reply.status, Object.keys(reply.json), Object.keys(reply.json.error)]).toEqual([
    status,
    ["error"],
    ["code", "message"],
  ]);
  expect(reply.json.error).toMatchObject({ code, message: expect.stringMatching(/./) });
  expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
}

it("has the error shape for a wrong method, and names the right one", async () => {
  for (const [method, path, allow] of [
    ["DELETE", "/retailers", "GET, HEAD"],
    ["POST", "/products", "GET, HEAD"],
    ["PUT", "/products/nordkauf/1", "GET, HEAD"],
    ["GET", "/products/batch-lookup", "POST"],
    ["OPTIONS", "/retailers", "GET, HEAD"],
    ["PROPFIND", "/retailers", "GET, HEAD"],
  ] as const) {
    const reply = await client.send(path, { method, headers: key });
    shaped(reply, 405, "bad_request");
    expect(reply.headers.get("allow")).toBe(allow);
  }
});

it("has the error shape for bad JSON, another type, too large a body, too long a URL", async () => {
  shaped(await batch("{"), 400, "bad_request");
  shaped(await batch(""), 400, "bad_request");
  shaped(await batch(new Uint8Array([0x22, 0xff, 0x22])), 400, "bad_request");
  shaped(await batch('{"items":[{"__proto__":{"a":1}}]}'), 400, "bad_request");
  shaped(await batch("[".repeat(100_000)), 400, "bad_request");
  shaped(await batch("a=b", { "content-type": "application/x-www-form-urlencoded" }), 415, "bad_request");
  shaped(await batch(" ".repeat(300_000)), 413, "bad_request");
  shaped(await batch(new Uint8Array(300_000), {}), 415, "bad_request");
  shaped(await client.get(`/products?category=${"x".repeat(9000)}`), 414, "bad_request");
});

const raw = (bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(client.service.baseUrl);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = "";
    socket.on("data", (data) => {
      text += data.toString();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });

it.each([
  ["bytes that are no HTTP", "\x16\x03\x01\x02\r\n\r\n", 400],
  ["headers too large", `GET /v1/retailers HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  [
    "two lengths",
    "POST /v1/products/batch-lookup HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    400,
  ],
  ["an unknown method", "BREW /v1/retailers HTTP/1.1\r\nHost: x\r\n\r\n", 400],
  ["no host", "GET /v1/retailers HTTP/1.1\r\nConnection: close\r\n\r\n", 401],
  [
    "an expectation",
    "GET /v1/retailers HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n",
    417,
  ],
])("returns %s in the error shape", async (_name, bytes, status) => {
  const text = await raw(bytes);
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(text.toLowerCase()).toContain("content-type: application/json; charset=utf-8");
  expect(text).toMatch(/\{"error":\{"code":"(bad_request|unauthorized)","message":"[^"]+"\}\}/);
});

it("treats HEAD like GET, without the body", async () => {
  const reply = await client.send("/retailers", { method: "HEAD", headers: key });
  expect([reply.status, reply.text]).toEqual([200, ""]);
});
