import { expect, test } from "vitest";
import { errorOf, exchangeOf, type MadeUp } from "../../test/support/stub-exchange.ts";
import { fromOf, isLostOnTheWay } from "./exchange.ts";

const page = (status: number, madeUp: MadeUp = {}) =>
  exchangeOf("other", undefined, { status, text: "<html>no</html>", ...madeUp });

test("a success and an error in the shape are the service's, or come from a cache that says so", () => {
  const cached = { headers: { age: "3", server: "edge" } };
  for (const madeUp of [{}, { headers: { server: "edge" } }]) {
    expect(fromOf(exchangeOf("retailers", { retailers: [] }, madeUp))).toBeUndefined();
    expect(fromOf(errorOf(502, "upstream_error", madeUp))).toBeUndefined();
  }
  expect(fromOf(errorOf(404, "not_found", cached))).toEqual({ by: "cache", cache: "age: 3" });
});

test.each([
  [{}, { by: "unclear" }],
  [
    { server: "uvicorn", via: "1.1 edge" },
    { by: "unclear", name: "uvicorn" },
  ],
  [{ via: "1.1 edge" }, { by: "unclear", name: "1.1 edge" }],
  [{ age: "3" }, { by: "unclear", cache: "age: 3" }],
])("an error without the shape, with %j, says no more than its headers", (headers, from) => {
  expect(fromOf(page(404, { headers }))).toEqual(from);
});

test.each([502, 503, 504, 522])("an outage (%i) is lost on the way, except in the error shape", (status) => {
  expect(isLostOnTheWay(page(status))).toBe(true);
  expect(isLostOnTheWay(errorOf(status, "upstream_error"))).toBe(false);
});
