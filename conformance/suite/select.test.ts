import { expect, test } from "vitest";
import { type CheckId, requirementOf } from "../requirements/all.ts";
import { sectionOf } from "../requirements/requirement.ts";
import { type Listed, listChecks, namesOf, selectChecks } from "./all.ts";

const shape = "errors.shape/every-response";
const route = "errors.shape/unknown-route";
const code = "errors.not-found/code";
const known = "query.gtin/known";
const all = ([shape, route, code, known] satisfies CheckId[]).map((id): Listed => {
  const section = sectionOf(id);
  return { id, requirement: requirementOf(id), title: id, section, heading: section, part: 0, requests: 1 };
});

test.each<[only: string[], skip: string[], ids: string[]]>([
  [[], [], [shape, route, code, known]],
  [[known], [], [known]],
  [["errors.shape"], [], [shape, route]],
  [["errors"], [], [shape, route, code]],
  [["Errors"], [], [shape, route, code]],
  [["endpoints: get /v1/products (QUERY-driven)"], [], [known]],
  // In the order of the suite, without duplicates.
  [["query", "errors.not-found", code], [], [code, known]],
  [[], ["errors"], [known]],
  [["errors"], ["errors.shape"], [code]],
  [["errors.shape"], [route], [shape]],
])("--only %j and --skip %j select %j", (only, skip, ids) => {
  expect(selectChecks(all, { only, skip }).map(({ id }) => id)).toEqual(ids);
});

test("every requirement, check and section of the suite can be selected", () => {
  const checks = listChecks();
  for (const name of new Set(checks.flatMap(({ id, requirement, section }) => [id, requirement, section])))
    expect(selectChecks(checks, { only: [name], skip: [] }).length, name).toBeGreaterThan(0);
});

test("lists all names once, and no requirement that has no check", () => {
  const sections = ["errors", "query", "Endpoints: GET /v1/products (query-driven)"];
  const ids = ["errors.shape", "errors.not-found", "query.gtin", shape, route, code, known];
  expect(namesOf(all)).toEqual([...sections, ...ids]);
  for (const name of ["service.allow-list", "page.opaque-cursor", "limits.numbers"])
    expect(namesOf(listChecks())).not.toContain(name);
});
