import { describe, expect, test } from "vitest";
import {
  acme,
  all,
  byUrl,
  dialect,
  driftExamples,
  usual,
} from "../../test/support/samples/drift-examples.ts";
import { driftText } from "./contract-words.ts";
import type { Contract } from "./drift.ts";
import { chanceOfSoFew, driftBetween, improbable, isGone } from "./drift.ts";
import { type DriftRuleId, driftRules } from "./drift-rules.ts";

describe("each rule, and similar changes that are no drift", () => {
  const examples = driftExamples.map(([name, rule, after, before = {}]) => ({ name, rule, after, before }));
  test.each(examples)("$name: $rule", ({ rule, after, before }) => {
    const changes = driftBetween({ ...usual, ...before }, { ...usual, ...after });
    expect(changes.map((one) => one.rule)).toEqual(rule === undefined ? [] : [rule]);
    for (const change of changes) {
      const { rank, kind, rule: id } = change;
      expect({ rank, kind }).toMatchObject({
        rank: driftRules[id as DriftRuleId].rank,
        kind: driftRules[id as DriftRuleId].kind,
      });
      expect(driftText(change)).toMatch(/^[A-Z].*\.$/);
      expect(driftText(change)).not.toMatch(/undefined|NaN/);
    }
  });
});

test("every rule has an example", () => {
  expect(new Set(driftExamples.flatMap(([, rule]) => rule ?? []))).toEqual(new Set(Object.keys(driftRules)));
});

test("breaking changes come first, then notable ones", () => {
  const after: Contract = {
    ...usual,
    ...dialect({ batchFoundField: "found" }),
    ...byUrl({ 200: 30, 404: 20, 502: 1 }),
    retailers: ["acme", "bolt", "city"],
  };
  expect(driftBetween(usual, after).map(({ rank }) => rank)).toEqual(["breaking", "notable", "harmless"]);
});

test("a field that is gone at several retailers is one change", () => {
  const bolt = { products: 12, fields: { gtin: 12 } };
  const after = {
    ...usual,
    fieldsByRetailer: { acme: { products: 38, fields: { ...all, title: 0 } }, bolt },
  };
  const [change, ...others] = driftBetween(usual, after);
  expect(others).toEqual([]);
  expect(change).toMatchObject({
    rule: "field.vanished",
    subject: "title",
    retailers: [
      { retailer: "acme", before: { count: 40, total: 40 }, after: { count: 0, total: 38 } },
      { retailer: "bolt", before: { count: 12, total: 12 }, after: { count: 0, total: 12 } },
    ],
  });
});

test("many changed fields are summarized", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`attributes.${index}`, 1]));
  const changes = driftBetween(usual, { ...usual, ...acme(40, { ...all, ...many }) });
  expect(changes.length).toBeLessThan(30);
  expect(changes.at(-1)).toMatchObject({ rule: "field.new", more: 280 });
  expect(changes.filter((change) => "more" in change)).toHaveLength(1);
});

test.each([
  [20, undefined],
  [21, 1],
])("of %i changed fields, twenty are listed and the others counted", (count, more) => {
  const many = Object.fromEntries(Array.from({ length: count }, (_, index) => [`new.${index}`, 1]));
  const changes = driftBetween(usual, { ...usual, ...acme(40, { ...all, ...many }) });
  expect(changes).toHaveLength(20);
  expect(changes.map((change) => ("more" in change ? change.more : undefined))).toEqual([
    ...Array.from({ length: 19 }, () => undefined),
    more,
  ]);
});

