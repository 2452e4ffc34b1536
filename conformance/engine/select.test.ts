import { describe, expect, test } from "vitest";
import { type CheckId, requirementOf } from "../requirements/all.ts";
import { sectionOf } from "../requirements/requirement.ts";
import { type Listed, listChecks } from "../suite/all.ts";
import { SelectionError, type SelectionMistake, selectChecks } from "./select.ts";

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

describe("a mistake", () => {
  /** The mistake in a selection. */
  function mistakeOf(only: readonly string[], skip: readonly string[], checks = all): SelectionMistake {
    try {
      selectChecks(checks, { only, skip });
    } catch (error) {
      if (error instanceof SelectionError) return error.mistake;
      throw error;
    }
    return expect.fail("nothing was wrong");
  }

  const unknown = ["errors.shap", "Errors.shape", "query.gtin/knwon", "", " ", "errors.", "errors.shape/"];
  test.each([...unknown, "constructor"])("%j is unknown", (name) => {
    expect(mistakeOf([name], [])).toMatchObject({ kind: "unknown name", list: "only", name });
  });

  test("is also found in --skip, beside correct names", () => {
    expect(mistakeOf(["errors"], ["query.gtin", "gtni"])).toMatchObject({ list: "skip", name: "gtni" });
  });

  test("lists all names once, and no requirement that has no check", () => {
    expect(mistakeOf(["zzz"], [])).toMatchObject({
      known: [
        "errors",
        "query",
        "Endpoints: GET /v1/products (query-driven)",
        "errors.shape",
        "errors.not-found",
        "query.gtin",
        shape,
        route,
        code,
        known,
      ],
    });
    const mistake = mistakeOf(["zzz"], [], [...listChecks()]);
    for (const name of ["service.allow-list", "page.opaque-cursor", "limits.numbers"])
      expect(mistake.kind === "unknown name" && mistake.known).not.toContain(name);
  });

  test.each([
    [["errors.shape"], ["errors"]],
    [[], ["errors", "query"]],
  ])("only %j and skip %j leave nothing", (only, skip) => {
    expect(mistakeOf(only, skip)).toEqual({ kind: "nothing left", selection: { only, skip } });
  });
});
