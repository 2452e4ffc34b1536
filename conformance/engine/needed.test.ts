import { describe, expect, test } from "vitest";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed } from "../client/outcome.ts";
import { cursorFrom, flickering, pageOf, withFirstOf } from "./needed.ts";

const nobody = { of: () => undefined };
const cached = { of: () => ({ by: "cache" as const }) };
let number = 0;

function sent(url: string, json: unknown, { key = "one", status = 200, at = 0 } = {}): Exchange {
  const exchange = exchangeOf("lookup-by-id", json, { status, url });
  return {
    ...exchange,
    number: ++number,
    sentAt: at,
    caller: key === "one" ? "primary" : "otherOrg",
    request: { ...exchange.request, url, headers: { authorization: `Bearer ${key}` } },
    response: { ...exchange.response, milliseconds: 10 },
  };
}

const product = { retailer: "acme", product_id: "7" };

describe("what may have left a response in a cache", () => {
  const evidenceWith = (shown: Exchange, exchanges: Exchange[], responders: typeof nobody | typeof cached) =>
    withFirstOf(failed({ code: "wrong-status", expected: [403], actual: 200 }, shown), exchanges, responders)
      .evidence;

  test("is the first request for the same with another key", () => {
    const all = [
      sent("/7", product, { key: "two" }),
      sent("/7", product, { key: "two" }),
      sent("/7", product),
    ];
    const [first, , shown = sent("/7", product)] = all;
    expect(evidenceWith(shown, all, nobody)).toEqual([shown, first]);
  });

  test("is no other request, unless there is a sign of a cache", () => {
    const all = [sent("/A", product), sent("/a", product)];
    const [first, shown = sent("/a", product)] = all;
    expect(evidenceWith(shown, all, nobody)).toEqual([shown]);
    expect(evidenceWith(shown, all, cached)).toEqual([shown, first]);
  });

  test("is not the request itself, nor one with another response", () => {
    const all = [sent("/7", product), sent("/7", {}, { key: "two" }), sent("/7", product)];
    const shown = all[2] ?? sent("/7", product);
    expect(evidenceWith(shown, all, nobody)).toEqual([shown]);
  });
});

test("a request that fails at times, and the different ones that were under way", () => {
  const shown = sent("/7", { ...product, product_id: "8" }, { at: 100 });
  const beside = sent("/9", product, { at: 95 });
  const all = [shown, beside, sent("/9", product, { at: 200 }), sent("/7", product), sent("/7", product)];
  expect(flickering(shown, all)).toEqual({ turns: { same: 1, other: 2 }, beside: [beside] });
  expect(flickering(shown, [shown, beside])).toEqual({});
});

test("a page is counted from the first, by the cursors that led to it with the same key", () => {
  const page = (cursor: string, next: string, key = "one"): Exchange => ({
    ...sent(
      `https://catalog.example/v1/products?category=hats${cursor}`,
      { meta: { next_cursor: next } },
      { key },
    ),
    endpoint: "category-page",
  });
  const walk = [page("", "a"), page("&cursor=a", "b"), page("&cursor=b", "")];
  expect(walk.map((one) => pageOf(one, walk))).toEqual([undefined, 2, 3]);
  expect(pageOf(page("&cursor=made-up", ""), walk)).toBeUndefined();
  const foreign = page("&cursor=a", "", "two");
  expect(pageOf(foreign, walk)).toBeUndefined();
  expect(cursorFrom(foreign, walk)).toBe(walk[0]);
  expect(walk.map((one) => cursorFrom(one, walk))).toEqual([undefined, undefined, undefined]);
});

test("a value that is missing at times in the same response", () => {
  const whole = sent("/7", { ...product, size: "S" });
  const shown = sent("/7", { ...product, size: null });
  expect(flickering(shown, [whole, shown], "/size").turns).toEqual({ same: 1, other: 1 });
  expect(flickering(shown, [whole, shown], "/retailer")).toEqual({});
});
