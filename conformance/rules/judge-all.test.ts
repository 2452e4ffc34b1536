import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { exampleFacts, goodProduct, lookup, page } from "../../test/support/rule-examples/example.ts";
import { discovered } from "../../test/support/stub-discovery.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { judgeAll } from "./judge-all.ts";
import { productResponseRules } from "./product-responses.ts";
import type { ExercisedBy, Rule } from "./rule.ts";

/** A rule whose findings are the body itself. */
const rule: Rule = {
  id: "errors.shape/made-up",
  title: "Made up",
  exercisedBy: "error",
  judge: ({ response }) => (Array.isArray(response.json) ? (response.json as Finding[]) : undefined),
};
const [omitted = rule] = productResponseRules;
const of = (...bodies: readonly unknown[]) => bodies.map((body) => exchangeOf("other", body));
const isNull = (path: string): Finding => ({ code: "null-value", path });

test("findings of one kind are one, which names the first place, counts responses and shows a few", () => {
  const exchanges = of(
    [],
    [isNull("/products/0/a"), isNull("/products/1/a"), isNull("/products/1/b")],
    {},
    [isNull("/products/7/a")],
    [isNull("/products/0/a")],
    [isNull("/products/0/a")],
  );
  const merged = (path: string, count: number) => ({
    ...isNull(path),
    endpoint: "other",
    seen: { count, total: 5, of: "responses" },
    byEndpoint: [{ endpoint: "other", count, total: 5 }],
    exchange: 0,
  });
  expect(judgeAll(rule, exchanges, exampleFacts)).toEqual({
    kind: "fail",
    findings: [merged("/products/0/a", 4), merged("/products/1/b", 1)],
    evidence: [exchanges[1], exchanges[3], exchanges[4]],
  });
  expect(judgeAll(rule, of([], {}, []), exampleFacts)).toEqual({
    kind: "pass",
    findings: [{ code: "checked", seen: { count: 2, of: "responses" } }],
    evidence: [],
  });
});

test("the most frequent kinds are shown, each with its exchange", () => {
  const kinds = Array.from({ length: 9 }, (_, kind) =>
    Array.from({ length: kind + 1 }, () => [isNull(`/field-${kind}`)]),
  );
  const { findings, evidence } = judgeAll(rule, of(...kinds.flat()), exampleFacts);
  expect(findings.map(({ path, exchange }) => [path, exchange])).toEqual(
    [8, 7, 6, 5, 4].map((kind, exchange) => [`/field-${kind}`, exchange]),
  );
  expect(evidence.map(({ response }) => response.json)).toMatchObject(findings.map(({ path }) => [{ path }]));
});

const header = (subject: string): Finding => ({ code: "missing-header", subject, details: { status: 429 } });

test.each<[string, kinds: number, readonly Finding[]]>([
  ["at the same place of any entry", 1, [isNull("/a/0/b/10"), isNull("/a/12/b/3"), isNull("/a/1/b/1")]],
  ["in a list and beside it", 2, [isNull("/a/0/b"), isNull("/a/b")]],
  ["at names with a digit", 4, [isNull("/1st"), isNull("/2nd"), isNull("/a1"), isNull("/a2")]],
  ["with other subjects", 2, [header("A"), header("B"), header("A")]],
  ["with other codes", 2, [isNull("/a"), { code: "empty-string", path: "/a" }]],
])("findings %s are of so many kinds: %i", (_name, kinds, findings) => {
  const bodies = findings.map((finding) => [finding]);
  expect(judgeAll(rule, of(...bodies), exampleFacts).findings).toHaveLength(kinds);
});

test("a finding names the statuses of its responses if they differ", () => {
  const everywhere: Rule = { ...rule, judge: () => [{ code: "missing-field", path: "/error" }] };
  const byStatus = (...statuses: number[]) => {
    const exchanges = statuses.map((status) => exchangeOf("lookup-by-id", {}, { status }));
    return judgeAll(everywhere, exchanges, exampleFacts).findings[0]?.byStatus;
  };
  expect(byStatus(404, 404)).toBeUndefined();
  expect(byStatus(404, 400, 404)).toEqual([
    { status: 400, count: 1 },
    { status: 404, count: 2 },
  ]);
});

