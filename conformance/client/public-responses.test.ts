import { expect, test } from "vitest";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { publicResponses } from "./public-responses.ts";

const kept = (headers: Record<string, string>, caller: "primary" | "nobody" = "primary") =>
  exchangeOf("retailers", { retailers: [] }, { headers, caller });

test.each<[Record<string, string>, number]>([
  [{ "cache-control": "public, max-age=60" }, 1],
  [{ "cache-control": "s-maxage=5" }, 1],
  [{ "cache-control": "public", vary: "Accept-Encoding, Authorization" }, 1],
  [{ "cache-control": "public", vary: "authorization, X-Api-Key" }, 0],
  [{ "cache-control": "public", vary: "*" }, 0],
  [{ "cache-control": "private, max-age=60" }, 0],
  [{ "cache-control": "public, no-store" }, 0],
  [{ "cache-control": "max-age=60" }, 0],
  [{}, 0],
])("%j: %i", (headers, count) => {
  expect(publicResponses([kept(headers)])?.seen?.count ?? 0).toBe(count);
  // Without a key there is nothing to mix up.
  expect(publicResponses([kept(headers, "nobody")])).toBeUndefined();
});

test("max-age alone lets a cache keep what X-Api-Key got, and not what Authorization got", () => {
  const countWith = (header: string) => {
    const exchange = kept({ "cache-control": "max-age=60" });
    const request = { ...exchange.request, headers: { [header]: "key" } };
    return publicResponses([{ ...exchange, request }])?.seen?.count ?? 0;
  };
  expect([countWith("X-Api-Key"), countWith("Authorization")]).toEqual([1, 0]);
});
