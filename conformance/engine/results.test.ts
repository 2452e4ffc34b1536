import { describe, expect, test } from "vitest";
import type { OptionalName } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { CheckResult } from "../../schemas/contracts/results.ts";
import { stubKeys } from "../../test/support/stub-client.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { redactionFor } from "../client/redaction.ts";
import { type CheckId, requirementOf } from "../requirements/all.ts";
import { crashed, failed, NotJudged, type Outcome, passed, warning } from "../requirements/outcome.ts";
import type { Listed } from "../suite/all.ts";
import { excuseFor, requirementResults, resultOf } from "./results.ts";

const check = { id: "errors.shape/made-up", title: "Made up" } as const;
const redaction = redactionFor({ keys: stubKeys });
const answered: Finding = { code: "answered", actual: 404 };
const odd: Finding = { code: "null-value", path: "/odd" };
const blue: Finding = { code: "wrong-format", path: "/sky", expected: "url", actual: "blue" };
const noKey = new NotJudged({ code: "no-same-org-key" }).outcome();

describe("the result of a check", () => {
  const seen = [1, 2, 3].map((number) =>
    exchangeOf("other", { number }, { url: `http://stub.example/${number}` }),
  );
  const shown = (...numbers: readonly number[]) =>
    numbers.map((number) => ({ request: { url: `http://stub.example/${number}` } }));

  test("that passed shows the last two exchanges and its findings", () => {
    expect(resultOf(check, passed(answered), seen, { redaction })).toMatchObject({
      ...check,
      verdict: "pass",
      findings: [answered],
      evidence: shown(2, 3),
    });
  });

  test("that failed shows its evidence, and each finding refers to its exchange", () => {
    const compared = { ...odd, exchange: 1, comparedWith: 0 };
    const outcome = failed([blue, compared], ...seen.slice(0, 2));
    expect(resultOf(check, outcome, seen, { redaction })).toMatchObject({
      verdict: "fail",
      findings: [{ ...blue, exchange: 0 }, compared],
      evidence: shown(1, 2),
    });
  });

  test("contains no key, in findings or evidence", () => {
    const told = `the name is ${stubKeys.primary}`;
    const wrong: Finding = {
      code: "other-product",
      path: "/product_id",
      actual: told,
      details: { value: told },
    };
    const result = resultOf(check, failed(wrong, exchangeOf("other", { told })), [], { redaction });
    const value = "the name is $SHELFCHECK_API_KEY";
    expect(result.findings).toMatchObject([{ actual: value, details: { value } }]);
    expect(result.evidence[0]?.response.body).toBe(`{"told":"${value}"}`);
  });

  test("shows numbers as they were written, in the finding and in its excerpt", () => {
    const text = '{"product_id":9007199254740993}';
    const json = JSON.parse(text);
    const made = exchangeOf("lookup-by-id", json, { text });
    const long = { ...made, response: { ...made.response, json } };
    const actual = json.product_id;
    const wrong: Finding = { code: "wrong-type", path: "/product_id", expected: "string", actual };
    const result = resultOf(check, failed(wrong, long), [], { redaction });
    expect(result.findings[0]?.actual).toEqual({ type: "number", digits: "9007199254740993" });
    const lines = result.evidence[0]?.response.excerpts?.[0]?.lines.map((line) => line.text.trim());
    expect(lines).toContain('"product_id": 9007199254740993');
  });

  const empty = exchangeOf("other", {});
  const refused = errorOf(404, "not_found");
  const own = { comparedWith: 1, comparedPath: "/error/code" };
  test.each<[string, Partial<Finding>, second: Exchange, ...paths: string[][]]>([
    ["one place", {}, empty, ["/sky"], []],
    ["the same place in both", { comparedWith: 1 }, empty, ["/sky"], ["/sky"]],
    ["two places of one", { comparedWith: 0, comparedPath: "/sea" }, empty, ["/sky", "/sea"], []],
    ["no place in a response of another kind", { comparedWith: 1 }, refused, ["/sky"], []],
    ["a place of its own in that", own, refused, ["/sky"], ["/error/code"]],
  ])("shows %s that a finding names", (_name, change, second, ...paths) => {
    const finding = { ...blue, ...change } as Finding;
    const outcome = failed(finding, exchangeOf("other", { sky: 1, sea: 2 }), second);
    const { evidence } = resultOf(check, outcome, [], { redaction });
    expect(evidence.map(({ response }) => (response.excerpts ?? []).map(({ path }) => path))).toEqual(paths);
  });

  test("says who gave a response that is not the service's", () => {
    const headers = { server: "nginx/1.22" };
    const page = exchangeOf("other", undefined, { status: 502, headers, text: "-" });
    const { findings, evidence } = resultOf(check, failed(answered, page), seen, { redaction });
    const from = { by: "unclear", name: "nginx/1.22" };
    expect([findings[0]?.from, evidence[0]?.response.from]).toMatchObject([from, from]);
    // Without evidence, the responses that are shown are not those of the finding.
    expect(resultOf(check, failed(odd), [page], { redaction }).findings).toEqual([odd]);
  });

  test.each<[string, id: string, Outcome, verdict: string, waived: boolean]>([
    ["a failure, by the check", "errors.shape/made-up", failed(blue), "warn", true],
    ["a failure, by the requirement", "errors.shape", failed(blue), "warn", true],
    ["a check that was not judged", "errors.shape", noKey, "warn", true],
    ["not a pass", "errors.shape", passed(), "pass", false],
    ["not an error of the harness", "errors.shape", crashed(new TypeError("x")), "error", false],
    ["not a warning", "errors.shape", warning(odd), "warn", false],
    ["not another check's failure", "errors.shape/other", failed(blue), "fail", false],
    ["not another requirement's failure", "errors", failed(blue), "fail", false],
  ])("under a waiver: %s", (_name, id, outcome, verdict, waived) => {
    const waiver = { id, reason: "r", owner: "o", ticket: "t", expires: "2999-01-01" };
    const result = resultOf(check, outcome, [], { redaction, waivers: [waiver] });
    expect([result.verdict, result.waiver]).toEqual([verdict, waived ? waiver : undefined]);
  });

  test("is excused by `optional` where it was not judged; a waiver takes precedence", () => {
    const waivers = [{ id: "errors.shape", reason: "r", owner: "o", ticket: "t", expires: "2999-01-01" }];
    const excusedOf = (outcome: Outcome, change = {}) =>
      resultOf(check, outcome, [], { redaction, optional: ["sameOrgKey"], ...change }).excused;
    expect(excusedOf(noKey)).toBe("sameOrgKey");
    expect(excusedOf(noKey, { waivers })).toBeUndefined();
    expect(excusedOf(failed(blue))).toBeUndefined();
    expect(excusedOf(noKey, { optional: undefined })).toBeUndefined();
  });
});

