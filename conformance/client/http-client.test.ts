import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { deadBaseUrl, sendJson, serve, type TestServer } from "../../test/support/server.ts";
import { stubClient, stubKeys, stubTarget } from "../../test/support/stub-client.ts";
import { stubClock } from "../../test/support/stub-clock.ts";
import { BudgetSpent } from "./no-response.ts";
import { byId, type Request, retailers } from "./requests.ts";

describe("a response", () => {
  /** The exchange that the client records for this response. */
  async function exchangeWith(answer: (response: ServerResponse) => void) {
    await using stub = await serve((_request, response) => answer(response));
    await using http = stubClient(stubTarget(stub.baseUrl));
    return await http.send(retailers());
  }

  test("is recorded with status, headers in lower case, text and JSON; the request with its headers", async () => {
    const { request, response, ...others } = await exchangeWith((answer) => {
      answer.writeHead(404, { "Content-Type": "application/json", "X-Twice": ["one", "two"] });
      answer.end('{"error":{"code":"not_found","message":"no"}}');
    });
    expect(others).toMatchObject({ number: 1, endpoint: "retailers", caller: "primary" });
    const key = { Authorization: `Bearer ${stubKeys.primary}` };
    expect(request.headers).toEqual({ accept: "application/json", ...key });
    expect(response).toMatchObject({
      status: 404,
      utf8: true,
      json: { error: { code: "not_found", message: "no" } },
      headers: { "content-type": "application/json", "x-twice": "one, two" },
    });
    expect(response.milliseconds).toBeGreaterThan(0);
  });
});

describe("a request", () => {
  const bearer = { authorization: `Bearer ${stubKeys.primary}` };
  test.each<[string, Partial<Request>, "X-Api-Key" | undefined, Record<string, string>]>([
    ["the key of its caller", {}, undefined, bearer],
    ["it in the preferred header", { caller: "otherOrg" }, "X-Api-Key", { "x-api-key": stubKeys.otherOrg }],
    ["it in its own header", { keyHeader: "Authorization" }, "X-Api-Key", bearer],
    ["no key without a caller", { caller: "nobody" }, undefined, {}],
  ])("carries %s", async (_name, change, prefer, expected) => {
    await using stub = await serve((_request, response) => sendJson(response, 200, {}));
    await using http = stubClient(stubTarget(stub.baseUrl));
    if (prefer !== undefined) http.prefer(prefer);
    await http.send({ ...retailers(), ...change });
    const { authorization, "x-api-key": plain } = stub.requests[0]?.headers ?? {};
    expect({ authorization, "x-api-key": plain }).toEqual(expected);
  });

  test.each([
    ["a/b c", "ü%?#&=+;"],
    ["日本", "100% [x]{y}|\\^`"],
    // Parsers of URLs remove segments of dots.
    [".", ".."],
  ])("keeps every character of slug %j and id %j", async (slug, id) => {
    await using stub = await serve((_request, response) => sendJson(response, 200, {}));
    await using http = stubClient(stubTarget(stub.baseUrl));
    await http.send(byId(slug, id));
    expect(stub.requests[0]?.url.split("/").slice(3).map(decodeURIComponent)).toEqual([slug, id]);
  });
});

describe("the budget", () => {
  test("counts every request and sends none beyond it", async () => {
    await using stub = await serve((_request, response) => sendJson(response, 200, {}));
    await using http = stubClient(stubTarget(stub.baseUrl), { maxRequests: 3 });
    await http.send(retailers());
    await http.send(byId("a", "1"));
    expect((await http.send(retailers())).number).toBe(3);
    const beyond = http.send(retailers());
    await expect(beyond).rejects.toThrow(BudgetSpent);
    await expect(beyond).rejects.toMatchObject({ reason: { expected: 3, subject: "requests" } });
    expect(stub.requests).toHaveLength(3);
    expect(http.requests()).toEqual({ total: 3 });
    expect(http.exchanges).toHaveLength(3);
  });

  test("of time: no wait begins that would end too late", async () => {
    const clock = stubClock();
    let isLimited = false;
    await using stub = await serve((_request, response) => {
      if (isLimited) response.setHeader("retry-after", "20");
      sendJson(response, isLimited ? 429 : 200, {});
    });
    await using http = stubClient(stubTarget(stub.baseUrl), {
      clock,
      maxSeconds: 30,
    });
    await http.send(retailers());
    await clock.advance(12_000);
    isLimited = true;
    await http.send(retailers());
    await expect(http.send(retailers())).rejects.toMatchObject({
      reason: { expected: 30, subject: "seconds" },
    });
    expect(http.requests().total).toBe(2);
  });

  test("of time: a request on its way is cut off at its end, which is no failure of the target", async () => {
    const clock = stubClock();
    await using stub = await serve(() => undefined);
    await using http = stubClient(stubTarget(stub.baseUrl), { clock, maxSeconds: 30 });
    await clock.advance(29_900);
    await expect(http.send(retailers())).rejects.toMatchObject({
      reason: { expected: 30, subject: "seconds" },
    });
    await expect(http.clock.sleep(100)).rejects.toMatchObject({
      reason: { expected: 30, subject: "seconds" },
    });
    expect(http.requests()).toEqual({ total: 1 });
    expect(http.exchanges).toHaveLength(0);
  });

  test("limits concurrent requests", async () => {
    await using stub = await serve((_request, response) => sendJson(response, 200, {}));
    await using http = stubClient(stubTarget(stub.baseUrl), { maxRequests: 5 });
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => http.send(retailers())));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(stub.requests).toHaveLength(5);
  });
});

