import { describe, expect, test } from "vitest";
import { errorOf, exchangeOf, type MadeUp } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import {
  failedRequests,
  isHopeless,
  lostRequests,
  noticesOf,
  tellingExchanges,
  tooManyLost,
} from "./notices.ts";

const own = { headers: { server: "uvicorn", via: "1.1 a" } };
const at = (url: string) => ({ url: `http://stub.example/v1/${url}` });
const page = (status: number, madeUp: MadeUp = {}, endpoint: Exchange["endpoint"] = "other") =>
  exchangeOf(endpoint, undefined, { status, text: "<html>no</html>", ...madeUp });
const hostile = (one: Exchange): Exchange => ({ ...one, purpose: "hostile" });

/** The notice with this code. */
const noticeOf = (code: string, exchanges: readonly Exchange[], total = exchanges.length) =>
  noticesOf(exchanges, total).find((one) => one.code === code);

describe.each([
  ["with a success that names the service", [exchangeOf("retailers", { retailers: [] }, own)]],
  ["without a success", []],
])("in a run %s", (_name, others) => {
  const isSilent = (one: Exchange) => !tellingExchanges([...others, one]).includes(one);

  test.each([502, 503, 504, 522])("an outage (%i) decides nothing, except in the error shape", (status) => {
    expect(isSilent(page(status))).toBe(true);
    expect(isSilent(errorOf(status, "upstream_error"))).toBe(false);
  });

  test.each([400, 403, 404, 413, 429, 500])(
    "%i for an ordinary request is judged, whoever gave it",
    (status) => {
      for (const endpoint of ["batch", "lookup-by-id", "other"] as const)
        expect(isSilent(page(status, endpoint === "batch" ? { method: "POST" } : {}, endpoint))).toBe(false);
    },
  );

  test.each(["products/a/x%00", "products/a/%C3%28", "products/a/%", "products?category=%ED%A0%80"])(
    "the refusal of %s, which no HTTP library sends, decides nothing",
    (url) => {
      for (const status of [400, 403, 404]) {
        expect(isSilent(page(status, at(url)))).toBe(true);
        expect(isSilent(exchangeOf("other", { statusCode: 400 }, { status, ...at(url) }))).toBe(true);
      }
      expect(isSilent(page(500, at(url)))).toBe(false);
      expect(isSilent(errorOf(400, "bad_request", at(url)))).toBe(false);
    },
  );

  test("escapes that any library sends are not malformed", () => {
    for (const url of ["products/a%2Fb/c", "products?url=https%3A%2F%2Fh%2F%25zz", "products/%E2%82%AC"])
      expect(isSilent(page(404, at(url)))).toBe(false);
  });

  test("a page for hostile input or a writing method decides nothing; 429 and 500 do", () => {
    expect(isSilent(hostile(page(403)))).toBe(true);
    expect(isSilent(page(405, { method: "PUT" }))).toBe(true);
    for (const status of [200, 429, 500]) expect(isSilent(hostile(page(status)))).toBe(false);
  });

  test("what has the headers of a success, or an error in JSON, may be the service's", () => {
    const json = (madeUp: MadeUp) => exchangeOf("other", { detail: "no" }, { status: 404, ...madeUp });
    for (const one of [json(own), page(405, { method: "PUT", ...own })])
      expect(isSilent(hostile(one))).toBe(others.length === 0);
    for (const headers of [{}, { ...own.headers, server: "nginx" }, { ...own.headers, via: "1.1 b" }])
      expect(isSilent(hostile(json({ headers })))).toBe(true);
    expect(isSilent(hostile(exchangeOf("other", { error: "no" }, { status: 404 })))).toBe(false);
    expect(isSilent(json({}))).toBe(false);
  });
});

test("lost responses are counted by status; above a fifth, the service cannot be judged", () => {
  const nginx = { headers: { server: "nginx/1.22" } };
  const exchanges = [page(502, nginx), page(502, nginx), page(504, nginx), exchangeOf("other", {})];
  const loss = lostRequests(exchanges, 15);
  expect(loss).toEqual({
    code: "lost-on-the-way",
    subject: "nginx/1.22",
    seen: { count: 3, total: 15, of: "requests" },
    details: { 502: 2, 504: 1 },
  });
  expect(loss && tooManyLost(loss)).toBe(false);
  expect(loss && tooManyLost({ ...loss, seen: { count: 4, total: 15, of: "requests" } })).toBe(true);
  expect(lostRequests([exchangeOf("other", {})], 1)).toBeUndefined();
  expect(lostRequests([...exchanges, page(503)], 15)).not.toHaveProperty("subject");
});

