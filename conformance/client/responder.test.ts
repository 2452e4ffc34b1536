import { describe, expect, test } from "vitest";
import { knownTexts } from "../../schemas/gateway.ts";
import { errorOf, exchangeOf, type MadeUp } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "./exchange.ts";
import { isLostOnTheWay, isMalformed, respondersOf } from "./responder.ts";

const own = { headers: { server: "uvicorn" } };
const run = [
  exchangeOf("retailers", { retailers: [] }, own),
  exchangeOf("retailers", { retailers: [] }, own),
  errorOf(404, "not_found", own),
];
const at = (url: string) => `http://stub.example/v1/${url}`;
const page = (status: number, madeUp: MadeUp = {}, endpoint: Exchange["endpoint"] = "other") =>
  exchangeOf(endpoint, undefined, { status, text: "<html>no</html>", ...madeUp });

describe("who gave a response", () => {
  const responders = respondersOf(run);

  test("a success and an error in the shape are the service's", () => {
    expect(responders.of(exchangeOf("retailers", { retailers: [] }))).toBeUndefined();
    expect(responders.of(errorOf(502, "upstream_error"))).toBeUndefined();
  });

  test("an empty success, or an error with a status that the spec does not name, may be another program's", () => {
    const edge = { headers: { server: "edge" } };
    for (const json of [{}, { error: { code: "not_found" } }])
      expect(responders.of(exchangeOf("lookup-by-id", json, edge))).toEqual({ by: "between", name: "edge" });
    expect(responders.of(errorOf(413, "too_large", edge))).toEqual({ by: "between", name: "edge" });
    expect(responders.of(errorOf(413, "too_large", own))).toBeUndefined();
  });

  test("an error without the shape may be of the service's framework if its Server is that of the successes", () => {
    expect(responders.of(page(404, own))).toEqual({ by: "unclear", name: "uvicorn" });
    expect(responders.of(page(404))).toEqual({ by: "unclear" });
  });

  test.each([{ server: "edge" }, { server: "uvicorn", via: "1.1 edge" }, { via: "1.1 edge" }])(
    "an error with %j, unlike all successes, comes from in between",
    (headers) => {
      expect(responders.of(page(404, { headers }))).toMatchObject({ by: "between" });
    },
  );

  test("without a success, nothing is unlike", () => {
    const odd = { headers: { server: "edge" } };
    expect(respondersOf([errorOf(404, "x", own)]).of(page(404, odd))).toEqual({
      by: "unclear",
      name: "edge",
    });
  });
});

describe.each([
  ["with headers that show who responded", run],
  ["of which nothing is known", []],
])("in a run %s", (_name, exchanges) => {
  const { areSilentOn } = respondersOf(exchanges);
  const hostile = (one: Exchange): Exchange => ({ ...one, isOfHostileInput: true });

  test.each([502, 503, 504, 522])("an outage (%i) decides nothing, except in the error shape", (status) => {
    expect(areSilentOn(page(status))).toBe(true);
    expect(isLostOnTheWay(page(status))).toBe(true);
    expect(areSilentOn(errorOf(status, "upstream_error"))).toBe(false);
  });

  test.each([400, 403, 404, 413, 429, 500])(
    "%i for an ordinary request is judged, whoever gave it",
    (status) => {
      for (const endpoint of ["batch", "lookup-by-id"] as const)
        expect(areSilentOn(page(status, {}, endpoint))).toBe(false);
    },
  );

  test.each(["products/a/x%00", "products/a/%C3%28", "products/a/%", "products?category=%ED%A0%80"])(
    "the refusal of %s, which no HTTP library sends, decides nothing",
    (url) => {
      for (const status of [400, 403, 404]) {
        expect(areSilentOn(page(status, { url: at(url) }))).toBe(true);
        const json = exchangeOf("other", { statusCode: 400 }, { status, url: at(url) });
        expect(areSilentOn(json)).toBe(true);
      }
      expect(areSilentOn(page(500, { url: at(url) }))).toBe(false);
      expect(areSilentOn(errorOf(400, "bad_request", { url: at(url) }))).toBe(false);
    },
  );

  test("a page for hostile input or a writing method decides nothing; 429 and 500 do", () => {
    expect(areSilentOn(hostile(page(403)))).toBe(true);
    expect(areSilentOn(page(405, { method: "PUT" }))).toBe(true);
    for (const status of [429, 500]) expect(areSilentOn(hostile(page(status)))).toBe(false);
  });

  test("JSON without the shape may be the service's, unless its headers say otherwise", () => {
    const json = hostile(exchangeOf("other", { detail: "no" }, { status: 404, ...own }));
    expect(areSilentOn(json)).toBe(false);
    expect(areSilentOn(hostile(exchangeOf("other", { detail: "no" }, { status: 404 })))).toBe(
      exchanges.length > 0,
    );
    expect(areSilentOn(exchangeOf("other", { detail: "no" }, { status: 404 }))).toBe(false);
  });

  test("a page for an unknown path is judged, whoever gave it", () => {
    expect(areSilentOn(page(404, own))).toBe(false);
    expect(areSilentOn(page(404))).toBe(false);
  });
});

test("escapes that any library sends are not malformed", () => {
  for (const url of ["products/a%2Fb/c", "products?url=https%3A%2F%2Fh%2F%25zz", "products/%E2%82%AC"])
    expect(isMalformed(exchangeOf("other", {}, { url: at(url) }))).toBe(false);
});

test("no known text decides anything: with an empty list, only names are lost", () => {
  const texts = knownTexts as [string, string][];
  const pages = texts.flatMap(([text]) =>
    [301, 400, 401, 403, 404, 413, 429, 500, 502, 503, 504].flatMap((status) =>
      (["other", "batch"] as const).flatMap((endpoint) =>
        [{}, own].flatMap((headers) => page(status, { text, ...headers }, endpoint)),
      ),
    ),
  );
  const judged = () =>
    [run, []].map((exchanges) => pages.map((one) => respondersOf(exchanges).areSilentOn(one)));
  const before = judged();
  const named = pages.filter((one) => respondersOf([]).of(one)?.name !== undefined);
  const kept = texts.splice(0);
  try {
    expect(judged()).toEqual(before);
    expect(named.length).toBe(pages.length);
    const unnamed = pages.filter((one) => one.response.headers.server === undefined);
    expect(unnamed.filter((one) => respondersOf([]).of(one)?.name !== undefined)).toEqual([]);
  } finally {
    texts.push(...kept);
  }
});
