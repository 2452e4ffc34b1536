import { describe, expect, test } from "vitest";
import type { OptionalName } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { stubKeys } from "../../test/support/stub-client.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { retailerList, startSession } from "../../test/support/stub-session.ts";
import { redactionFor } from "../client/redaction.ts";
import { crashed, failed, NotJudged, type Outcome, passed, warning } from "../requirements/outcome.ts";
import type { Check } from "../suite/check/check.ts";
import { excuseFor, outcomeOf, resultOf } from "./run-check.ts";

const exchange = exchangeOf("retailers", retailerList);
const { signal } = new AbortController();

/** A check with these outcomes in turn; an error is thrown. */
function inTurn(...outcomes: readonly (Outcome | Error)[]): Check & { attempts: () => number } {
  let attempts = 0;
  return {
    ...madeUp(async () => {
      const outcome = outcomes[attempts++];
      if (outcome === undefined) throw new Error(`attempt ${attempts} is one too many`);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }),
    attempts: () => attempts,
  };
}

function madeUp(run: Check["run"]): Check {
  return { id: "errors.shape/made-up", title: "Made up", requests: 1, run };
}

const noLimit: Outcome = {
  kind: "notApplicable",
  findings: [{ code: "status-not-seen", expected: [500] }],
  evidence: [],
};
const answered: Finding = { code: "answered", actual: 404 };
const odd: Finding = { code: "null-value", path: "/odd" };
const blue: Finding = { code: "wrong-format", path: "/sky", expected: "grey", actual: "blue" };
const broke = failed(blue, exchange);
const leak: Finding = { code: "not-granted", path: "/retailer", actual: "zeta", subject: "primary" };
const noKey = new NotJudged({ code: "no-same-org-key" });
const crash = crashed(new TypeError("x is undefined"));

describe("a check that", () => {
  test.each<[string, readonly (Outcome | Error)[], Outcome]>([
    ["passes is run once", [passed(answered)], passed(answered)],
    ["warns is run once", [warning(odd, exchange)], warning(odd, exchange)],
    ["does not apply is run once", [noLimit], noLimit],
    [
      "is not judged is run once",
      [noKey],
      { kind: "inconclusive", findings: [{ code: "no-same-org-key" }], evidence: [] },
    ],
    [
      "is not judged after a response shows that response",
      [new NotJudged({ code: "control-failed", actual: 404 }, { exchange })],
      {
        kind: "inconclusive",
        findings: [{ code: "control-failed", endpoint: "retailers", actual: 404, exchange: 0 }],
        evidence: [exchange],
      },
    ],
    [
      "throws is run once, and the target is not blamed",
      [new TypeError("x is undefined")],
      {
        kind: "error",
        findings: [{ code: "harness-error", actual: "TypeError: x is undefined" }],
        evidence: [],
      },
    ],
    ["fails twice in the same way is run twice, and the second time counts", [broke, broke], broke],
    [
      "fails in another way each time is a warning with its count",
      [failed(odd), broke, passed(), passed(), passed()],
      { ...failed(odd), kind: "warn", attempts: { failed: 2, total: 5 } },
    ],
    ["fails again in one of two ways shows that one", [broke, failed([odd, blue], exchange)], broke],
    ["shows a product of another organization is run once", [failed(leak, exchange)], failed(leak, exchange)],
    [
      "fails once, and could not look again, has failed",
      [
        broke,
        new NotJudged({ code: "limit-not-reached", actual: 9, unit: "requests/s" }),
        new NotJudged({ code: "budget-spent", subject: "requests", expected: 9 }),
        new NotJudged({ code: "control-failed", actual: 401 }),
        new NotJudged({ code: "still-rate-limited" }),
      ],
      broke,
    ],
    [
      "fails once, passes once and could not look again is a warning of two votes",
      [
        broke,
        passed(),
        new NotJudged({ code: "still-rate-limited" }),
        new NotJudged({ code: "still-rate-limited" }),
        new NotJudged({ code: "still-rate-limited" }),
      ],
      { ...broke, kind: "warn", attempts: { failed: 1, total: 2 } },
    ],
    [
      "fails first and last of five has failed, with its rate",
      [broke, passed(), passed(), passed(), broke],
      { ...broke, attempts: { failed: 2, total: 5 } },
    ],
    [
      "fails and then is not judged has not failed twice",
      [broke, noKey, passed(), passed(), passed()],
      { ...broke, kind: "warn", attempts: { failed: 1, total: 5 } },
    ],
  ])("%s", async (_name, outcomes, expected) => {
    await using stubbed = await startSession();
    const check = inTurn(...outcomes);
    expect(await outcomeOf(check, stubbed.session, signal, [])).toEqual(expected);
    expect(check.attempts()).toBe(outcomes.length);
  });

  test("is aborted throws the reason and is not an error of the harness", async () => {
    await using stubbed = await startSession();
    const abort = new AbortController();
    const enough = new Error("enough");
    const check = madeUp(async () => {
      abort.abort(enough);
      throw new Error("because of the abort");
    });
    await expect(outcomeOf(check, stubbed.session, abort.signal, [])).rejects.toBe(enough);
  });
});