describe("a connection that the server closes when it is used again", () => {
  test("is replaced, when nothing was received: the request is sent once more", async () => {
    let count = 0;
    await using stub = await serve((_request, response) => {
      count++;
      if (count === 2) response.destroy();
      else sendJson(response, 200, { count });
    });
    await using http = stubClient(stubTarget(stub.baseUrl));
    await http.send(retailers());
    expect((await http.send(byId("a", "1"))).response.json).toEqual({ count: 3 });
    expect(http.requests()).toMatchObject({
      total: 3,
      lost: { details: { reset: 1 } },
    });
  });

  test("is a failure when it closes again, and when a part of the response came", async () => {
    let isPart = false;
    await using stub = await serve((_request, response) => {
      if (stub.requests.length === 1) return sendJson(response, 200, {});
      if (isPart) response.writeHead(200, { "content-length": "10" }).write("abc");
      return void setImmediate(() => response.destroy());
    });
    await using http = stubClient(stubTarget(stub.baseUrl));
    await http.send(retailers());
    await expect(http.send(retailers())).rejects.toMatchObject({ failure: "reset" });
    expect(stub.requests).toHaveLength(3);
    isPart = true;
    await expect(http.send(retailers())).rejects.toMatchObject({ failure: "reset", nothingReceived: false });
    expect(stub.requests).toHaveLength(4);
  });
});

describe("an abort", () => {
  const enough = new Error("enough");

  test("ends a pending request with the signal's reason", async () => {
    const abort = new AbortController();
    await using stub = await serve(() => abort.abort(enough));
    await using http = stubClient(stubTarget(stub.baseUrl), { signal: abort.signal });
    await expect(http.send(retailers())).rejects.toBe(enough);
  });

  test("ends a wait for the rate limit, and nothing more is sent", async () => {
    const abort = new AbortController();
    const clock = stubClock();
    await using stub = await serve((_request, response) =>
      sendJson(response, 429, {}, { "retry-after": "5" }),
    );
    await using http = stubClient(stubTarget(stub.baseUrl), { clock, signal: abort.signal });
    await http.send(retailers());
    const waiting = http.send(retailers());
    await clock.untilAsleep();
    abort.abort(enough);
    await expect(waiting).rejects.toBe(enough);
    await expect(http.send(retailers())).rejects.toBe(enough);
    expect(stub.requests).toHaveLength(1);
  });
});

// Requirement limits.respect: a client respects Retry-After and assumes no fixed rate.
describe("no request leaves before Retry-After has passed", () => {
  const refused = (response: ServerResponse, retryAfter: string | undefined) =>
    sendJson(response, 429, {}, retryAfter === undefined ? {} : { "retry-after": retryAfter });
  const ok = (response: ServerResponse) => sendJson(response, 200, {});

  /** Responds to requests by number, counted from 0, and records the time of each on the clock. */
  async function startTimed(
    clock: ReturnType<typeof stubClock>,
    answer: (count: number, response: ServerResponse) => void,
  ): Promise<TestServer & { times: number[] }> {
    const start = clock.now();
    const times: number[] = [];
    const stub = await serve((_request, response) => {
      times.push(clock.now() - start);
      answer(times.length - 1, response);
    });
    return { ...stub, times };
  }

  test("with either key of the organization; other organizations and requests without a key go on", async () => {
    const clock = stubClock();
    await using stub = await startTimed(clock, (count, response) =>
      count === 0 ? refused(response, "7") : ok(response),
    );
    await using http = stubClient(stubTarget(stub.baseUrl), { clock });
    await http.send(retailers());
    expect(http.limit("sameOrg").refusal()).toBeGreaterThanOrEqual(7000);
    expect(http.limit("otherOrg").refusal()).toBe(0);
    const waiting = [http.send(retailers()), http.send({ ...retailers(), caller: "sameOrg" })];
    await http.send({ ...retailers(), caller: "otherOrg" });
    await http.send({ ...retailers(), caller: "nobody" });
    await clock.advance(6999);
    // After another exchange, requests that had left would have arrived.
    await http.send({ ...retailers(), caller: "otherOrg" });
    expect(stub.times).toHaveLength(4);
    await clock.advance(20_000);
    await Promise.all(waiting);
    expect(stub.times).toHaveLength(6);
    for (const time of stub.times.slice(4)) expect(time).toBeGreaterThanOrEqual(7000);
  });

  test("except for the check that provokes the limit", async () => {
    const clock = stubClock();
    await using stub = await startTimed(clock, (_count, response) => refused(response, "60"));
    await using http = stubClient(stubTarget(stub.baseUrl), { clock });
    await http.send(retailers());
    await http.send(retailers(), "burst");
    expect(stub.times).toEqual([0, 0]);
  });
});

test("a proxy that is down, or requires credentials, is not reported as a target that is down", async () => {
  await using refusing = await serve((_request, response) => void response.writeHead(407).end());
  for (const address of [deadBaseUrl, refusing.baseUrl]) {
    const connection = { proxy: new URL(address).origin };
    await using http = stubClient(stubTarget("http://catalog.example/v1", { connection }));
    await expect(http.send(retailers())).rejects.toMatchObject({ failure: "proxy" });
  }
});
