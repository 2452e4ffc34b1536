import { expect, test } from "vitest";
import { requirements } from "../../conformance/requirements/catalogue.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import { listChanges } from "../../service/start.ts";
import { requirementOf } from "./expectation.ts";
import { unprovenChecks } from "./expectations/unproven-checks.ts";
import { unjudgeableUnder } from "./expectations/variants.ts";
import { expectations } from "./expectations.ts";
import { injections } from "./injections.ts";

const checks = listChecks().map(({ id }) => id);
const faults = listChanges()
  .filter(({ kind }) => kind === "fault")
  .map(({ name }) => name);
const variants = listChanges()
  .filter(({ kind }) => kind === "variant")
  .map(({ name }) => name);
const all = [...expectations, ...injections];

function twice(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

test("every fault of the service has one expectation, and no expectation is for nothing", () => {
  const named = expectations.map(({ fault }) => fault);
  expect(named.toSorted()).toEqual(faults.toSorted());
  expect(twice(injections.map(({ fault }) => fault))).toEqual([]);
});

test("every check is turned red by a fault, or stands on the list of those that none does", () => {
  const proven = new Set(all.flatMap(({ red }) => red));
  const listed = Object.keys(unprovenChecks);
  expect(checks.filter((id) => !proven.has(id) && !listed.includes(id))).toEqual([]);
  // A listed check that a fault proves by now must leave the list.
  expect(listed.filter((id) => proven.has(id) || !checks.includes(id))).toEqual([]);
});

test("what is unproven only gets less", () => {
  const unproven = all.filter((one) => one.unproven !== undefined);
  expect({ faults: unproven.length, checks: Object.keys(unprovenChecks).length }).toEqual({
    faults: 0,
    checks: 0,
  });
});

test("every name in the tables is known, and every reason is a sentence", () => {
  const ids = requirements.map(({ id }) => id as string);
  for (const { fault, red, also, unproven } of all) {
    expect(
      red.filter((id) => !checks.includes(id)),
      fault,
    ).toEqual([]);
    expect(
      Object.keys(also).filter((id) => !ids.includes(id)),
      fault,
    ).toEqual([]);
    expect(
      Object.keys(also).filter((id) => red.some((one) => requirementOf(one) === id)),
      fault,
    ).toEqual([]);
    expect(red.length > 0, fault).toBe(unproven === undefined);
    for (const reason of Object.values(also)) expect(reason.length, fault).toBeGreaterThan(10);
  }
  for (const variant of Object.keys(unjudgeableUnder)) expect(variants).toContain(variant);
});