describe("a result", () => {
  const check = madeUp(async () => passed());
  const redaction = redactionFor({ keys: stubKeys });
  const seen = [1, 2, 3].map((number) =>
    exchangeOf("other", { number }, { url: `http://stub.example/${number}` }),
  );
  const urlsOf = (evidence: readonly { request: { url: string } }[]) =>
    evidence.map(({ request }) => request.url);

  test("of a passed check shows the last two exchanges and its findings", () => {
    const result = resultOf(check, passed(answered), seen, { redaction });
    expect(result).toMatchObject({
      id: check.id,
      title: check.title,
      verdict: "pass",
      findings: [answered],
    });
    expect(urlsOf(result.evidence)).toEqual(["http://stub.example/2", "http://stub.example/3"]);
  });

  test("contains no key, in findings or evidence", () => {
    const told = `the name is ${stubKeys.primary}`;
    const wrong = { code: "other-product", path: "/product_id" } as const;
    const echo = exchangeOf("other", { told });
    const result = resultOf(check, failed({ ...wrong, actual: told, details: { value: told } }, echo), [], {
      redaction,
    });
    const shown = "the name is $SHELFCHECK_API_KEY";
    expect(result.findings).toMatchObject([
      { ...wrong, actual: shown, details: { value: shown }, exchange: 0 },
    ]);
    expect(result.evidence[0]?.response.body).toBe('{"told":"the name is $SHELFCHECK_API_KEY"}');
  });

  test("of a failed check shows its evidence, and each finding refers to its exchange", () => {
    const outcome = failed([blue, { ...odd, exchange: 1, comparedWith: 0 }], ...seen.slice(0, 2));
    const result = resultOf(check, outcome, seen, { redaction });
    expect(result).toMatchObject({
      verdict: "fail",
      findings: [
        { ...blue, exchange: 0 },
        { ...odd, exchange: 1, comparedWith: 0 },
      ],
    });
    expect(urlsOf(result.evidence)).toEqual(["http://stub.example/1", "http://stub.example/2"]);
  });

  test("shows numbers as they were written, in the finding and in its excerpt", () => {
    const text = '{"product_id":9007199254740993}';
    const made = exchangeOf("lookup-by-id", JSON.parse(text), { text });
    const long = { ...made, response: { ...made.response, json: JSON.parse(text) as unknown } };
    const wrong: Finding = {
      code: "wrong-type",
      path: "/product_id",
      expected: "string",
      actual: JSON.parse(text).product_id,
    };
    const result = resultOf(check, failed(wrong, long), [], { redaction });
    expect(result.findings[0]?.actual).toEqual({ type: "number", digits: "9007199254740993" });
    const lines = result.evidence[0]?.response.excerpts?.[0]?.lines.map((line) => line.text.trim());
    expect(lines).toContain('"product_id": 9007199254740993');
  });

  test("keeps a long body in a file and says how much of it is in the results", () => {
    const page = exchangeOf("category-page", { products: ["x".repeat(9000)] });
    const kept: string[] = [];
    const keepBody = (id: string, text: string) => `bodies/${id}-${kept.push(text)}.json`;
    const outcome = failed({ code: "null-value", path: "/products/0" }, page);
    const { cut, body = "" } =
      resultOf(check, outcome, [], { redaction, keepBody }).evidence[0]?.response ?? {};
    expect(kept).toEqual([page.response.text]);
    expect(cut).toEqual({ shown: 4000, of: page.response.text.length, file: `bodies/${check.id}-1.json` });
    expect(page.response.text.startsWith(body.slice(0, 4000))).toBe(true);
    expect(
      resultOf(check, passed(answered, page), [], { redaction, keepBody }).evidence[0]?.response.cut,
    ).toEqual({ shown: 4000, of: page.response.text.length });
  });

  test.each<[string, id: string, Outcome, verdict: string, waived: boolean]>([
    ["a failure, by the check", "errors.shape/made-up", failed(blue), "warn", true],
    ["a failure, by the requirement", "errors.shape", failed(blue), "warn", true],
    ["a check that was not judged", "errors.shape", noKey.outcome(), "warn", true],
    ["not a pass", "errors.shape", passed(), "pass", false],
    ["not an error of the harness", "errors.shape", crash, "error", false],
    ["not a warning", "errors.shape", warning(odd), "warn", false],
    ["not another check's failure", "errors.shape/other", failed(blue), "fail", false],
    ["not another requirement's failure", "errors", failed(blue), "fail", false],
  ])("under a waiver: %s", (_name, id, outcome, verdict, waived) => {
    const waiver = { id, reason: "r", owner: "o", ticket: "t", expires: "2999-01-01" };
    const result = resultOf(check, outcome, [], { redaction, waivers: [waiver] });
    expect(result.verdict).toBe(verdict);
    expect(result.waiver).toEqual(waived ? waiver : undefined);
  });

  test("is excused by `optional`; a waiver takes precedence", () => {
    const outcome = new NotJudged({ code: "no-same-org-key" }).outcome();
    const optional = ["sameOrgKey"] as const;
    expect(resultOf(check, outcome, [], { redaction, optional })).toMatchObject({
      verdict: "inconclusive",
      excused: "sameOrgKey",
    });
    const waivers = [{ id: "errors.shape", reason: "r", owner: "o", ticket: "t", expires: "2999-01-01" }];
    expect(resultOf(check, outcome, [], { redaction, optional, waivers })).not.toHaveProperty(
      "excused",
      expect.anything(),
    );
    expect(resultOf(check, failed(blue), [], { redaction, optional })).not.toHaveProperty(
      "excused",
      expect.anything(),
    );
  });

  test("follows the level of its requirement: a failed SHOULD is a warning", () => {
    const should = { ...check, id: "retailer.name-given/made-up" } as const;
    expect(resultOf(should, failed(odd), [], { redaction }).verdict).toBe("warn");
  });
});

