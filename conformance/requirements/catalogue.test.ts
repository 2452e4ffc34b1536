import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { rules } from "../rules/all.ts";
import { listChecks, suiteSections } from "../suite/all.ts";
import { requirement, requirements } from "./catalogue.ts";
import { quotes } from "./quotes.ts";
import { sectionOf, sections } from "./requirement.ts";

const root = new URL("../../", import.meta.url);
const checks = listChecks();
const idsWhere = (kind: (typeof requirements)[number]["treatment"]["kind"]) =>
  requirements.filter(({ treatment }) => treatment.kind === kind).map(({ id }) => id);

function doubled(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

describe("requirements", () => {
  test("have ids that are unique", () => {
    expect(doubled(requirements.map(({ id }) => id))).toEqual([]);
  });

  // A change on purpose: vitest run --project self -u conformance/requirements
  test("have ids and treatments that stay as they are: reports and waivers name them", async () => {
    const lines = requirements.map(
      ({ id, level, actor, treatment }) => `${id} ${level} ${actor} ${treatment.kind}`,
    );
    await expect(`${lines.sort().join("\n")}\n`).toMatchFileSnapshot("catalogue.snapshot.txt");
  });

  test("have ids that begin with a section of the spec, and every section has some", () => {
    expect(new Set(requirements.map(({ id }) => sectionOf(id)))).toEqual(new Set(Object.keys(sections)));
    for (const { id } of requirements) expect(id).toMatch(/^[a-z-]+\.[a-z0-9-]+$/);
  });

  test("are each told in words of their own, and so is why one is not judged", () => {
    expect(doubled(requirements.map(({ statement }) => statement))).toEqual([]);
    for (const { id, statement, treatment } of requirements) {
      expect(statement, id).toMatch(/^.{10,}\.$/);
      if (treatment.kind === "excluded") expect(treatment.why, id).toMatch(/^.{10,}\.$/);
      if (treatment.kind === "gap") expect(treatment.what, id).toMatch(/.{10,}/);
    }
  });

  test("each have the words of the spec behind them, in quotes.ts", () => {
    const ids = requirements.map(({ id }) => id as string);
    expect(ids.filter((id) => !Object.hasOwn(quotes, id))).toEqual([]);
    expect(Object.keys(quotes).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("that are judged have a check or a rule", () => {
    const judged = new Set<string>(checks.map((check) => check.requirement));
    expect(idsWhere("judged").filter((id) => !judged.has(id))).toEqual([]);
  });

  test("that bind us are proven by a test that is there", () => {
    const missing = requirements.flatMap(({ id, treatment }) =>
      treatment.kind === "ours" && !existsSync(new URL(treatment.provenBy, root))
        ? [`${id}: ${treatment.provenBy}`]
        : [],
    );
    expect(missing).toEqual([]);
    expect(idsWhere("ours").length).toBeGreaterThan(0);
  });

  test("are found by their id; an unknown one is our own mistake", () => {
    expect(requirement("errors.shape").id).toBe("errors.shape");
    expect(() => requirement("errors.none")).toThrow("no requirement has the id errors.none");
  });
});

describe("checks and rules", () => {
  test("have ids that are unique, and titles that are", () => {
    expect(doubled(checks.map(({ id }) => id))).toEqual([]);
    expect(doubled(checks.map(({ requirement: judged, title }) => `${judged}: ${title}`))).toEqual([]);
  });

  test("name a requirement that is judged, and begin with its id", () => {
    const judged = new Set<string>(idsWhere("judged"));
    for (const { id, requirement: named } of checks) {
      expect(judged, id).toContain(named);
      expect(id).toMatch(/^[a-z.-]+\/[a-z0-9-]+$/);
      expect(id.split("/")[0]).toBe(named);
    }
  });

  test("say how many requests they may send: a check at least one, a rule none", () => {
    const passive = new Set(rules.map(({ id }) => id));
    for (const { id, requests } of checks)
      if (passive.has(id)) expect(requests, id).toBe(0);
      else expect(requests, id).toBeGreaterThan(0);
  });

  test("have ids that stay as they are: --only, waivers and CI name them", async () => {
    const ids = checks.map(({ id }) => id).sort();
    await expect(`${ids.join("\n")}\n`).toMatchFileSnapshot("checks.snapshot.txt");
  });
});

test("every file of the suite is in its list", async () => {
  const files = readdirSync(fileURLToPath(new URL("conformance/suite/", root)))
    .filter((name) => name.endsWith(".check.ts"))
    .sort();
  const listed: unknown[] = [...suiteSections];
  for (const name of files) {
    const module: { default: unknown } = await import(new URL(`conformance/suite/${name}`, root).href);
    expect(listed, name).toContain(module.default);
  }
  expect(files).toHaveLength(listed.length);
});

test("every section of the suite has checks and stands in the list once", () => {
  expect(new Set(suiteSections).size).toBe(suiteSections.length);
  for (const { key, checks: own } of suiteSections) expect(own.length, key).toBeGreaterThan(0);
});
