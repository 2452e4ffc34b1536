import { describe, expect, test } from "vitest";
import { type CheckId, requirementOf } from "../requirements/all.ts";
import { type Listed, listChecks } from "../suite/all.ts";
import { SelectionError, type SelectionMistake, selectChecks } from "./select.ts";

const listed = (id: CheckId, section: Listed["section"]): Listed => ({
  id,
  requirement: requirementOf(id),
  title: id,
  section,
  heading: section,
  requests: 1,
});

const all = [
  listed("errors.shape/every-response", "errors"),
  listed("errors.shape/unknown-route", "errors"),
  listed("errors.not-found/code", "errors"),
  listed("query.gtin/known", "query"),
];
const idsOf = (only: readonly string[], skip: readonly string[] = []) =>
  selectChecks(all, { only, skip }).map(({ id }) => id);

describe("selecting", () => {
  test("without names, everything is selected in order", () => {
    expect(idsOf([])).toEqual(all.map(({ id }) => id));
  });

  test.each([
    [["query.gtin/known"], ["query.gtin/known"]],
    [["errors.shape"], ["errors.shape/every-response", "errors.shape/unknown-route"]],
    [["errors"], ["errors.shape/every-response", "errors.shape/unknown-route", "errors.not-found/code"]],
    [["Errors"], ["errors.shape/every-response", "errors.shape/unknown-route", "errors.not-found/code"]],
    [["endpoints: get /v1/products (QUERY-driven)"], ["query.gtin/known"]],
    // In the order of the suite, without duplicates.
    [
      ["query", "errors.not-found", "errors.not-found/code"],
      ["errors.not-found/code", "query.gtin/known"],
    ],
  ])("--only %j selects %j", (only, ids) => {
    expect(idsOf(only)).toEqual(ids);
  });

  test("--skip removes from the selection of --only", () => {
    expect(idsOf([], ["errors"])).toEqual(["query.gtin/known"]);
    expect(idsOf(["errors"], ["errors.shape"])).toEqual(["errors.not-found/code"]);
    expect(idsOf(["errors.shape"], ["errors.shape/unknown-route"])).toEqual(["errors.shape/every-response"]);
  });

  test("every requirement, check and section of the suite can be selected", () => {
    const checks = listChecks();
    for (const name of new Set(checks.flatMap(({ id, requirement, section }) => [id, requirement, section])))
      expect(selectChecks(checks, { only: [name], skip: [] }).length, name).toBeGreaterThan(0);
  });
});

/** The mistake in a selection. */
function mistakeOf(
  only: readonly string[],
  skip: readonly string[],
  checks: readonly Listed[] = all,
): SelectionMistake {
  try {
    selectChecks(checks, { only, skip });
  } catch (error) {
    if (error instanceof SelectionError) return error.mistake;
    throw error;
  }
  return expect.fail("nothing was wrong");
}

describe("a mistake", () => {
  test.each([
    "errors.shap",
    "Errors.shape",
    "query.gtin/knwon",
    "",
    " ",
    "errors.",
    "errors.shape/",
    "constructor",
  ])("%j is unknown", (name) => {
    expect(mistakeOf([name], [])).toMatchObject({ kind: "unknown name", list: "only", name });
  });

  test("is also found in --skip, beside correct names", () => {
    expect(mistakeOf(["errors"], ["query.gtin", "gtni"])).toMatchObject({ list: "skip", name: "gtni" });
  });

  test("lists all names once", () => {
    expect(mistakeOf(["zzz"], [])).toMatchObject({
      known: [
        ...["errors", "query", "Endpoints: GET /v1/products (query-driven)"],
        ...["errors.shape", "errors.not-found", "query.gtin"],
        ...["errors.shape/every-response", "errors.shape/unknown-route", "errors.not-found/code"],
        "query.gtin/known",
      ],
    });
  });

  test("that names an excluded requirement does not suggest it", () => {
    for (const name of ["service.allow-list", "page.opaque-cursor", "limits.numbers"]) {
      const mistake = mistakeOf([name], [], listChecks());
      expect(mistake.kind === "unknown name" && mistake.known).not.toContain(name);
    }
  });

  test.each([
    [["errors.shape"], ["errors"]],
    [[], ["errors", "query"]],
  ])("only %j and skip %j leave nothing", (only, skip) => {
    expect(mistakeOf(only, skip)).toEqual({ kind: "nothing left", selection: { only, skip } });
  });
});
