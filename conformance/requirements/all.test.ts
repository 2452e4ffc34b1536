import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { historyRules } from "../rules/history.ts";
import { rules } from "../rules/judge-all.ts";
import { listChecks, suiteSections } from "../suite/all.ts";
import { requirement, requirements } from "./all.ts";
import { sectionOf, sections } from "./requirement.ts";

const root = new URL("../../", import.meta.url);
const checks = listChecks();
const intended = "If this change is intended: npx vitest run conformance/requirements -u";

test("ids, statements and titles are given once", () => {
  const texts = [
    requirements.map(({ id }) => id),
    requirements.map(({ statement }) => statement),
    checks.map(({ id }) => id),
    checks.map(({ requirement: judged, title }) => `${judged}: ${title}`),
  ];
  for (const all of texts) expect(all.filter((text, index) => all.indexOf(text) !== index)).toEqual([]);
});

test("ids and treatments are stable: reports, waivers, --only and CI use them", async () => {
  const lines = requirements.map(({ id, level, treatment }) => `${id} ${level} ${treatment.kind}`);
  await expect(`${lines.sort().join("\n")}\n`, intended).toMatchFileSnapshot("all.snapshot.txt");
  const ids = checks.map(({ id }) => id).sort();
  await expect(`${ids.join("\n")}\n`, intended).toMatchFileSnapshot("checks.snapshot.txt");
});

test("requirements are of a section of the spec, with a quote, and with a reason when they are not judged", () => {
  expect(new Set(requirements.map(({ id }) => sectionOf(id)))).toEqual(new Set(Object.keys(sections)));
  for (const { id, quote, statement, treatment } of requirements) {
    expect(id).toMatch(/^[a-z-]+\.[a-z0-9-]+$/);
    expect(quote.trim(), id).not.toBe("");
    expect(statement, id).toMatch(/^.{10,}\.$/);
    if (treatment.kind === "excluded") expect(treatment.why, id).toMatch(/^.{10,}\.$/);
    if (treatment.kind === "gap") expect(treatment.what, id).toMatch(/.{10,}/);
  }
});

test("a requirement is judged by checks or rules exactly when it says so", () => {
  const judged = requirements.filter(({ treatment }) => treatment.kind === "judged").map(({ id }) => id);
  expect(new Set(checks.map((check) => check.requirement))).toEqual(new Set(judged));
});

test("a requirement is found by its id; an unknown id throws", () => {
  expect(requirement("errors.shape").id).toBe("errors.shape");
  expect(() => requirement("errors.none")).toThrow("no requirement has the id errors.none");
});

test("checks send at least one request, and rules none", () => {
  const passive = new Set([...rules, ...historyRules].map(({ id }) => id));
  for (const { id, requests } of checks) {
    expect(id).toMatch(/^[a-z.-]+\/[a-z0-9-]+$/);
    expect(requests > 0, id).toBe(!passive.has(id));
  }
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
