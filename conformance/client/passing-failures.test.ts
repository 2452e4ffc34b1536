import { expect, test } from "vitest";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import { passingFailures } from "./passing-failures.ts";

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