test("a change has its subject and both values", () => {
  const change = (after: Partial<Contract>, before: Partial<Contract> = {}) =>
    driftBetween({ ...usual, ...before }, { ...usual, ...after })[0];
  const { batchFoundField: _, ...unknown } = usual.dialect;
  const subject = "batchFoundField";
  expect(change(dialect({ batchFoundField: "found" }))).toMatchObject({
    subject,
    before: "products",
    after: "found",
  });
  expect(change({ dialect: unknown })).toEqual({
    kind: "dialect",
    rank: "notable",
    rule: "dialect.lost",
    subject,
    before: "products",
  });
  expect(change({}, { dialect: unknown })).toMatchObject({ subject, after: "products" });
  expect(change({ retailers: ["acme"] })).not.toHaveProperty("otherKey", expect.anything());
  expect(change(byUrl({ 200: 30, 404: 20, 410: 1 }))).toMatchObject({
    endpoint: "lookup-by-url",
    subject: "410",
    before: { count: 0, total: 55 },
    after: { count: 1, total: 51 },
  });
  expect(change({ accepted: 1 })).toMatchObject({
    subject: "burst",
    before: { accepted: 160, limitReached: true },
    after: { accepted: 1, limitReached: true },
  });
});

test("a different key is mentioned when a retailer is gone", () => {
  const [change] = driftBetween(usual, { ...usual, retailers: ["acme"], keyFingerprint: "other" });
  expect(change).toMatchObject({ subject: "bolt", otherKey: true });
});

test("names of Object.prototype are ordinary names", () => {
  const odd = { products: 9, fields: { constructor: 9, toString: 9 } };
  const before = { ...usual, retailers: ["constructor"], fieldsByRetailer: { constructor: odd } };
  expect(driftBetween(before, before)).toEqual([]);
  const after = { ...before, fieldsByRetailer: {} };
  expect(driftBetween(before, after).map(({ rule }) => rule)).toEqual(["retailer.not-sampled"]);
});

test("a run that did not reach the limit shows no change of it", () => {
  const { accepted: _accepted, ...unprovoked } = usual;
  expect(driftBetween(usual, unprovoked)).toEqual([]);
  expect(driftBetween(unprovoked, { ...usual, accepted: 1 })).toEqual([]);
});

const share = (count: number, total: number) => ({ count, total });

describe("chanceOfSoFew", () => {
  test("follows the predictive distribution", () => {
    // Beta-binomial with Jeffreys' prior, by hand: none of 1 after 2 of 2 is (0.5) / (3).
    expect(chanceOfSoFew(share(2, 2), share(0, 1))).toBeCloseTo(0.5 / 3, 10);
    // None of 2 after 0 of 1: 1.5 * 2.5 / (2 * 3).
    expect(chanceOfSoFew(share(0, 1), share(0, 2))).toBeCloseTo((1.5 * 2.5) / 6, 10);
  });

  test("grows with the count, up to 1", () => {
    const chances = [0, 1, 2, 5, 9, 10].map((hits) => chanceOfSoFew(share(7, 10), share(hits, 10)));
    expect(chances).toEqual(chances.toSorted((a, b) => a - b));
    expect(chances.at(-1)).toBeCloseTo(1, 10);
  });

  test("is finite for large samples", () => {
    const chance = chanceOfSoFew(share(5000, 5000), share(2500, 5000));
    expect(chance).toBeGreaterThanOrEqual(0);
    expect(chance).toBeLessThan(improbable);
  });
});

test.each<[string, before: ReturnType<typeof share>, after: ReturnType<typeof share>, gone: boolean]>([
  ["40 of 40, none of 38", share(40, 40), share(0, 38), true],
  ["1 of 40, none of 38", share(1, 40), share(0, 38), false],
  ["2 of 2, none of 1", share(2, 2), share(0, 1), false],
  ["all of 4, none of 4", share(4, 4), share(0, 4), true],
  ["half of 20, none of 20", share(10, 20), share(0, 20), true],
  ["half of 20, none of 3", share(10, 20), share(0, 3), false],
  ["40 of 40, one of 38", share(40, 40), share(1, 38), false],
  ["40 of 40, nothing sampled", share(40, 40), share(0, 0), false],
])("%s", (_name, before, after, gone) => {
  expect(isGone(before, after)).toBe(gone);
});
