import { expect, test } from "vitest";
import { cacheIn } from "./cache.ts";

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
