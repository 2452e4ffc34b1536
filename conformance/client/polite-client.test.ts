import { describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange, Purpose } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import { BudgetSpent, NoResponse, TransportError } from "./no-response.ts";
import { createPoliteClient, type PoliteClient } from "./polite-client.ts";
import { redactionFor } from "./redaction.ts";
import { byId, byUrl, type Request, retailers } from "./requests.ts";

/** A client that records its delays instead of waiting, with a clock that advances so much with each reading. */
function clientOf(http: HttpClient, { apart = 0, delays = [] as number[] } = {}): PoliteClient {
  let now = Date.UTC(2026, 10, 22, 6, 30);
  const sleep = async (milliseconds: number) => void delays.push(milliseconds);
  return createPoliteClient({ ...http, clock: { now: () => (now += apart), sleep } });
}

const ok = exchangeOf("retailers", { retailers: [] });
const refused = errorOf(429, "rate_limited", { headers: { "retry-after": "1" } });
const unauthorized = errorOf(401, "unauthorized");
const lost = { method: "GET", url: "http://stub.example/v1/retailers", headers: {} };
const broken = new TransportError("reset", lost);
const silent = new TransportError("silent", lost);
const lookup = byId("acme", "1");
const nobody = { ...retailers(), caller: "nobody" as const };

interface ScriptedClient extends HttpClient {
  readonly sent: (Purpose | undefined)[];
  readonly asked: Request[];
}

type Answer = Exchange | Error;

