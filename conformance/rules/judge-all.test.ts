import { describe, expect, test } from "vitest";
import type { CheckResult, Finding } from "../../schemas/types.ts";
import { discovered } from "../testing/stub-discovery.ts";
import { errorOf, exchangeOf } from "../testing/stub-exchange.ts";
import { exampleFacts, goodProduct, lookup, page } from "./examples/example.ts";
import { judgeAll } from "./judge-all.ts";
import { productResponseRules } from "./product-responses.ts";
import type { Rule } from "./rule.ts";

/** A rule whose findings are the body itself. */
const rule: Rule = {
  id: "errors.shape/made-up",
  requirement: "errors.shape",
  title: "Made up",
  exercisedBy: "error",
  judge: ({ response }) => (Array.isArray(response.json) ? (response.json as Finding[]) : undefined),
};
const of = (...bodies: readonly unknown[]) => bodies.map((body) => exchangeOf("other", body));
const isNull = (path: string): Finding => ({ code: "null-value", path });

describe("many findings of one kind", () => {
  const exchanges = of(
    [],
    [isNull("/products/0/a"), isNull("/products/1/a"), isNull("/products/1/b")],
    {},
    [isNull("/products/7/a")],
    [],
    [isNull("/products/0/a")],
    [isNull("/products/0/a")],
  );

  test("are merged into one: it names the first place, counts all responses and shows a few", () => {
    const byEndpoint = (count: number) => [{ endpoint: "other", count, total: 6 }];
    expect(judgeAll(rule, exchanges, exampleFacts)).toEqual({
      kind: "fail",
      findings: [
        {
          code: "null-value",
          path: "/products/0/a",
          endpoint: "other",
          seen: { count: 4, total: 6, of: "responses" },
          byEndpoint: byEndpoint(4),
          exchange: 0,
        },
        {
          code: "null-value",
          path: "/products/1/b",
          endpoint: "other",
          seen: { count: 1, total: 6, of: "responses" },
          byEndpoint: byEndpoint(1),
          exchange: 0,
        },
      ],
      evidence: [exchanges[1], exchanges[3], exchanges[5]],
    });
  });

  test("are limited to the most frequent kinds, each with its exchange", () => {
    const kinds = Array.from({ length: 9 }, (_, kind) =>
      Array.from({ length: kind + 1 }, () => [isNull(`/field-${kind}`)]),
    );
    const { findings, evidence } = judgeAll(rule, of(...kinds.flat()), exampleFacts);
    expect(findings.map(({ path }) => path)).toEqual([8, 7, 6, 5, 4].map((kind) => `/field-${kind}`));
    expect(findings.map(({ exchange }) => exchange)).toEqual([0, 1, 2, 3, 4]);
    expect(evidence).toHaveLength(5);
    findings.forEach(({ path }, index) => {
      expect(evidence[index]?.response.json).toMatchObject([{ path }]);
    });
  });
});

test("a finding on products counts retailers and endpoints, also those without it", () => {
  const [omitted = rule] = productResponseRules;
  const other = (id: number) => ({ ...goodProduct, retailer: "bolt", product_id: `B${id}` });
  const bad = (id: number) => ({ ...goodProduct, product_id: `A${id}`, mpn: null });
  const exchanges = [
    page(bad(1), other(1)),
    page(bad(2), other(2), other(3)),
    page(other(1)),
    // A product counts once, on any lookup path.
    page(bad(1)),
    lookup(bad(1)),
    lookup(other(1)),
  ];
  expect(judgeAll(omitted, exchanges, exampleFacts).findings).toMatchObject([
    {
      path: "/products/0/mpn",
      product: { retailer: "acme", productId: "A1" },
      seen: { count: 4, total: 6, of: "responses" },
      byRetailer: [
        { retailer: "acme", count: 2, total: 2 },
        { retailer: "bolt", count: 0, total: 3 },
      ],
      byEndpoint: [
        { endpoint: "category-page", count: 3, total: 4 },
        { endpoint: "lookup-by-id", count: 1, total: 2 },
      ],
    },
  ]);
});

