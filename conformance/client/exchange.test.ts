import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { type Received, sendJson, serve } from "../../test/support/server.ts";
import { stubClient, stubKeys, stubTarget } from "../../test/support/stub-client.ts";
import { byId, type Request, retailers } from "./requests.ts";

const body = JSON.stringify({ retailers: [{ slug: "a", name: "Ä", domains: [] }] });

/** The exchange that the client records for this response. */
async function exchangeWith(answer: (response: ServerResponse) => void, request: Request = retailers()) {
  await using stub = await serve((_request, response) => answer(response));
  await using http = stubClient(stubTarget(stub.baseUrl));
  return await http.send(request);
}

describe("a response", () => {
  test("is recorded with status, headers in lower case, text and JSON", async () => {
    const { number, endpoint, caller, request, response } = await exchangeWith((answer) => {
      answer.writeHead(404, { "Content-Type": "application/json", "X-Twice": ["one", "two"] });
      answer.end('{"error":{"code":"not_found","message":"no"}}');
    });
    expect({ number, endpoint, caller }).toEqual({
      number: 1,
      endpoint: "retailers",
      caller: "primary",
    });
    expect(request.headers).toEqual({
      accept: "application/json",
      Authorization: `Bearer ${stubKeys.primary}`,
    });
    expect(response).toMatchObject({
      status: 404,
      utf8: true,
      json: { error: { code: "not_found", message: "no" } },
      headers: { "content-type": "application/json", "x-twice": "one, two" },
    });
    expect(response.milliseconds).toBeGreaterThan(0);
  });

  test("keeps only the beginning of a long header", async () => {
    const { response } = await exchangeWith((answer) => {
      answer.writeHead(200, { "x-huge": "x".repeat(1024 * 1024) });
      answer.end(body);
    });
    expect(response.headers["x-huge"]).toBe("x".repeat(4096));
  });

  test("that redirects is not followed", async () => {
    await using stub = await serve((_request, response) => {
      response.writeHead(302, { location: "/v1/elsewhere" });
      response.end();
    });
    await using http = stubClient(stubTarget(stub.baseUrl));
    expect((await http.send(retailers())).response.status).toBe(302);
    expect(stub.requests).toHaveLength(1);
  });
});

describe("a request", () => {
  async function sent(request: Request, prefer?: "X-Api-Key"): Promise<Received | undefined> {
    await using stub = await serve((_request, response) => sendJson(response, 200, {}));
    await using http = stubClient(stubTarget(stub.baseUrl));
    if (prefer !== undefined) http.prefer(prefer);
    await http.send(request);
    return stub.requests[0];
  }

  test("carries the key of its caller in the preferred header", async () => {
    const first = await sent(retailers());
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${stubKeys.primary}`,
      accept: "application/json",
    });
    expect(first?.headers).not.toHaveProperty("x-api-key");
    const other = await sent({ ...retailers(), caller: "otherOrg" }, "X-Api-Key");
    expect(other?.headers).toMatchObject({ "x-api-key": stubKeys.otherOrg });
    expect(other?.headers).not.toHaveProperty("authorization");
  });

  test("uses its own header rather than the preferred one; without a caller it has no key", async () => {
    const named = await sent({ ...retailers(), keyHeader: "Authorization" }, "X-Api-Key");
    expect(named?.headers.authorization).toBe(`Bearer ${stubKeys.primary}`);
    const nobody = await sent({ ...retailers(), caller: "nobody" });
    expect(nobody?.headers).not.toHaveProperty("authorization");
    expect(nobody?.headers).not.toHaveProperty("x-api-key");
  });

  test.each([
    ["a/b c", "ü%?#&=+;"],
    [".", ".."],
    ["日本", "100% [x]{y}|\\^`"],
  ])("keeps every character of slug %j and id %j", async (slug, id) => {
    const arrived = await sent(byId(slug, id));
    const segments = arrived?.url.split("/").slice(3) ?? [];
    // URL parsers remove segments of dots, so such an id cannot be sent by path.
    if (slug !== ".") expect(segments.map(decodeURIComponent)).toEqual([slug, id]);
  });
});
