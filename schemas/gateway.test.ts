import { expect, test } from "vitest";
import { cacheIn, isErrorShape, isOutage, strangerOf } from "./gateway.ts";

test("a response names its sender by Server, or else by Via", () => {
  expect(strangerOf({ Server: "envoy", Via: "1.1 edge" })).toEqual({ by: "unclear", name: "envoy" });
  expect(strangerOf({ via: "1.1 edge" })).toEqual({ by: "unclear", name: "1.1 edge" });
  expect(strangerOf({})).toEqual({ by: "unclear" });
});

test("outages are the statuses of something in front of a service that does not respond", () => {
  expect([400, 429, 500, 501, 502, 503, 504, 511, 522].filter(isOutage)).toEqual([502, 503, 504, 511, 522]);
});

test("the shape of errors is an object with an object under error", () => {
  expect([{ error: {} }, { error: "no" }, { message: "no" }, [], undefined].map(isErrorShape)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test.each([
  ["age", "12"],
  ["cache-status", "edge; hit; ttl=30"],
  ["cf-cache-status", "HIT"],
  ["x-varnish", "32770 3"],
  ["x-cache", "HIT from edge.example"],
  ["x-cache-status", "STALE"],
  ["x-proxy-cache", "hit"],
])("%s: %s shows a response from a cache", (name, value) => {
  expect(cacheIn({ "content-type": "application/json", [name]: value })).toBe(`${name}: ${value}`);
});

test.each([
  ["age", "0"],
  ["cache-status", "edge; fwd=miss"],
  ["cf-cache-status", "DYNAMIC"],
  ["x-varnish", "32770"],
  ["x-cache", "MISS from edge.example"],
  ["x-cache-lookup", "HIT from edge.example:80"],
  ["via", "1.1 varnish (hit)"],
  ["content-type", "hit"],
])("%s: %s does not", (name, value) => {
  expect(cacheIn({ [name]: value })).toBeUndefined();
});