test("without findings a rule passes, with the number of responses", () => {
  expect(judgeAll(rule, of([], {}, []), exampleFacts)).toEqual({
    kind: "pass",
    findings: [{ code: "checked", seen: { count: 2, of: "responses" } }],
    evidence: [],
  });
});

describe("a rule without responses is not passed", () => {
  const outcomeOf = (exercisedBy: Rule["exercisedBy"], ...exchanges: Parameters<typeof judgeAll>[1]) => {
    const { kind, findings } = judgeAll({ ...rule, exercisedBy }, exchanges, exampleFacts);
    return { kind, ...findings[0] };
  };

  test("the finding has the statuses of the endpoint that would exercise it", () => {
    const pages = [404, 404, 500].map((status) => errorOf(status, "x", { endpoint: "category-page" }));
    expect(outcomeOf("page", ...pages, errorOf(404, "not_found"))).toEqual({
      kind: "inconclusive",
      code: "no-response-exercised",
      subject: "page",
      details: { statuses: { 404: 2, 500: 1 } },
    });
  });

  test("a missing fixture is the reason", async () => {
    const { fixtures } = await discovered({ items: [], foreign: [] });
    const facts = { ...exampleFacts, fixtures };
    const codeOf = (exercisedBy: Rule["exercisedBy"]) =>
      judgeAll({ ...rule, exercisedBy }, [], facts).findings.map(({ code, subject }) => subject ?? code);
    expect(codeOf("product")).toEqual(["no-product"]);
    expect(codeOf("batch")).toEqual(["no-product"]);
    expect(codeOf("lookup-by-id")).toEqual(["no-product"]);
    expect(codeOf({ statuses: [403] })).toEqual(["no-foreign-retailer"]);
    // Category and retailers are known.
    expect(codeOf("page")).toEqual(["page"]);
    expect(codeOf("retailer")).toEqual(["retailer"]);
    expect(codeOf({ statuses: [400] })).toEqual(["status"]);
  });

  describe("when a check provokes such a response", () => {
    const withCheck = (verdict: CheckResult["verdict"], requirement = "by-id.unknown-product") => {
      const cause: Finding = { code: "no-category", exchange: 0 };
      const checks = [{ requirement, verdict, findings: [cause] }];
      const own = { ...rule, exercisedBy: { statuses: [404] } };
      return judgeAll(own, [], { ...exampleFacts, checks }).findings;
    };

    test("the reason why that check was not judged is given", () => {
      expect(withCheck("inconclusive")).toEqual([{ code: "no-category" }]);
    });

    test.each(["fail", "pass"] as const)("its verdict %s is given", (verdict) => {
      expect(withCheck(verdict)).toMatchObject([
        { code: "no-response-exercised", details: { provokedBy: "by-id.unknown-product", verdict } },
      ]);
    });

    test("its requirement is named when it was not selected", () => {
      const [{ details } = { details: {} }] = withCheck("pass", "by-id.product");
      expect(details).toEqual({ provokedBy: "by-id.unknown-product" });
    });
  });

  test("the finding counts responses with the status, which may lack their code", () => {
    const refused = exchangeOf("other", {}, { status: 429 });
    expect(outcomeOf({ statuses: [429] }, refused, refused, errorOf(404, "not_found"))).toEqual({
      kind: "inconclusive",
      code: "no-response-exercised",
      subject: "status",
      expected: [429],
      seen: { count: 2, of: "responses" },
    });
  });

  test("a rule for responses of a failing service does not apply", () => {
    expect(outcomeOf({ statuses: [502, 504], optional: true })).toEqual({
      kind: "notApplicable",
      code: "status-not-seen",
      expected: [502, 504],
      seen: { count: 0, of: "responses" },
    });
  });
});
