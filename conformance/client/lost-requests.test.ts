import { expect, test } from "vitest";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import { lostRequests, passingFailures, refusedRequests, tooManyLost } from "./lost-requests.ts";
import { respondersOf } from "./responder.ts";

const ofGateway = (status: number) =>
  exchangeOf("other", undefined, {
    status,
    text: "<html><h1>502 Bad Gateway</h1><center>nginx/1.22</center></html>",
    headers: { "content-type": "text/html", server: "nginx/1.22" },
  });

test("lost responses are counted by status; above a fifth, the service cannot be judged", () => {
  const exchanges = [ofGateway(502), ofGateway(502), ofGateway(504), exchangeOf("other", {})];
  const loss = lostRequests(exchanges, respondersOf(exchanges), 15);
  expect(loss).toEqual({
    code: "lost-on-the-way",
    subject: "nginx/1.22",
    seen: { count: 3, total: 15, of: "requests" },
    details: { 502: 2, 504: 1 },
  });
  expect(loss && tooManyLost(loss)).toBe(false);
  const lost = (details: Record<string, number>) =>
    tooManyLost({ code: "lost-on-the-way", seen: { count: 4, total: 15, of: "requests" }, details });
  expect(lost({ 502: 4 })).toBe(true);
  // What refuses some requests lets the others through.
  expect(lost({ 403: 3, 502: 1 })).toBe(false);
  expect(lostRequests([exchangeOf("other", {})], respondersOf([]), 1)).toBeUndefined();
});

test("a refusal of what no HTTP library sends, or of what is too long, is not mentioned", () => {
  const refused = (status: number, url: string) => ({
    ...ofGateway(status),
    isOfHostileInput: true as const,
    request: { method: "GET", url: `http://stub.example/v1/products/acme/${url}`, headers: {} },
  });
  const unmentioned = [refused(400, "a%00b"), refused(400, "%C3%28"), refused(414, "xxxx")];
  expect(refusedRequests(unmentioned, respondersOf(unmentioned), 80)).toBeUndefined();
  const mentioned = [...unmentioned, refused(403, "select"), ofGateway(502)];
  expect(refusedRequests(mentioned, respondersOf(mentioned), 80)?.details).toEqual({ 403: 1 });
});

const at = (url: string) => ({ url: `http://stub.example/v1/products/acme/${url}` });
const found = (url: string) => exchangeOf("lookup-by-id", {}, at(url));
const failed = (status: number, url: string) => errorOf(status, "upstream_error", at(url));

test("failures of requests that succeed at another time are counted by status", () => {
  const exchanges = [
    failed(502, "1"),
    found("1"),
    found("2"),
    failed(500, "2"),
    failed(502, "2"),
    found("3"),
  ];
  expect(passingFailures(exchanges, 40)).toEqual({
    code: "failed-at-times",
    seen: { count: 3, total: 40, of: "requests" },
    details: { 500: 1, 502: 2 },
  });
});

test("a request that always fails is judged by the checks, and a gateway's page is not the service's", () => {
  const page = exchangeOf("lookup-by-id", undefined, {
    ...at("1"),
    status: 502,
    text: "<html><h1>502 Bad Gateway</h1></html>",
    headers: { "content-type": "text/html", server: "nginx/1.22" },
  });
  expect(passingFailures([failed(500, "2"), failed(500, "2"), page, found("1")], 4)).toBeUndefined();
  expect(passingFailures([failed(500, "2"), errorOf(429, "rate_limited", at("2"))], 2)).toBeUndefined();
});