test("a finding on products counts retailers and endpoints, also those without it", () => {
  const other = (id: number) => ({ ...goodProduct, retailer: "bolt", product_id: `B${id}` });
  const bad = (id: number) => ({ ...goodProduct, product_id: `A${id}`, mpn: null });
  const exchanges = [
    page({ title: "Lamp" }, { ...other(1), retailer: "cora" }, other(1), bad(1)),
    page(bad(2), other(2), other(3)),
    page(other(1)),
    // A product counts once, on any lookup path.
    page(bad(1)),
    lookup(bad(1)),
    lookup(other(1)),
  ];
  expect(judgeAll(omitted, exchanges, exampleFacts).findings).toMatchObject([
    {
      path: "/products/3/mpn",
      product: { retailer: "acme", productId: "A1" },
      seen: { count: 4, total: 6, of: "responses" },
      byRetailer: [
        { retailer: "acme", count: 2, total: 2 },
        { retailer: "bolt", count: 0, total: 3 },
        { retailer: "cora", count: 0, total: 1 },
      ],
      byEndpoint: [
        { endpoint: "category-page", count: 3, total: 4 },
        { endpoint: "lookup-by-id", count: 1, total: 2 },
      ],
    },
  ]);
  const many = Array.from({ length: 21 }, (_, at) => ({ ...bad(at), retailer: `shop-${at}` }));
  expect(judgeAll(omitted, [page(...many)], exampleFacts).findings[0]?.byRetailer).toHaveLength(20);
  const [unnamed] = judgeAll(omitted, [page({ title: null })], exampleFacts).findings;
  expect(unnamed).not.toHaveProperty("byRetailer", expect.anything());
});

const unjudged = { code: "no-response-exercised", subject: "status" };

test.each<[ExercisedBy, complete: boolean, exchanges: number, kind: string, finding: object]>([
  ["product", false, 0, "inconclusive", { code: "no-product" }],
  [{ statuses: [403] }, false, 0, "inconclusive", { code: "no-foreign-retailer" }],
  // Category and retailers are known.
  ["page", false, 0, "inconclusive", { details: { provokedBy: "query.category" } }],
  [{ statuses: [404] }, true, 0, "inconclusive", { details: { provokedBy: "by-id.unknown-product" } }],
  // Any response would do.
  ["success", true, 0, "inconclusive", { code: "no-response-exercised", details: {} }],
  // Some came, and lack what is judged.
  [{ statuses: [403, 429] }, false, 2, "inconclusive", { ...unjudged, seen: { count: 2 } }],
  [{ statuses: [400] }, true, 2, "inconclusive", { ...unjudged, expected: [400], seen: { count: 0 } }],
  // Only a failing service returns them.
  [{ statuses: [502, 504], optional: true }, true, 0, "notApplicable", { code: "status-not-seen" }],
])("a rule for %j, with all fixtures: %s, and %i responses is %s", async (exercisedBy, ...row) => {
  const [isComplete, count, kind, finding] = row;
  const { fixtures } = await discovered(isComplete ? undefined : { items: [], foreign: [] });
  const exchanges = Array.from({ length: count }, () => exchangeOf("other", {}, { status: 429 }));
  const outcome = judgeAll({ ...rule, exercisedBy }, exchanges, { ...exampleFacts, fixtures });
  expect(outcome).toMatchObject({ kind, findings: [finding] });
});

test("the product of a lookup that returned another was asked for, not seen", () => {
  const findingOf = (code: "other-product" | "null-value") => {
    const product = { retailer: "acme", productId: "A1" };
    const judge = () => [{ code, path: "/product_id", expected: "B", actual: "A/1", product } as Finding];
    return judgeAll({ ...rule, judge }, [lookup(goodProduct)], exampleFacts).findings[0];
  };
  expect(findingOf("other-product")?.byRetailer).toBeUndefined();
  expect(findingOf("null-value")?.byRetailer).toBeDefined();
});

test("an entry that names a product is none that was seen", () => {
  const product = { retailer: "acme", productId: "A1" };
  const judge = () => [{ code: "item-not-sent", path: "/errors/0", actual: {}, product } as const];
  expect(
    judgeAll({ ...rule, judge }, [page(goodProduct)], exampleFacts).findings[0]?.byRetailer,
  ).toBeUndefined();
});