const products = (count: number) => ({ count, of: "products" }) as const;
const all: readonly OptionalName[] = [
  "sameOrgKey",
  "otherOrgKey",
  "otherRetailers",
  "gtin",
  "productUrl",
  "rateLimit",
];

test.each<[Finding, OptionalName]>([
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
  [
    {
      code: "no-response-exercised",
      subject: "status",
      expected: [429],
      seen: { count: 0, of: "responses" },
    },
    "rateLimit",
  ],
])("%j is excused by %s only", (finding, name) => {
  expect(excuseFor([finding], all)).toBe(name);
  const others = all.filter((other) => other !== name);
  expect(excuseFor([finding], others)).toBeUndefined();
});

test.each<Finding>([
  // A configured key that is refused or in an unclear role is not excused.
  { code: "key-refused", subject: "sameOrg", actual: 401 },
  { code: "key-lists-differ", subject: "sameOrg" },
  { code: "key-role-unclear", subject: "sameOrg" },
  // Products that have one but are not found by it are not excused.
  { code: "nothing-found-by", endpoint: "lookup-by-gtin", seen: products(3) },
  { code: "no-answer", subject: "reset" },
  { code: "no-response-exercised", subject: "status", expected: [404], seen: { count: 0, of: "responses" } },
])("%j is excused by nothing", (finding) => {
  expect(excuseFor([finding], all)).toBeUndefined();
});

test("every reason must be excused", () => {
  const findings: Finding[] = [{ code: "no-same-org-key" }, { code: "no-other-org-key" }];
  expect(excuseFor(findings, ["sameOrgKey"])).toBeUndefined();
  expect(excuseFor(findings, ["sameOrgKey", "otherOrgKey"])).toBe("sameOrgKey");
  expect(excuseFor([], all)).toBeUndefined();
});
