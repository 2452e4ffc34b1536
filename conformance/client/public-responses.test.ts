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
