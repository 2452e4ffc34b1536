import { describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpClient, SendOptions } from "./http-client.ts";
import { BudgetSpent, NoResponse, type NoResponseReason } from "./no-response.ts";
import { createPoliteClient, type PoliteClient } from "./polite-client.ts";
import { redactionFor } from "./redaction.ts";
import { byId, byUrl, type Request, retailers } from "./requests.ts";
import { TransportError } from "./transport-error.ts";

/** A client that records its delays instead of waiting. */
function clientOf(
  http: HttpClient,
  { now = () => Date.now(), delays = [] }: { now?: () => number; delays?: number[] } = {},
): PoliteClient {
  const sleep = async (milliseconds: number) => void delays.push(milliseconds);
  return createPoliteClient(http, { now, sleep });
}

const ok = exchangeOf("retailers", { retailers: [] });
const refused = errorOf(429, "rate_limited", { headers: { "retry-after": "1" } });
const broken = new TransportError("reset", "http://stub.example/v1/retailers");

interface ScriptedClient extends HttpClient {
  readonly sent: SendOptions[];
  readonly asked: Request[];
}

/** An HTTP client with scripted responses; the last one repeats. */
function scripted(answers: readonly (Exchange | Error)[], wait = 0): ScriptedClient {
  const sent: SendOptions[] = [];
  const asked: Request[] = [];
  let refusals = 0;
  return {
    sent,
    asked,
    // Without a wait, the refusals are as those of concurrent requests.
    waitsInVain: () => ({ count: wait === 0 ? 0 : refusals, milliseconds: refusals * wait, since: 0 }),
    report: () => undefined,
    sleep: async () => undefined,
    overtime: () => undefined,
    async send(request, options = {}) {
      asked.push(request);
      const answer = answers[Math.min(sent.length, answers.length - 1)] ?? ok;
      sent.push(options);
      if (answer instanceof Error) throw answer;
      refusals = answer.response.status === 429 ? refusals + 1 : 0;
      return answer;
    },
    wait: () => wait,
    exchanges: [],
    redaction: redactionFor({ keys: {} }),
    prefer: () => undefined,
    preferred: () => "Authorization",
    certificateEnds: () => undefined,
    requests: () => expect.fail("nobody asks for it here"),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The exchange that `ask` returns, or the reason of its NoResponse. */
async function ended(http: HttpClient, delays: number[] = []): Promise<Exchange | Finding> {
  try {
    return await clientOf(http, { delays }).ask(retailers());
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    return error.reason;
  }
}

describe("a response, or what is there in its place after all attempts", () => {
  const failed = errorOf(500, "internal_error");
  const upstream = errorOf(502, "upstream_error");
  const attempts = (count: number) => ({ count, of: "attempts" });
  const unavailable = { code: "target-unavailable", endpoint: "lookup-by-id", seen: attempts(4) };
  const brokenOff = { code: "no-answer", subject: "reset", details: { url: broken.url } };

  test.each<[string, readonly (Exchange | Error)[], outcome: object, sent: number, delays: number]>([
    ["a 500 is sent again once", [failed, ok], ok, 2, 1],
    ["a lasting 500 is a response", [failed], failed, 2, 1],
    ["the HTTP client waits after a 429", [refused, ok], ok, 2, 0],
    ["429 ten times in a row", [refused], { code: "still-rate-limited", seen: attempts(10) }, 10, 0],
    ["a broken connection", [broken, ok], ok, 2, 1],
    ["one that breaks three times", [broken], brokenOff, 3, 2],
    ["each kind by itself", [broken, refused, upstream, refused, upstream, refused, upstream, ok], ok, 8, 4],
    [
      "a spent budget",
      [new BudgetSpent(9)],
      { code: "budget-spent", subject: "requests", expected: 9 },
      1,
      0,
    ],
    ...[502, 503, 504].flatMap((status) => {
      const trouble = errorOf(status, "upstream_error");
      return [
        [`${status} three times`, [trouble, trouble, trouble, ok], ok, 4, 3],
        [`${status} four times`, [trouble], { ...unavailable, actual: status }, 4, 3],
      ] as [string, Exchange[], object, number, number][];
    }),
    ...[200, 302, 400, 403, 404, 418, 501].map((status): [string, Exchange[], object, number, number] => {
      const response = errorOf(status, "x");
      return [`${status} is a response`, [response], response, 1, 0];
    }),
  ])("%s", async (_name, answers, outcome, sent, count) => {
    const http = scripted(answers);
    const delays: number[] = [];
    expect(await ended(http, delays)).toEqual(outcome);
    expect(http.sent).toHaveLength(sent);
    expect(http.sent.every(({ regardlessOfLimit }) => regardlessOfLimit !== true)).toBe(true);
    expect(delays).toHaveLength(count);
  });

  test("comes after growing delays", async () => {
    const delays: number[] = [];
    await ended(scripted([upstream]), delays);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(new Set(delays).size).toBe(3);
  });
});

describe("401", () => {
  const unauthorized = errorOf(401, "unauthorized");

  test("where either header would do, the other one is tried and its response counts", async () => {
    const http = scripted([unauthorized, ok]);
    expect(await ended(http)).toBe(ok);
    expect(http.asked.map(({ keyHeader }) => keyHeader)).toEqual(["either", "X-Api-Key"]);
  });

  test("in both headers: the first response counts", async () => {
    const second = errorOf(401, "invalid");
    expect(await ended(scripted([unauthorized, second]))).toBe(unauthorized);
  });

  test.each([
    ["a header was named", { ...retailers(), keyHeader: "Authorization" as const }],
    ["no key was sent", { ...retailers(), caller: "nobody" as const }],
  ])("is returned when %s", async (_name, request) => {
    const http = scripted([unauthorized, ok]);
    expect(await clientOf(http).ask(request)).toBe(unauthorized);
    expect(http.sent).toHaveLength(1);
  });
});

describe("a key that was accepted", () => {
  const accepted = { ...ok, request: { ...ok.request, headers: { Authorization: "Bearer key" } } };
  const unauthorized = errorOf(401, "unauthorized");

  test("is rejected when the list and another path refuse it as well: nothing more is sent with it", async () => {
    const http = scripted([accepted, accepted, unauthorized]);
    const client = clientOf(http);
    await client.ask(retailers());
    await client.ask(retailers());
    const reason = { code: "key-rejected-since", subject: "primary", seen: { count: 2, of: "requests" } };
    const lookup = client.ask(byId("acme", "1"));
    await expect(lookup).rejects.toMatchObject({ reason });
    expect(http.asked.map(({ endpoint }) => endpoint).slice(2)).toEqual([
      "lookup-by-id",
      "retailers",
      "retailers",
      "lookup-by-id",
      "lookup-by-id",
    ]);
    await expect(client.ask(retailers())).rejects.toMatchObject({ reason });
    expect(http.sent).toHaveLength(7);
    expect(client.gone()).toMatchObject(reason);
  });

  test("of another role is rejected alone", async () => {
    const client = clientOf(scripted([accepted, ...Array<Exchange>(5).fill(unauthorized), accepted]));
    await client.ask({ ...retailers(), caller: "sameOrg" });
    const second = client.ask({ ...retailers(), caller: "sameOrg" });
    await expect(second).rejects.toMatchObject({
      reason: { code: "key-rejected-since", subject: "sameOrg" },
    });
    expect(await client.ask(retailers())).toBe(accepted);
    expect(client.gone()).toBeUndefined();
  });

  test("is not when only one request is refused: that response counts", async () => {
    const http = scripted([accepted, unauthorized, accepted, unauthorized]);
    const client = clientOf(http);
    await client.ask(retailers());
    const named = { ...byId("acme", "1"), keyHeader: "Authorization" as const };
    expect(await client.ask(named)).toBe(unauthorized);
    expect(http.sent).toHaveLength(3);
  });
});

/** Asks with a clock that advances so much with each reading, and then why no more requests are sent. */
async function downAfter(
  http: HttpClient,
  requests: readonly Request[],
  apart = 3000,
): Promise<NoResponseReason | undefined> {
  let now = Date.UTC(2026, 10, 22, 6, 30);
  const client = clientOf(http, { now: () => (now += apart) });
  for (const request of requests) await client.ask(request).catch(() => undefined);
  return client.gone();
}

const lookup = byId("acme", "1");
const lists = Array.from({ length: 4 }, () => retailers());

describe("a target that is down", () => {
  test.each([408, 503])("with %i to everything is so after eight and a look at two paths", async (status) => {
    const http = scripted([errorOf(status, "x")]);
    expect(await downAfter(http, [retailers(), lookup, lookup])).toEqual({
      code: "target-unavailable",
      actual: status,
      seen: { count: 8, of: "requests" },
      details: { since: "2026-11-22T06:30:03.000Z" },
    });
    // Two requests of four attempts, and two controls.
    expect(http.asked.slice(8).map(({ endpoint }) => endpoint)).toEqual(["retailers", "lookup-by-id"]);
  });

  test("is named with the gateway that responds in its place", async () => {
    const headers = { "content-type": "text/html", server: "nginx/1.22" };
    const page = exchangeOf("other", undefined, { status: 502, text: "<html></html>", headers });
    expect(await downAfter(scripted([page]), lists)).toMatchObject({
      actual: 502,
      from: { by: "unclear", name: "nginx/1.22" },
    });
  });

  test("gets nothing more: the reason is that of the failures", async () => {
    const http = scripted([broken]);
    let now = 0;
    const client = clientOf(http, { now: () => (now += 3000) });
    for (let count = 0; count < 3; count++)
      await expect(client.ask(retailers())).rejects.toThrow("no-answer");
    expect(client.gone()).toMatchObject({ code: "no-answer", subject: "reset" });
    const { length } = http.sent;
    await expect(client.ask(retailers())).rejects.toBeInstanceOf(NoResponse);
    await expect(client.sendAtOnce(retailers())).rejects.toThrow("no-answer");
    expect(http.sent).toHaveLength(length);
  });

  test("is looked at again at the end of a run, if its last request failed", async () => {
    const client = clientOf(scripted([ok, broken]));
    await client.ask(retailers());
    await expect(client.ask(lookup)).rejects.toThrow("no-answer");
    expect(client.gone()).toBeUndefined();
    await client.settle(new AbortController().signal);
    expect(client.gone()).toMatchObject({ code: "no-answer" });
  });
});

describe("a target is up", () => {
  /** Responds to these endpoints with one response, and to others with another. */
  const split = (failing: Request["endpoint"], failure: Exchange | Error): ScriptedClient => {
    const http = scripted([]);
    return {
      ...http,
      async send(request) {
        http.asked.push(request);
        if (request.endpoint !== failing) return ok;
        if (failure instanceof Error) throw failure;
        return failure;
      },
    };
  };

  test.each([500, 503])("that returns %i to some requests: one of the two paths responds", async (status) => {
    for (const failing of ["lookup-by-id", "retailers"] as const) {
      const http = split(failing, errorOf(status, "x"));
      const request = failing === "retailers" ? retailers() : lookup;
      expect(await downAfter(http, Array(12).fill(request))).toBeUndefined();
      expect(new Set(http.asked.map(({ endpoint }) => endpoint)).size).toBe(2);
    }
  });

  test("that breaks every connection of one endpoint", async () => {
    expect(await downAfter(split("lookup-by-url", broken), Array(9).fill(byUrl("x")))).toBeUndefined();
  });

  test("while another status occurs; a rejected request without a key does not count", async () => {
    const down = errorOf(503, "x");
    const trouble = [down, down, down, ok];
    const often = scripted([...trouble, ...trouble, ...trouble, ...trouble]);
    expect(await downAfter(often, lists)).toBeUndefined();
    expect(often.sent).toHaveLength(16);
    const refusing: HttpClient = {
      ...scripted([]),
      send: async ({ caller }) => (caller === "nobody" ? errorOf(401, "x") : down),
    };
    const nobody = { ...retailers(), caller: "nobody" as const };
    expect(await downAfter(refusing, [retailers(), nobody, retailers(), nobody, retailers()])).toMatchObject({
      code: "target-unavailable",
      seen: { count: 8 },
    });
  });

  test("that is deployed and returns 503 for a moment", async () => {
    const http = scripted([...Array<Exchange>(20).fill(errorOf(503, "x")), ok]);
    expect(await downAfter(http, [...lists, ...lists], 20)).toBeUndefined();
    expect(http.sent).toHaveLength(23);
  });
});

test("a single hanging endpoint costs at most four time-outs", async () => {
  const silent = new TransportError("silent", "http://stub.example/v1/products?url=x");
  const http: HttpClient = {
    ...scripted([ok]),
    async send(request) {
      if (request.endpoint === "lookup-by-url") throw silent;
      return ok;
    },
  };
  const client = clientOf(http);
  for (let count = 0; count < 2; count++) {
    await expect(client.ask(byUrl("x"))).rejects.toThrow("no-answer");
    expect(await client.ask(retailers())).toBe(ok);
  }
  await expect(client.ask(byUrl("x"))).rejects.toMatchObject({
    reason: { code: "endpoint-silent", endpoint: "lookup-by-url", seen: { count: 4, of: "requests" } },
  });
  expect(await client.ask(retailers())).toBe(ok);
  expect(client.gone()).toBeUndefined();
});

test("occasional time-outs do not end a run, however many there are", async () => {
  const silent = new TransportError("silent", "http://stub.example/v1/retailers");
  const client = clientOf(
    scripted(Array.from({ length: 100 }, (_, place) => (place % 5 === 0 ? silent : ok))),
  );
  for (let count = 0; count < 60; count++) expect(await client.ask(retailers())).toBe(ok);
  expect(client.gone()).toBeUndefined();
});

test("a wait of more than two minutes is not waited for, and nothing is sent", async () => {
  const http = scripted([ok], 121_060);
  expect(await ended(http)).toEqual({
    code: "wait-too-long",
    expected: 120,
    actual: 121,
    unit: "s",
  });
  expect(http.sent).toEqual([]);
  expect(await ended(scripted([ok], 120_060))).toBe(ok);
});

test("sendAtOnce sends once, regardless of response and wait", async () => {
  const http = scripted([refused], 500_000);
  expect(await clientOf(http).sendAtOnce(retailers())).toBe(refused);
  expect(http.sent).toEqual([{ regardlessOfLimit: true }]);
  await expect(clientOf(scripted([broken])).sendAtOnce(retailers())).rejects.toThrow("no-answer");
});

test("other errors are thrown unchanged", async () => {
  const mistake = new TypeError("our own");
  await expect(clientOf(scripted([mistake])).ask(retailers())).rejects.toBe(mistake);
});

test("the signal is passed to the HTTP client", async () => {
  const http = scripted([ok]);
  const { signal } = new AbortController();
  await clientOf(http).ask(retailers(), signal);
  await clientOf(http).sendAtOnce(retailers(), signal);
  expect(http.sent).toEqual([{ signal }, { signal, regardlessOfLimit: true }]);
});

describe("a rate limit that accepts nothing", () => {
  /** A clock that advances with each reading. */
  const seconds = (step = 1000) => {
    let milliseconds = 0;
    return () => {
      milliseconds += step;
      return milliseconds;
    };
  };

  test("is waited for a while; then nothing more is sent, for this reason", async () => {
    const http = scripted([refused], 900);
    const client = clientOf(http, { now: seconds() });
    for (let request = 0; request < 20; request++) {
      await expect(client.ask(retailers())).rejects.toThrow(NoResponse);
    }
    expect(http.sent.length).toBeGreaterThan(6);
    expect(http.sent.length).toBeLessThan(20);
    await expect(client.ask(retailers())).rejects.toMatchObject({
      reason: { code: "target-unavailable", actual: 429, seen: { count: 8, of: "attempts" } },
    });
  });

  test("counts as waited for too long after two minutes in total", async () => {
    const http = scripted([refused], 50_000);
    const client = clientOf(http, { now: seconds(50_000) });
    await expect(client.ask(retailers())).rejects.toThrow("target-unavailable");
    expect(client.gone()).toMatchObject({ code: "target-unavailable", actual: 429 });
    expect(http.sent.length).toBeLessThan(8);
  });

  test("does not end the run while a request is accepted now and then", async () => {
    const mostly = scripted(
      Array.from({ length: 60 }, (_, place) => (place % 5 === 4 ? ok : refused)),
      900,
    );
    const client = clientOf(mostly, { now: seconds() });
    for (let request = 0; request < 12; request++) expect(await client.ask(retailers())).toBe(ok);
  });
});

test("a wait of hours ends the run", async () => {
  const http = scripted([ok, errorOf(429, "rate_limited", { headers: { "retry-after": "2000" } })]);
  const wait: HttpClient["wait"] = () => (http.sent.length >= 2 ? 2_000_000 : 0);
  const client = clientOf({ ...http, wait });
  expect(await client.ask(retailers())).toBe(ok);
  await expect(client.ask(retailers())).rejects.toThrow("wait-too-long");
  expect(client.gone()).toMatchObject({ code: "wait-too-long", actual: 2000 });
  expect(http.sent).toHaveLength(2);
});

describe("a request that may make the target fail", () => {
  test("is sent thrice when the connection breaks, and does not count towards a target that is down", async () => {
    const http = scripted([broken]);
    const client = clientOf(http);
    for (let count = 1; count <= 5; count++) expect(await client.tryOut(retailers())).toBe(broken);
    expect(http.sent).toHaveLength(15);
    expect(client.gone()).toBeUndefined();
  });

  test("gets any other response at once, and waits out 429 and upstream errors", async () => {
    const failing = errorOf(500, "internal_error");
    expect(await clientOf(scripted([failing])).tryOut(retailers())).toBe(failing);
    const passing = errorOf(502, "upstream_error");
    expect(await clientOf(scripted([refused, passing, ok])).tryOut(retailers())).toBe(ok);
    expect(await clientOf(scripted([passing])).tryOut(retailers())).toBe(passing);
    await expect(clientOf(scripted([refused])).tryOut(retailers())).rejects.toThrow("still-rate-limited");
  });
});
