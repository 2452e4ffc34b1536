import { describe, expect, test } from "vitest";
import type { Contract } from "../../../schemas/types.ts";
import { driftBetween } from "./drift-between.ts";
import { acme, all, byUrl, dialect, driftExamples, usual } from "./examples.ts";
import { type DriftRuleId, driftRules } from "./rules.ts";

describe("each rule, and what is close to it and none", () => {
  const examples = driftExamples.map(([name, rule, after, before = {}]) => ({ name, rule, after, before }));
  test.each(examples)("$name: $rule", ({ rule, after, before }) => {
    const changes = driftBetween({ ...usual, ...before }, { ...usual, ...after });
    expect(changes.map((one) => one.rule)).toEqual(rule === undefined ? [] : [rule]);
    for (const { rank, kind, rule: id, statement } of changes) {
      expect({ rank, kind }).toMatchObject({
        rank: driftRules[id as DriftRuleId].rank,
        kind: driftRules[id as DriftRuleId].kind,
      });
      expect(statement).not.toMatch(/undefined|NaN/);
    }
  });
});

test("every rule has an example", () => {
  expect(new Set(driftExamples.flatMap(([, rule]) => rule ?? []))).toEqual(new Set(Object.keys(driftRules)));
});

test("every rule says when and why in a sentence", () => {
  for (const { when, why } of Object.values(driftRules)) {
    expect(when).toMatch(/^[a-z]/);
    expect(why).toMatch(/^[A-Z].*\.$/);
  }
});

test("breaking comes first, then what is notable", () => {
  const after: Contract = {
    ...usual,
    ...dialect({ batchFoundField: "found" }),
    ...byUrl({ 200: 30, 404: 20, 502: 1 }),
    retailers: ["acme", "bolt", "city"],
  };
  expect(driftBetween(usual, after).map(({ rank }) => rank)).toEqual(["breaking", "notable", "harmless"]);
});

test("a field that is gone at several retailers is one change that names them", () => {
  const bolt = { products: 12, fields: { gtin: 12 } };
  const after = {
    ...usual,
    fieldsByRetailer: { acme: { products: 38, fields: { ...all, title: 0 } }, bolt },
  };
  const [change, ...others] = driftBetween(usual, after);
  expect(others).toEqual([]);
  expect(change).toMatchObject({
    rule: "field.vanished",
    subject: "title of acme, bolt",
    before: "40 of 40 products of acme, 12 of 12 products of bolt",
    after: "0 of 38 products of acme, 0 of 12 products of bolt",
  });
});

test("field names that are data are summed up", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`attributes.${index}`, 1]));
  const changes = driftBetween(usual, { ...usual, ...acme(40, { ...all, ...many }) });
  expect(changes.length).toBeLessThan(30);
  expect(changes.at(-1)?.statement).toBe("and 280 more fields alike");
});

test("another key is named where a retailer is gone", () => {
  const [change] = driftBetween(usual, { ...usual, retailers: ["acme"], keyFingerprint: "other" });
  expect(change?.statement).toContain("the primary key is another");
});

test("names like those of every object are names like any other", () => {
  const odd = { products: 9, fields: { constructor: 9, toString: 9 } };
  const before = { ...usual, retailers: ["constructor"], fieldsByRetailer: { constructor: odd } };
  expect(driftBetween(before, before)).toEqual([]);
  const after = { ...before, fieldsByRetailer: {} };
  expect(driftBetween(before, after).map(({ rule }) => rule)).toEqual(["retailer.not-sampled"]);
});

test("a run that provoked no limit says nothing of it", () => {
  const { letIn: _letIn, ...unprovoked } = usual;
  expect(driftBetween(usual, unprovoked)).toEqual([]);
  expect(driftBetween(unprovoked, { ...usual, letIn: 1 })).toEqual([]);
});