const products = (count: number) => ({ count, of: "products" }) as const;
const unexercised = (status: number): Finding => ({
  code: "no-response-exercised",
  subject: "status",
  expected: [status],
  seen: { count: 0, of: "responses" },
});
const all = ["sameOrgKey", "otherOrgKey", "otherRetailers", "gtin", "productUrl", "rateLimit"] as const;

test.each<[Finding, OptionalName | undefined]>([
  [{ code: "no-same-org-key" }, "sameOrgKey"],
  [{ code: "no-other-org-key" }, "otherOrgKey"],
  [{ code: "no-foreign-retailer" }, "otherRetailers"],
  [{ code: "no-foreign-product", details: { retailers: ["acme"], categories: ["hats"] } }, "otherRetailers"],
  [{ code: "no-own-product" }, "otherRetailers"],
  [{ code: "key-role-unclear", subject: "otherOrg" }, "otherRetailers"],
  [{ code: "no-product-with", subject: "gtin", details: { retailer: "acme" } }, "gtin"],
  [{ code: "nothing-found-by", endpoint: "lookup-by-gtin", seen: products(0) }, "gtin"],
  [{ code: "no-product-with", subject: "product_url", details: { retailer: "acme" } }, "productUrl"],
  [{ code: "nothing-found-by", endpoint: "lookup-by-url", seen: products(0) }, "productUrl"],
  [{ code: "limit-not-reached", actual: 50 }, "rateLimit"],
  [unexercised(429), "rateLimit"],
  // A configured key that is refused or in an unclear role is not excused.
  [{ code: "key-refused", subject: "sameOrg", actual: 401 }, undefined],
  [{ code: "key-lists-differ", subject: "sameOrg" }, undefined],
  [{ code: "key-role-unclear", subject: "sameOrg" }, undefined],
  // Products that have one but are not found by it are not excused.
  [{ code: "nothing-found-by", endpoint: "lookup-by-gtin", seen: products(3) }, undefined],
  [{ code: "no-answer", subject: "reset", endpoint: "lookup-by-gtin", seen: products(0) }, undefined],
  [unexercised(404), undefined],
])("%j is excused by %s only", (finding, name) => {
  expect(excuseFor([finding], all)).toBe(name);
  const others = all.filter((other) => other !== name);
  expect(excuseFor([finding], others)).toBeUndefined();
});

