import { describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { exampleFacts, goodProduct, lookup, page } from "../../test/support/rule-examples/example.ts";
import { discovered } from "../../test/support/stub-discovery.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import { judgeAll } from "./judge-all.ts";
import { productResponseRules } from "./product-responses.ts";
import type { Rule } from "./rule.ts";

/** A rule whose findings are the body itself. */
const rule: Rule = {
  id: "errors.shape/made-up",
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

describe("findings are of one kind", () => {
  const kindsOf = (...findings: readonly Finding[]) =>
    judgeAll(rule, of(...findings.map((finding) => [finding])), exampleFacts).findings.map(
      ({ code, path, subject, seen }) => [code, path ?? subject, seen?.count],
    );

  test("at the same place of any entry of a list", () => {
    expect(kindsOf(isNull("/a/0/b/10"), isNull("/a/12/b/3"), isNull("/a/1/b/1"))).toEqual([
      ["null-value", "/a/0/b/10", 3],
    ]);
  });

  test("in any product of a page, or in a product looked up", () => {
    const [omitted = rule] = productResponseRules;
    const good = { title: "x" };
    const bad = { title: "x", mpn: null };
    const products = [bad, ...Array.from({ length: 9 }, () => good), bad];
    const { findings } = judgeAll(omitted, [page(...products), lookup(bad)], exampleFacts);
    expect(findings.map(({ path, seen }) => [path, seen?.count])).toEqual([["/products/0/mpn", 2]]);
  });

  test("not in a list and beside it", () => {
    expect(kindsOf(isNull("/a/0/b"), isNull("/a/b"))).toHaveLength(2);
  });

  test("not at names that begin with a digit or hold one", () => {
    expect(kindsOf(isNull("/1st"), isNull("/2nd"), isNull("/a1"), isNull("/a2"))).toHaveLength(4);
  });

  test("not with other codes or subjects", () => {
    const header = (subject: string): Finding => ({
      code: "missing-header",
      subject,
      details: { status: 429 },
    });
    expect(kindsOf(header("A"), header("B"), header("A"))).toEqual([
      ["missing-header", "A", 2],
      ["missing-header", "B", 1],
    ]);
    expect(kindsOf(isNull("/a"), { code: "empty-string", path: "/a" })).toHaveLength(2);
  });
});

test("the exchanges of all kinds are shown, and at least three in all", () => {
  const all = ["/a", "/b", "/c", "/d"].map(isNull);
  const more = [[isNull("/a")], [isNull("/a")], [isNull("/a")]];
  const { findings, evidence } = judgeAll(rule, of(all, ...more), exampleFacts);
  expect(findings.map(({ exchange }) => exchange)).toEqual([0, 0, 0, 0]);
  expect(evidence).toHaveLength(3);
});

test("a finding names the statuses of its responses if they differ", () => {
  const flat = (status: number) => exchangeOf("lookup-by-id", { code: "x" }, { status });
  const withStatus: Rule = {
    ...rule,
    judge: ({ response: { status } }) => [{ code: "missing-field", path: "/error", details: { status } }],
  };
  const byStatus = (...statuses: number[]) =>
    judgeAll(withStatus, statuses.map(flat), exampleFacts).findings[0]?.byStatus;
  expect(byStatus(404, 404)).toBeUndefined();
  expect(byStatus(404, 400, 404)).toEqual([
    { status: 400, count: 1 },
    { status: 404, count: 2 },
  ]);
});

describe("the retailers of a finding", () => {
  const [omitted = rule] = productResponseRules;
  const good = (retailer: string, id: number) => ({ retailer, product_id: `${id}`, title: "x" });
  const bad = (retailer: string, id: number) => ({ ...good(retailer, id), mpn: null });
  const byRetailer = (...products: readonly object[]) =>
    judgeAll(omitted, [page(...products)], exampleFacts).findings[0]?.byRetailer;

  test("come by violations, then by products", () => {
    expect(
      byRetailer(bad("a", 1), good("b", 1), bad("c", 1), bad("c", 2), good("d", 1), good("d", 2), {
        title: "without identity",
      }),
    ).toEqual([
      { retailer: "c", count: 2, total: 2 },
      { retailer: "a", count: 1, total: 1 },
      { retailer: "d", count: 0, total: 2 },
      { retailer: "b", count: 0, total: 1 },
    ]);
  });

  test("are twenty at most", () => {
    expect(byRetailer(...Array.from({ length: 25 }, (_, index) => bad(`r${index}`, 1)))).toHaveLength(20);
  });

  test("are unknown where the product has no identity", () => {
    const findings = judgeAll(omitted, [page({ title: null })], exampleFacts).findings;
    expect(findings).toMatchObject([{ code: "null-value", path: "/products/0/title" }]);
    expect(findings[0]).not.toHaveProperty("byRetailer", expect.anything());
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
    return Object.assign({ kind }, findings[0]);
  };

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
    // A 403 came, so a missing product is not why the rule had nothing to judge.
    const forbidden = { ...rule, exercisedBy: { statuses: [403] } };
    expect(judgeAll(forbidden, [exchangeOf("other", {}, { status: 403 })], facts).findings).toMatchObject([
      { code: "no-response-exercised", seen: { count: 1 } },
    ]);
  });

  test.each<[Rule["exercisedBy"], object | undefined]>([
    ["page", { provokedBy: "query.category" }],
    [{ statuses: [404] }, { provokedBy: "by-id.unknown-product" }],
    // Any response would do, or every check requests it.
    ["success", {}],
    ["product", {}],
    [{ statuses: [500] }, {}],
  ])("a rule for %j without such a response names the check that requests it", (exercisedBy, details) => {
    expect(outcomeOf(exercisedBy).details).toEqual(details);
  });

  test("the finding counts responses with the status, which may lack their code", () => {
    const refused = exchangeOf("other", {}, { status: 429 });
    expect(outcomeOf({ statuses: [429] }, refused, refused, errorOf(404, "not_found"))).toEqual({
      kind: "inconclusive",
      code: "no-response-exercised",
      subject: "status",
      expected: [429],
      seen: { count: 2, of: "responses" },
      details: { provokedBy: "limits.rate" },
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
