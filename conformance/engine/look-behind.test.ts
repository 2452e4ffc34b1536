import { expect, test } from "vitest";
import { stubTarget } from "../../test/support/stub-client.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, type Outcome } from "../client/outcome.ts";
import { respondersOf } from "../client/responder.ts";
import { lookBehind, nameOf } from "./look-behind.ts";

const target = stubTarget("http://stub.example/v1");
const { signal } = new AbortController();
const leak = exchangeOf("retailers", { retailers: [] }, { url: `${target.baseUrl}/retailers` });
const wrong = failed({ code: "wrong-status", expected: [401], actual: 200 }, leak);

/** What a search says of the failure, where requests get these responses in turn, and how many it sent. */
async function searched(
  answers: readonly Exchange[],
  { outcome = wrong, apart }: { outcome?: Outcome; apart?: readonly Exchange[] } = {},
) {
  const exchanges: Exchange[] = [];
  let sent = 0;
  const respond = (from: readonly Exchange[], url?: string) => {
    const { request, endpoint, ...given } = from[exchanges.length % from.length] ?? leak;
    const number = exchanges.length;
    exchanges.push({
      ...given,
      endpoint: url === undefined ? endpoint : "retailers",
      request: leak.request,
      number,
    });
    return given as Exchange;
  };
  const client: Parameters<typeof lookBehind>[0] = {
    ask: async () => leak,
    askApart: async ({ path }) => {
      if (apart === undefined) return answers[sent++ % answers.length] ?? leak;
      return path.includes("unused=") ? leak : respond(apart, leak.request.url);
    },
    staysOnConnection: async () => false,
  };
  const responders = respondersOf([]);
  await lookBehind(client, { responders, exchanges }, target)(outcome, signal);
  return { from: responders.of(leak), sent };
}

const unauthorized = errorOf(401, "unauthorized");

test("a control with another response, once after the request and once before it, shows a cache", async () => {
  const from = { by: "cache", control: 401 };
  expect(await searched([leak, unauthorized, unauthorized, leak])).toEqual({ from, sent: 4 });
});

test.each<[string, readonly Exchange[]]>([
  ["the control gets the same", [leak]],
  ["the request itself gets another response now", [unauthorized]],
  ["two instances take the requests by turns", [leak, unauthorized]],
  ["the service rejects the parameter", [leak, errorOf(400, "bad_request")]],
  ["the control is lost", [leak, errorOf(502, "upstream_error")]],
])("no cache is shown when %s", async (_name, answers) => {
  expect((await searched(answers)).from).toBeUndefined();
});

test.each([
  ["the same response", true],
  ["another one", false],
])("a request that gets %s without its query", async (_what, sameWithoutQuery) => {
  const shown = exchangeOf(
    "category-page",
    { products: [] },
    { url: `${target.baseUrl}/products?category=x` },
  );
  const client: Parameters<typeof lookBehind>[0] = {
    staysOnConnection: async () => false,
    ask: async ({ path }) => (sameWithoutQuery || path.includes("?") ? shown : errorOf(400, "bad_request")),
    askApart: async () => shown,
  };
  const responders = respondersOf([]);
  const outcome = failed({ code: "page-over-limit", expected: 1, actual: 5 }, shown);
  await lookBehind(client, { responders, exchanges: [] }, target)(outcome, signal);
  expect(responders.of(shown)).toEqual(sameWithoutQuery ? { by: "unclear", sameWithoutQuery } : undefined);
});

test.each([
  ["cursor", "category-page", "products?category=x&limit=3&cursor=y", "products?category=x&limit=3"],
  ["limit", "category-page", "products?category=x&limit=3&cursor=y", "products?category=x&cursor=y"],
] as const)(
  "a request that gets the same response without its %s",
  async (parameter, endpoint, path, same) => {
    const shown = exchangeOf(endpoint, { products: [] }, { url: `${target.baseUrl}/${path}` });
    const client: Parameters<typeof lookBehind>[0] = {
      staysOnConnection: async () => false,
      ask: async (one) => ([`/${path}`, `/${same}`].includes(one.path) ? shown : errorOf(400, "bad_request")),
      askApart: async () => shown,
    };
    const responders = respondersOf([]);
    const outcome = failed({ code: "page-over-limit", expected: 1, actual: 5 }, shown);
    await lookBehind(client, { responders, exchanges: [] }, target)(outcome, signal);
    expect(responders.of(shown)).toEqual({ by: "unclear", sameWithoutQuery: true, parameter });
  },
);

test.each([
  ["another one", "This key is not known.", { by: "unclear", isWithoutKey: true }],
  ["the same too", "No.", undefined],
])("a 401 that a request without a key gets too, and an invalid key %s", async (_what, message, from) => {
  const url = `${target.baseUrl}/retailers`;
  const of = (text: string) =>
    exchangeOf("retailers", { error: { code: "unauthorized", message: text } }, { url, status: 401 });
  const refused = of("No.");
  const shown = { ...refused, request: { ...refused.request, headers: { Authorization: "Bearer k" } } };
  const client: Parameters<typeof lookBehind>[0] = {
    staysOnConnection: async () => false,
    ask: async ({ headers = {} }) => ("X-Api-Key" in headers ? of(message) : refused),
    askApart: async () => shown,
  };
  const responders = respondersOf([]);
  const outcome = failed({ code: "wrong-status", expected: [200], actual: 401 }, shown);
  await lookBehind(client, { responders, exchanges: [] }, target)(outcome, signal);
  expect(responders.of(shown)).toEqual(from);
});

test.each([
  ["percent-encoded once more", 200, { by: "unclear", isDecodedTwice: true }],
  ["in no other way", 404, undefined],
])("an id that is found %s", async (_how, status, from) => {
  const shown = errorOf(404, "not_found", { url: `${target.baseUrl}/products/a/b%2Fc` });
  const client: Parameters<typeof lookBehind>[0] = {
    staysOnConnection: async () => false,
    ask: async ({ path }) =>
      path === "/products/a/b%252Fc" ? exchangeOf("lookup-by-id", {}, { status }) : shown,
    askApart: async () => shown,
  };
  const responders = respondersOf([]);
  const outcome = failed({ code: "wrong-status", expected: [200], actual: 404 }, shown);
  await lookBehind(client, { responders, exchanges: [] }, target)(outcome, signal);
  expect(responders.of(shown)).toEqual(from);
});

test("other kinds of failures are not looked at", async () => {
  expect(
    await searched([leak, unauthorized], {
      outcome: failed({ code: "not-json", details: { status: 200 } }, leak),
    }),
  ).toMatchObject({
    sent: 0,
  });
});

test("other connections with other responses by turns show instances", async () => {
  const { from } = await searched([leak], { apart: [leak, unauthorized] });
  expect(from).toMatchObject({ by: "instance", answers: [{ status: 200 }, { status: 401 }] });
});

test("requests with different keys are not the same request", () => {
  const withKey = (key: string) => ({ ...leak, request: { ...leak.request, headers: { "X-Api-Key": key } } });
  expect(nameOf(withKey("one"))).toBe(nameOf(withKey("one")));
  expect(nameOf(withKey("one"))).not.toBe(nameOf(withKey("other")));
});

test("one other response, or one change of data, shows none", async () => {
  const change = [...Array<Exchange>(8).fill(leak), ...Array<Exchange>(8).fill(unauthorized)];
  for (const apart of [[...change.slice(0, 7), unauthorized, ...change.slice(0, 8)], change])
    expect((await searched([leak], { apart })).from).toBeUndefined();
});