test("every reason must be excused", () => {
  const findings: Finding[] = [{ code: "no-same-org-key" }, { code: "no-other-org-key" }];
  expect(excuseFor(findings, ["sameOrgKey"])).toBeUndefined();
  expect(excuseFor(findings, ["sameOrgKey", "otherOrgKey"])).toBe("sameOrgKey");
  expect(excuseFor([], all)).toBeUndefined();
});

describe("the result of a requirement", () => {
  const title = "Title";
  const usual = { title, section: "errors", heading: "Errors", part: 0, requests: 1 } as const;
  const listed = (id: CheckId): Listed => ({ ...usual, id, requirement: requirementOf(id) });
  const result = (id: string, verdict: CheckResult["verdict"]): CheckResult => {
    return { id, title, verdict, findings: [], evidence: [] };
  };
  const one = "errors.shape/one";
  const two = "errors.shape/two";

  test("has its checks in the order of the selection, with section, level and statement", () => {
    const results = requirementResults(
      [listed(one), listed("retailer.name-given/x"), listed(two)],
      [result("retailer.name-given/x", "warn"), result(two, "pass"), result(one, "pass")],
    );
    const retailer = "Resources and their fields: Retailer";
    expect(results).toMatchObject([
      { id: "errors.shape", level: "must", section: "Errors", verdict: "pass" },
      { id: "retailer.name-given", level: "should", section: retailer, verdict: "warn" },
    ]);
    expect(results[0]?.checks.map(({ id }) => id)).toEqual([one, two]);
    expect(results[0]?.statement).toContain("{error: {code, message}}");
  });

  const avoided: Finding[] = [{ code: "avoided", subject: "burst" }];
  test.each<[string, readonly Partial<CheckResult>[], string | undefined]>([
    ["what the config lists as optional", [{ excused: "gtin" }, { verdict: "pass" }], "optional"],
    ["that, and what it avoids", [{ excused: "gtin" }, { findings: avoided }], "optional"],
    ["what it avoids", [{ findings: avoided }], "avoided"],
    ["only a part of what was not judged", [{ excused: "gtin" }, {}], undefined],
    ["nothing that was judged", [{ verdict: "pass" }], undefined],
    ["no failure, although the rest is excused", [{ excused: "gtin" }, { verdict: "fail" }], undefined],
  ])("excused: %s", (_name, changes, excused) => {
    const ids = changes.map((_change, index): CheckId => `errors.shape/${index}`);
    const results = ids.map((id, index) => ({ ...result(id, "inconclusive"), ...changes[index] }));
    expect(requirementResults(ids.map(listed), results)[0]?.excused).toBe(excused);
  });

  test("is there for every selected one; a check without a result is not judged, so an interrupted run is never green", () => {
    const results = requirementResults(
      [listed(one), listed(two), listed("query.gtin/x")],
      [result(one, "pass")],
    );
    expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "errors.shape inconclusive",
      "query.gtin inconclusive",
    ]);
    expect(results[0]?.checks[1]).toEqual({
      ...result(two, "inconclusive"),
      findings: [{ code: "not-reached" }],
    });
  });
});
