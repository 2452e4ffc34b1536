import { expect, test } from "vitest";
import { exchangeOf } from "../testing/stub-exchange.ts";
import { exampleFacts } from "./examples/example.ts";
import { judgeAll } from "./judge-all.ts";
import type { Rule } from "./rule.ts";

/** Concerns bodies that are a list of breaches. */
const rule: Rule = {
  id: "errors.shape/made-up",
  requirement: "errors.shape",
  title: "Made up",
  unmet: { kind: "inconclusive", fix: "Ask." },
  judge: ({ response }) => (Array.isArray(response.json) ? response.json.map(String) : undefined),
};
const of = (...bodies: readonly unknown[]) => bodies.map((body) => exchangeOf("other", body));

test("many breaches are one finding: the first told, a few shown, all counted", () => {
  const exchanges = of([], ["a", "b", "c", "d"], {}, ["e"], [], ["f"], ["g"]);
  expect(judgeAll(rule, exchanges, exampleFacts)).toEqual({
    kind: "fail",
    reason: "a; b; c (in 4 of 6 answers)",
    evidence: [exchanges[1], exchanges[3], exchanges[5]],
    occurrences: 7,
  });
});

test("no breach holds, and says in how many answers", () => {
  expect(judgeAll(rule, of([], {}, []), exampleFacts)).toEqual({ kind: "pass", note: "held in 2 answers" });
});

test("nothing that concerns it is not a pass: it says what would help, or why it does not matter", () => {
  expect(judgeAll(rule, of({}), exampleFacts)).toEqual({
    kind: "inconclusive",
    reason: "no answer of this run concerned it",
    fix: "Ask.",
  });
  const irrelevant = { kind: "notApplicable", reason: "no limit" } as const;
  expect(judgeAll({ ...rule, unmet: irrelevant }, [], exampleFacts)).toEqual(irrelevant);
});
