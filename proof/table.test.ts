import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { requirements } from "../conformance/requirements/all.ts";
import { listChecks } from "../conformance/suite/all.ts";
import { parseSnapshot, snapshotFile, snapshotText } from "./snapshot.ts";
import { changesOf, faults, faultTables, variants, variantTables } from "./table.ts";

const checks = listChecks().map(({ id }) => id);
const ids = requirements.map(({ id }) => id);

test("names are given once, and those of the snapshot", async () => {
  const tables = [...faultTables, ...variantTables];
  const names = tables.flatMap((table) => Object.keys(table));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
  const text = await readFile(snapshotFile, "utf8");
  const known = snapshotText(parseSnapshot(text), faults.keys());
  expect(text, "if this change is intended: npm run proof -- --update --only NAME").toBe(known);
});

test("changes are in the same order however variants are named", () => {
  const names = ["batch-found-wrapped", "gtin-nested", "offset-timestamps"];
  expect(changesOf({ variants: names }).wire).toEqual(changesOf({ variants: names.toReversed() }).wire);
});

test("every check fails with at least one fault", () => {
  const proven = new Set<string>([...faults.values()].flatMap(({ fails }) => fails));
  const unproven = checks.filter((id) => !proven.has(id));
  expect(unproven, "no fault in proof/faults/ has these checks in `fails`").toEqual([]);
});

test("every check that a fault names is known, and every requirement of the snapshot", async () => {
  for (const [name, { fails }] of faults) {
    expect(
      fails.filter((id) => !checks.includes(id)),
      `${name}: \`fails\` names checks that do not exist`,
    ).toEqual([]);
  }
  const snapshot = parseSnapshot(await readFile(snapshotFile, "utf8"));
  const found = [...snapshot.values()].flatMap((one) => [...one.always, ...one.atTimes]);
  expect(found.filter((id) => !ids.some((one) => one === id))).toEqual([]);
});

test("what each fault and variant does is one sentence, and no two are the same", () => {
  const sentences = [...faults.values(), ...variants.values()].map(({ does }) => does);
  expect(sentences.filter((text) => !/^[A-Z`].*[^.]\.$/.test(text))).toEqual([]);
  expect(new Set(sentences).size).toBe(sentences.length);
});

test("every variant quotes what allows it", () => {
  for (const [name, { allowedBy }] of variants)
    for (const text of allowedBy) expect(text.length, name).toBeGreaterThan(3);
});
