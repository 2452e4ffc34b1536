import { describe, expect, test } from "vitest";
import { endpoints } from "../../schemas/api.ts";
import { isObject, valueAt } from "../../schemas/json.ts";
import { ruleExamples as examples } from "../../test/support/rule-examples/every-rule.ts";
import { common, exampleFacts, factsOfExamples } from "../../test/support/rule-examples/example.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Endpoint } from "../client/requests.ts";
import { rules } from "./judge-all.ts";
import type { Rule } from "./rule.ts";

test("every rule has examples, and every example belongs to a rule", () => {
  expect(Object.keys(examples).sort()).toEqual(rules.map(({ id }) => id).sort());
});

describe.each(rules.map((rule) => ({ id: rule.id, rule, row: examples[rule.id] })))(
  "$id",
  ({ rule, row }) => {
    test("passes its passing examples, and finds nothing in right responses of any kind", () => {
      for (const exchange of row?.passes ?? [])
        expect(rule.judge(exchange, factsOfExamples()), shown(exchange)).toEqual([]);
      for (const exchange of Object.values(common.right))
        expect(rule.judge(exchange, exampleFacts) ?? [], shown(exchange)).toEqual([]);
    });

    test("finds the violations in its failing examples, with the path to each wrong value", () => {
      expect(row?.fails.length).toBeGreaterThan(0);
      for (const exchange of row?.fails ?? []) {
        const found = rule.judge(exchange, exampleFacts) ?? [];
        expect(found.length, shown(exchange)).toBeGreaterThan(0);
        for (const { path, actual } of found)
          if (path !== undefined && actual !== undefined)
            expect(valueAt(exchange.response.json, path), shown(exchange)).toBeDefined();
      }
    });

    test("does not apply to other responses", () => {
      for (const exchange of row?.notApplicable ?? [])
        expect(rule.judge(exchange, exampleFacts), shown(exchange)).toBeUndefined();
    });
  },
);

// After an intended change: npx vitest run conformance/rules -u
test("what each rule says of the common responses, and finds in its failing examples, in their order", async () => {
  const facts = factsOfExamples();
  const everyday = Object.entries({ ...common.right, ...common.wrong });
  const lines = rules.flatMap(({ id, judge }) => {
    const judged = everyday.map(([name, one]) => [name, judge(one, facts)] as const);
    const passed = judged.filter(([, found]) => found?.length === 0);
    const failed = judged.filter(([, found = []]) => found.length > 0);
    return [
      id,
      `  passes ${passed.map(([name]) => name).join(", ")}`,
      `  fails ${failed.map(([name]) => name).join(", ")}`,
      ...(examples[id]?.fails ?? []).map((one) => `  ${JSON.stringify(judge(one, facts))}`),
    ];
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("rules.snapshot.txt");
});

// Requirement errors.branch-on-code: clients branch on the code, never on the message.
test.each(["Nicht gefunden.", "unauthorized: rate_limited bad_request forbidden not_found"])(
  "findings do not depend on messages such as %j",
  (message) => {
    const everything = Object.values(examples).flatMap(({ passes = [], fails, notApplicable = [] }) => [
      ...passes,
      ...fails,
      ...notApplicable,
    ]);
    const reworded = everything.flatMap((exchange) => reword(exchange, message) ?? []);
    expect(reworded.length).toBeGreaterThan(30);
    for (const { before, after } of reworded)
      for (const { id, judge } of rules)
        expect(judge(after, exampleFacts), `${id}: ${shown(after)}`).toEqual(judge(before, exampleFacts));
  },
);

test("no rule throws on any body or request", () => {
  const everyEndpoint = [...Object.keys(endpoints), "other"] as Endpoint[];
  const scraps = [undefined, null, 0, "", "x", [], [null], [[]], {}, { error: null }, { error: [] }];
  const names = ["retailers", "products", "errors", "meta", "error"];
  const bodies = [...scraps, ...scraps.flatMap((scrap) => names.map((name) => ({ [name]: scrap })))];
  const entries = { meta: { total: 1, found: 1, not_found: 0, other_errors: 0 }, errors: [{}, null] };
  const exchanges = everyEndpoint.flatMap((endpoint) =>
    [200, 204, 400, 429, 500].flatMap((status) =>
      [...bodies, entries].flatMap((json) =>
        ["", "{", "null", "[null]", '{"items":7}'].map((requestBody) =>
          exchangeOf(endpoint, json, { status, requestBody }),
        ),
      ),
    ),
  );
  const broken = rules.flatMap(({ id, judge }) =>
    exchanges.flatMap((exchange) => thrownBy(id, judge, exchange)),
  );
  expect(broken.slice(0, 3)).toEqual([]);
});

const meta = (found: unknown) => ({ meta: { total: 1, found, not_found: 0, other_errors: 0 } });
const none = { code: "no-found-list", path: "" };

test.each<[rule: string, body: object, findings: object[]]>([
  ["batch-result.found", { ...meta(1), errors: [], notes: ["x"], items: ["x", { id: 1 }] }, []],
  ["batch-result.found", { ...meta(0), errors: [{}], items: {} }, [none]],
  ["batch-result.found", { ...meta(1), errors: [{}], items: ["A1"] }, [{ ...none, expected: 1 }]],
  // Nothing was found, or no counter says so.
  ...[meta(0), meta(null), {}].map((counters): [string, object, object[]] => [
    "batch-result.found",
    { ...counters, items: [] },
    [],
  ]),
  ["batch.summary", { ...meta(1), items: [] }, []],
  ["batch.summary", { ...meta(1), errors: [{}] }, [{ path: "/errors", expected: 0, actual: 1 }]],
])("%s in a batch result whose list of products has no known name: %j", (name, body, findings) => {
  const rule = rules.find(({ id }) => id === `${name}/every-batch`);
  const facts = { ...exampleFacts, fieldNames: {} };
  const exchange = exchangeOf("batch", body, { requestBody: "[]" });
  expect(rule?.judge(exchange, facts)).toMatchObject(findings);
});

test("a GTIN is judged only where the field that shows it is known", () => {
  const rule = rules.find(({ id }) => id === "query.gtin/every-response");
  const exchange = exchangeOf("lookup-by-gtin", {}, { url: "http://stub.example/v1/products?gtin=1" });
  expect(rule?.judge(exchange, { ...exampleFacts, fieldNames: {} })).toBeUndefined();
});

function thrownBy(id: string, judge: Rule["judge"], exchange: Exchange): string[] {
  try {
    judge(exchange, exampleFacts);
    return [];
  } catch (error) {
    return [`${id}: ${String(error)}: ${exchange.request.body} ${shown(exchange)}`];
  }
}

/** The exchange with another error message; undefined without one. */
function reword(before: Exchange, message: string): { before: Exchange; after: Exchange } | undefined {
  const { json } = before.response;
  const error = isObject(json) ? json.error : undefined;
  if (!isObject(json) || !isObject(error) || typeof error.message !== "string" || error.message === "")
    return undefined;
  const body = { ...json, error: { ...error, message } };
  return {
    before,
    after: { ...before, response: { ...before.response, json: body, text: JSON.stringify(body) } },
  };
}

function shown({ endpoint, response }: Exchange): string {
  return `${endpoint} ${response.status} ${response.text}`;
}
