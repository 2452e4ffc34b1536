import { expect, test } from "vitest";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import { isFromGateway, lostRequests, passingFailures, tooManyLost } from "./lost-requests.ts";

const html = "<html><h1>502 Bad Gateway</h1></html>";
const ofNginx = { "content-type": "text/html", server: "nginx/1.22" };
const ofGateway = (status: number, headers: Record<string, string> = ofNginx) =>
  exchangeOf("other", undefined, { status, text: html, headers });

test.each([502, 503, 504])("a gateway's page with %i does not come from the service", (status) => {
  expect(isFromGateway(ofGateway(status))).toBe(true);
  expect(
    isFromGateway(ofGateway(status, { "content-type": "text/html; charset=utf-8", via: "1.1 proxy" })),
  ).toBe(true);
});

test("nor does a page with another status that names the gateway like its header", () => {
  const page =
    "<html><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx/1.22</center></html>";
  const named = exchangeOf("other", undefined, { status: 413, text: page, headers: ofNginx });
  expect(isFromGateway(named)).toBe(true);
  const other = { ...ofNginx, server: "Apache" };
  expect(isFromGateway(exchangeOf("other", undefined, { status: 413, text: page, headers: other }))).toBe(
    false,
  );
});

test("an error in the shape of the service, or without signs of a gateway, counts as the service's", () => {
  expect(isFromGateway(errorOf(502, "upstream_error", { headers: { server: "nginx" } }))).toBe(false);
  expect(isFromGateway(ofGateway(502, { "content-type": "text/html" }))).toBe(false);
  const ofFramework = { "content-type": "text/html", server: "Werkzeug/3.1" };
  expect(isFromGateway(ofGateway(502, ofFramework))).toBe(false);
  expect(isFromGateway(ofGateway(502, { "content-type": "text/plain", server: "nginx" }))).toBe(false);
  for (const status of [200, 400, 404, 500]) expect(isFromGateway(ofGateway(status))).toBe(false);
});

test("lost responses are counted by status; above a fifth, the service cannot be judged", () => {
  const exchanges = [ofGateway(502), ofGateway(502), ofGateway(504), exchangeOf("other", {})];
  const loss = lostRequests(exchanges, 15);
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
  expect(lost({ 429: 4 })).toBe(true);
  // The gateway lets other requests through.
  expect(lost({ 413: 3, 502: 1 })).toBe(false);
  expect(lostRequests([exchangeOf("other", {})], 1)).toBeUndefined();
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