test.each([
  [25, 80, 0, true],
  [25, 80, 1, false],
  [25, 79, 0, false],
  [24, 80, 0, false],
  [24, 105, 25, false],
])("a run that lost %i of %i responses on the way, and %i of bursts: hopeless %s", (...row) => {
  const [lost, total, bursts, isLost] = row;
  const others = Array<Exchange>(total - lost).fill(exchangeOf("other", {}));
  const ofBursts = others.splice(0, bursts).map(() => ({ ...page(502), purpose: "burst" as const }));
  expect(isHopeless([...ofBursts, ...others, ...Array<Exchange>(lost).fill(page(502))])).toBe(isLost);
});

test("a refusal of what no HTTP library sends, or of what is too long, is not mentioned", () => {
  const refused = (status: number, url: string) => hostile(page(status, at(`products/acme/${url}`)));
  const unmentioned = [refused(400, "a%00b"), refused(400, "%C3%28"), refused(414, "xxxx")];
  expect(noticeOf("refused-on-the-way", unmentioned)).toBeUndefined();
  const mentioned = [...unmentioned, refused(403, "select"), page(502)];
  const from = { by: "unclear" };
  expect(noticeOf("refused-on-the-way", mentioned)).toMatchObject({ from, details: { 403: 1 } });
});

describe("failures of requests", () => {
  const found = (url: string) => exchangeOf("lookup-by-id", {}, at(url));
  const failed = (status: number, url: string) => errorOf(status, "upstream_error", at(url));

  test("that succeed at another time are counted by status", () => {
    const exchanges = [
      failed(502, "1"),
      found("1"),
      found("2"),
      failed(500, "2"),
      failed(502, "2"),
      found("3"),
    ];
    expect(noticeOf("failed-at-times", exchanges, 40)).toEqual({
      code: "failed-at-times",
      seen: { count: 3, total: 40, of: "requests" },
      details: { 500: 1, 502: 2 },
    });
    expect(failedRequests(exchanges, 40)).toEqual({ count: 3, total: 40 });
    expect(failedRequests([found("1")], 1)).toBeUndefined();
  });

  test("that always fail are for the checks, and a gateway's page is not the service's", () => {
    const ofGateway = page(502, at("1"), "lookup-by-id");
    expect(
      noticeOf("failed-at-times", [failed(500, "2"), failed(500, "2"), ofGateway, found("1")]),
    ).toBeUndefined();
    const limited = errorOf(429, "rate_limited", at("2"));
    expect(noticeOf("failed-at-times", [failed(500, "2"), limited])).toBeUndefined();
    const inBrotli = { ...at("2"), requestHeaders: { "accept-encoding": "br" } };
    expect(
      noticeOf("failed-at-times", [failed(500, "2"), exchangeOf("other", {}, inBrotli)]),
    ).toBeUndefined();
  });
});

const kept = (madeUp: MadeUp) => noticeOf("public-response", [exchangeOf("retailers", {}, madeUp)]);

test.each<[Record<string, string>, number]>([
  [{ "cache-control": "public, max-age=60" }, 1],
  [{ "cache-control": "s-maxage=5" }, 1],
  [{ "cache-control": "public", vary: "Accept-Encoding, Authorization" }, 1],
  [{ "cache-control": "public", vary: "authorization ,X-Api-Key, Cookie" }, 0],
  [{ "cache-control": "public", vary: "*" }, 0],
  [{ "cache-control": "private, max-age=60" }, 0],
  [{ "cache-control": "public, no-store" }, 0],
  [{ "cache-control": "max-age=60" }, 0],
  [{}, 0],
])("responses that a shared cache may keep for all organizations: %j, %i", (headers, count) => {
  const seen = { count, total: 1, of: "responses" };
  const notice = { code: "public-response", actual: headers["cache-control"], seen };
  expect(kept({ headers })).toEqual(count === 0 ? undefined : notice);
  // Without a key there is nothing to mix up.
  for (const other of [{ caller: "nobody" }, { status: 404 }] as const)
    expect(kept({ headers, ...other })).toBeUndefined();
});
