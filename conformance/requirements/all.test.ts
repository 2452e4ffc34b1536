import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { historyRules } from "../rules/history.ts";
import { rules } from "../rules/rules.ts";
import { listChecks, suiteSections } from "../suite/all.ts";
import { requirement, requirements } from "./all.ts";
import { sectionOf, sections } from "./requirement.ts";

const root = new URL("../../", import.meta.url);
const checks = listChecks();
const idsWhere = (kind: (typeof requirements)[number]["treatment"]["kind"]) =>
  requirements.filter(({ treatment }) => treatment.kind === kind).map(({ id }) => id);

function doubled(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

const intended = "If this change is intended: npx vitest run conformance/requirements -u";

describe("requirements", () => {
  test("have unique ids", () => {
    expect(doubled(requirements.map(({ id }) => id))).toEqual([]);
  });

  test("have stable ids and treatments, which reports and waivers use", async () => {
    const lines = requirements.map(
      ({ id, level, actor, treatment }) => `${id} ${level} ${actor} ${treatment.kind}`,
    );
    await expect(`${lines.sort().join("\n")}\n`, intended).toMatchFileSnapshot("all.snapshot.txt");
  });

  test("have ids that begin with a section of the spec, and no section is empty", () => {
    expect(new Set(requirements.map(({ id }) => sectionOf(id)))).toEqual(new Set(Object.keys(sections)));
    for (const { id } of requirements) expect(id).toMatch(/^[a-z-]+\.[a-z0-9-]+$/);
  });

  test("have unique statements, and a reason when they are not judged", () => {
    expect(doubled(requirements.map(({ statement }) => statement))).toEqual([]);
    for (const { id, statement, treatment } of requirements) {
      expect(statement, id).toMatch(/^.{10,}\.$/);
      if (treatment.kind === "excluded") expect(treatment.why, id).toMatch(/^.{10,}\.$/);
      if (treatment.kind === "gap") expect(treatment.what, id).toMatch(/.{10,}/);
    }
  });

  test("each have a quote from the spec", () => {
    expect(requirements.filter(({ quote }) => quote.trim() === "")).toEqual([]);
  });

  test("that are judged have a check or a rule", () => {
    const judged = new Set<string>(checks.map((check) => check.requirement));
    expect(idsWhere("judged").filter((id) => !judged.has(id))).toEqual([]);
  });

  test("are found by id; an unknown id throws", () => {
    expect(requirement("errors.shape").id).toBe("errors.shape");
    expect(() => requirement("errors.none")).toThrow("no requirement has the id errors.none");
  });
});

describe("checks and rules", () => {
  test("have unique ids and titles", () => {
    expect(doubled(checks.map(({ id }) => id))).toEqual([]);
    expect(doubled(checks.map(({ requirement: judged, title }) => `${judged}: ${title}`))).toEqual([]);
  });

  test("belong to a judged requirement", () => {
    const judged = new Set<string>(idsWhere("judged"));
    for (const { id, requirement: named } of checks) {
      expect(judged, id).toContain(named);
      expect(id).toMatch(/^[a-z.-]+\/[a-z0-9-]+$/);
    }
  });

  test("declare their requests: a check at least one, a rule none", () => {
    const passive = new Set([...rules, ...historyRules].map(({ id }) => id));
    for (const { id, requests } of checks)
      if (passive.has(id)) expect(requests, id).toBe(0);
      else expect(requests, id).toBeGreaterThan(0);
  });

  test("have stable ids, which --only, waivers and CI use", async () => {
    const ids = checks.map(({ id }) => id).sort();
    await expect(`${ids.join("\n")}\n`, intended).toMatchFileSnapshot("checks.snapshot.txt");
  });
});

test("every file of the suite is in its list", async () => {
  const files = readdirSync(fileURLToPath(new URL("conformance/suite/", root)), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".check.ts"))
    .sort();
  const listed: unknown[] = [...suiteSections];
  for (const name of files) {
    const module: { default: unknown } = await import(new URL(`conformance/suite/${name}`, root).href);
    expect(listed, name).toContain(module.default);
  }
  expect(files).toHaveLength(listed.length);
});

test("every section of the suite has checks and is listed once", () => {
  expect(new Set(suiteSections).size).toBe(suiteSections.length);
  for (const { key, checks: own } of suiteSections) expect(own.length, key).toBeGreaterThan(0);
});