/** An HTTP client with scripted responses, the last of which repeats, or with one by request. */
function scripted(answers: readonly Answer[] | ((request: Request) => Answer), wait = 0): ScriptedClient {
  const sent: (Purpose | undefined)[] = [];
  const asked: Request[] = [];
  let refusals = 0;
  return {
    sent,
    asked,
    // Without a wait, the refusals are as those of concurrent requests.
    limit: () => ({
      refusal: () => wait,
      waitsInVain: () => ({ count: wait === 0 ? 0 : refusals, milliseconds: refusals * wait }),
    }),
    report: () => undefined,
    clock: { now: () => 0, sleep: async () => undefined },
    signal: new AbortController().signal,
    async send(request, purpose) {
      const answer =
        typeof answers === "function"
          ? answers(request)
          : (answers[Math.min(sent.length, answers.length - 1)] ?? ok);
      asked.push(request);
      sent.push(purpose);
      if (answer instanceof Error) throw answer;
      refusals = answer.response.status === 429 ? refusals + 1 : 0;
      return answer;
    },
    exchanges: [],
    redaction: redactionFor({ keys: {} }),
    prefer: () => undefined,
    preferred: () => "Authorization",
    requests: () => expect.fail("nobody asks for it here"),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The response, or the reason why there is none. */
async function endOf(response: Promise<Exchange>): Promise<Exchange | Finding> {
  return await response.catch((error: unknown) => {
    if (!(error instanceof NoResponse)) throw error;
    return error.reason;
  });
}

describe("a response, or what is there in its place after all attempts", () => {
  const failed = errorOf(500, "internal_error");
  const upstream = errorOf(502, "upstream_error");
  const attempts = (count: number) => ({ count, of: "attempts" });
  const after4 = { code: "target-unavailable", endpoint: "lookup-by-id", seen: attempts(4) };
  const brokenOff = { code: "no-answer", subject: "reset", details: { url: lost.url } };
  const spent = { code: "budget-spent", subject: "requests", expected: 9 };

  test.each<[string, readonly Answer[], outcome: object, sent: number, delays: readonly number[]]>([
    ["a 500 is sent again once", [failed, ok], ok, 2, [300]],
    ["a lasting 500 is a response", [failed], failed, 2, [300]],
    ["the HTTP client waits after a 429", [refused, ok], ok, 2, []],
    ["429 ten times in a row", [refused], { code: "still-rate-limited", seen: attempts(9) }, 10, []],
    ["a broken connection", [broken, ok], ok, 2, [300]],
    ["one that breaks three times", [broken], brokenOff, 3, [300, 600]],
    [
      "each kind by itself",
      [broken, refused, upstream, refused, upstream, refused, upstream, ok],
      ok,
      8,
      [300, 300, 600, 1200],
    ],
    ["a spent budget", [new BudgetSpent(9)], spent, 1, []],
    ...[408, 502, 503, 504].map((status): [string, Exchange[], object, number, number[]] => {
      const trouble = errorOf(status, "upstream_error");
      return [`${status} four times`, [trouble], { ...after4, actual: status }, 4, [300, 600, 1200]];
    }),
    ...[200, 302, 403, 404, 501].map((status): [string, Exchange[], object, number, number[]] => {
      const response = errorOf(status, "x");
      return [`${status} is a response`, [response], response, 1, []];
    }),
  ])("%s", async (_name, answers, outcome, sent, expected) => {
    const http = scripted(answers);
    const delays: number[] = [];
    expect(await endOf(clientOf(http, { delays }).ask(retailers()))).toEqual(outcome);
    expect(http.sent).toEqual(Array(sent).fill(undefined));
    expect(delays).toEqual(expected);
  });

  test("other errors are thrown unchanged", async () => {
    const mistake = new TypeError("our own");
    await expect(clientOf(scripted([mistake])).ask(retailers())).rejects.toBe(mistake);
  });
});

test.each<[string, answers: Exchange[], Request, outcome: Exchange, sent: readonly string[]]>([
  ["is tried in the other header", [unauthorized, ok], retailers(), ok, ["either", "X-Api-Key"]],
  [
    "in both headers is the first response",
    [unauthorized, errorOf(401, "invalid")],
    retailers(),
    unauthorized,
    ["either", "X-Api-Key"],
  ],
  [
    "in a header that was named is a response",
    [unauthorized, ok],
    { ...retailers(), keyHeader: "Authorization" },
    unauthorized,
    ["Authorization"],
  ],
  ["without a key is a response", [unauthorized, ok], nobody, unauthorized, ["either"]],
])("401 %s", async (_name, answers, request, outcome, sent) => {
  const http = scripted(answers);
  expect(await clientOf(http).ask(request)).toBe(outcome);
  expect(http.asked.map(({ keyHeader }) => keyHeader)).toEqual(sent);
});

describe("a key that was accepted", () => {
  test.each(["primary", "sameOrg"] as const)("as %s is rejected when two paths refuse it", async (caller) => {
    const http = scripted([ok, ok, ...Array<Exchange>(5).fill(unauthorized), ok]);
    const client = clientOf(http);
    for (let count = 0; count < 2; count++) await client.ask({ ...retailers(), caller });
    const reason = { code: "key-rejected-since", subject: caller, seen: { count: 2, of: "requests" } };
    expect(await endOf(client.ask({ ...lookup, caller }))).toMatchObject(reason);
    expect(http.asked.slice(3).map(({ endpoint }) => endpoint)).toEqual(
      ["retailers", "lookup-by-id"].flatMap((endpoint) => [endpoint, endpoint]),
    );
    expect(await endOf(client.ask({ ...retailers(), caller }))).toMatchObject(reason);
    // Without the primary key the run cannot go on.
    const isPrimary = caller === "primary";
    expect(client.gone()?.code).toBe(isPrimary ? "key-rejected-since" : undefined);
    expect(await endOf(client.ask(retailers()))).toMatchObject(isPrimary ? reason : ok);
  });

  test("is not rejected when only one request is refused: that response counts", async () => {
    const http = scripted([ok, unauthorized, ok, unauthorized]);
    const client = clientOf(http);
    await client.ask(retailers());
    expect(await client.ask({ ...lookup, keyHeader: "Authorization" })).toBe(unauthorized);
    expect(http.sent).toHaveLength(3);
  });
});

/** Asks, each request a while after the other, and says why no more are sent. */
async function goneAfter(http: HttpClient, requests: readonly Request[], apart = 3000) {
  const client = clientOf(http, { apart });
  for (const request of requests) await endOf(client.ask(request));
  return client.gone();
}

const times = (count: number, request = retailers()) => Array.from({ length: count }, () => request);
const down = errorOf(503, "x");
const only = (endpoint: Request["endpoint"], answer: Answer) => (request: Request) =>
  request.endpoint === endpoint ? answer : ok;
const details = { since: "2026-11-22T06:30:03.000Z" };
const eightTimes = { code: "target-unavailable", seen: { count: 8, of: "requests" } };
const unavailable = (actual: number) => ({ ...eightTimes, actual, details });
const headers = { "content-type": "text/html", server: "nginx/1.22" };
const page = exchangeOf("other", undefined, { status: 502, text: "<html></html>", headers });
const withoutKey = [retailers(), nobody, retailers(), nobody, retailers()];

test.each<[string, Parameters<typeof scripted>[0], readonly Request[], object | undefined, apart?: number]>([
  ["is down after eight 408", [errorOf(408, "x")], [retailers(), lookup, lookup], unavailable(408)],
  ["is down after eight 503", [down], [retailers(), lookup, lookup], unavailable(503)],
  ["is down, as a gateway says", [page], times(4), { from: { by: "unclear", name: "nginx/1.22" } }],
  [
    "is down while a gateway rejects requests without a key",
    ({ caller }) => (caller === "nobody" ? unauthorized : down),
    withoutKey,
    eightTimes,
  ],
  ["is up with 500 to the list only", only("retailers", errorOf(500, "x")), times(12), undefined],
  ["is up with 503 to lookups only", only("lookup-by-id", down), times(12, lookup), undefined],
  ["is up with a broken lookup by URL", only("lookup-by-url", broken), times(12, byUrl("x")), undefined],
  [
    "is up while another status occurs",
    Array.from({ length: 16 }, (_, place) => (place % 4 === 3 ? ok : down)),
    times(4),
    undefined,
  ],
  ["is up while it is deployed", [...Array<Exchange>(20).fill(down), ok], times(8), undefined, 20],
  [
    "is up with time-outs at times, however many there are",
    Array.from({ length: 100 }, (_, place) => (place % 5 === 0 ? silent : ok)),
    times(60),
    undefined,
  ],
])("a target %s", async (_name, answers, requests, gone, apart) => {
  const reason = await goneAfter(scripted(answers), requests, apart);
  if (gone === undefined) expect(reason).toBeUndefined();
  else expect(reason).toMatchObject(gone);
});

describe("a target that is down", () => {
  test("gets nothing more", async () => {
    const http = scripted([broken]);
    const client = clientOf(http, { apart: 3000 });
    for (const request of times(3)) await endOf(client.ask(request));
    const { length } = http.sent;
    const gone = { code: "no-answer", subject: "reset" };
    for (const reason of [client.gone(), await endOf(client.ask(retailers()))])
      expect(reason).toMatchObject(gone);
    expect(await endOf(client.sendAtOnce(retailers()))).toMatchObject(gone);
    expect(http.sent).toHaveLength(length);
  });

  test("is looked at again at the end of a run, if its last request failed", async () => {
    const client = clientOf(scripted([ok, broken]));
    for (const request of [retailers(), lookup]) await endOf(client.ask(request));
    expect(client.gone()).toBeUndefined();
    await client.settle();
    expect(client.gone()).toMatchObject({ code: "no-answer" });
  });
});

test("a single hanging endpoint costs at most four time-outs", async () => {
  const http = scripted(({ endpoint }) => (endpoint === "lookup-by-url" ? silent : ok));
  const client = clientOf(http);
  for (let count = 0; count < 3; count++) {
    await expect(client.ask(byUrl("x"))).rejects.toMatchObject({
      reason: { code: count < 2 ? "no-answer" : "endpoint-silent" },
    });
    expect(await client.ask(retailers())).toBe(ok);
  }
  expect(http.asked.filter(({ endpoint }) => endpoint === "lookup-by-url")).toHaveLength(4);
  expect(client.gone()).toBeUndefined();
});

describe("a rate limit", () => {
  test.each([
    ["eight times", 900, 20, 9, { seen: { count: 8, of: "attempts" } }],
    ["for two minutes in total", 50_000, 4, 3, {}],
  ])("that accepts nothing is waited for %s", async (_name, wait, requests, sent, more) => {
    const http = scripted([refused], wait);
    expect(await goneAfter(http, times(requests))).toMatchObject({ code: "still-rate-limited", ...more });
    expect(http.sent).toHaveLength(sent);
  });

  test("does not end the run while a request is accepted now and then", async () => {
    const answers = Array.from({ length: 60 }, (_, place) => (place % 5 === 4 ? ok : refused));
    expect(await goneAfter(scripted(answers, 900), times(12))).toBeUndefined();
  });

  test.each([
    [120_060, { response: { status: 200 } }],
    [121_060, { code: "wait-too-long", expected: 120, actual: 121, unit: "s" }],
  ])("that asks for %i milliseconds", async (wait, outcome) => {
    expect(await endOf(clientOf(scripted([ok], wait)).ask(retailers()))).toMatchObject(outcome);
  });
});

test("sendAtOnce sends once, regardless of response and wait", async () => {
  const http = scripted([refused], 500_000);
  expect(await clientOf(http).sendAtOnce(retailers())).toBe(refused);
  expect(http.sent).toEqual(["burst"]);
  await expect(clientOf(scripted([broken])).sendAtOnce(retailers())).rejects.toThrow("no-answer");
});

describe("a request that may make the target fail", () => {
  test("is sent thrice when the connection breaks, and does not count towards a target that is down", async () => {
    const http = scripted([broken]);
    const client = clientOf(http, { apart: 3000 });
    for (let count = 1; count <= 5; count++) expect(await client.tryOut(retailers())).toBe(broken);
    expect(http.sent).toHaveLength(15);
    expect(client.gone()).toBeUndefined();
  });

  test("gets any other response at once, and waits out 429 and upstream errors", async () => {
    const failing = errorOf(500, "internal_error");
    expect(await clientOf(scripted([failing])).tryOut(retailers())).toBe(failing);
    const passing = errorOf(502, "upstream_error");
    expect(await clientOf(scripted([refused, passing, ok])).tryOut(retailers())).toBe(ok);
    await expect(clientOf(scripted([refused])).tryOut(retailers())).rejects.toThrow("still-rate-limited");
  });
});
