import { describe, expect, test } from "vitest";
import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import { UsageError } from "../errors.ts";
import { selectChecks } from "./select.ts";

const listed = (id: string, section: Listed["section"]): Listed => ({
  id,
  requirement: id.split("/")[0] ?? "",
  title: id,
  section,
  requests: 1,
});

const all = [
  listed("errors.shape/every-answer", "errors"),
  listed("errors.shape/unknown-route", "errors"),
  listed("errors.not-found/code", "errors"),
  listed("query.gtin/known", "query"),
];
const idsOf = (only: readonly string[], skip: readonly string[] = []) =>
  selectChecks(all, { only, skip }).map(({ id }) => id);

describe("selecting", () => {
  test("nothing named selects all, in their order", () => {
    expect(idsOf([])).toEqual(all.map(({ id }) => id));
  });

  test.each([
    [["query.gtin/known"], ["query.gtin/known"]],
    [["errors.shape"], ["errors.shape/every-answer", "errors.shape/unknown-route"]],
    [["errors"], ["errors.shape/every-answer", "errors.shape/unknown-route", "errors.not-found/code"]],
    // In the order of the suite, and each once.
    [
      ["query", "errors.not-found", "errors.not-found/code"],
      ["errors.not-found/code", "query.gtin/known"],
    ],
  ])("--only %j selects %j", (only, ids) => {
    expect(idsOf(only)).toEqual(ids);
  });

  test("--skip takes away from what --only leaves", () => {
    expect(idsOf([], ["errors"])).toEqual(["query.gtin/known"]);
    expect(idsOf(["errors"], ["errors.shape"])).toEqual(["errors.not-found/code"]);
    expect(idsOf(["errors.shape"], ["errors.shape/unknown-route"])).toEqual(["errors.shape/every-answer"]);
  });

  test("every requirement, check and section of the real suite can be named", () => {
    const checks = listChecks();
    for (const name of new Set(checks.flatMap(({ id, requirement, section }) => [id, requirement, section])))
      expect(selectChecks(checks, { only: [name], skip: [] }).length, name).toBeGreaterThan(0);
  });
});

/** What selecting so says is wrong. */
function mistakeOf(
  only: readonly string[],
  skip: readonly string[],
  checks: readonly Listed[] = all,
): UsageError {
  try {
    selectChecks(checks, { only, skip });
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  return expect.fail("nothing was wrong");
}

describe("a mistake", () => {
  test.each([
    ["errors.shap", "Did you mean errors.shape?"],
    ["Errors", "Did you mean errors?"],
    ["query.gtin/knwon", "Did you mean query.gtin/known?"],
    ["error", "Did you mean errors?"],
  ])("--only %s: %s", (name, mend) => {
    expect(mistakeOf([name], [])).toMatchObject({ exitCode: 2, where: `--only ${name}`, mend });
  });

  test("in --skip is a mistake too, also beside what is right", () => {
    expect(mistakeOf(["errors"], ["query.gtin", "gtni"])).toMatchObject({ where: "--skip gtni" });
  });

  test("that is near nothing gets the list of what there is, each once", () => {
    const { mend } = mistakeOf(["zzzzzzzzzzzzzzzzzzzzzzzz"], []);
    expect(mend).toBe(
      "Known: errors, query, errors.shape, errors.not-found, query.gtin, errors.shape/every-answer, errors.shape/unknown-route, errors.not-found/code, query.gtin/known.",
    );
  });

  test.each(["", " ", "errors.", "errors.shape/", "constructor"])("%j names nothing", (name) => {
    expect(mistakeOf([name], []).exitCode).toBe(2);
  });

  test("to select a requirement that nothing judges is not answered with its own name", () => {
    for (const name of ["service.allow-list", "page.opaque-cursor", "limits.numbers"]) {
      const { what, mend } = mistakeOf([name], [], listChecks());
      expect(what).toContain("that has checks");
      expect(mend).not.toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  test("to skip all that is left: nothing is selected, and both flags are named", () => {
    expect(mistakeOf(["errors.shape"], ["errors"])).toMatchObject({
      exitCode: 2,
      what: "nothing is selected",
      where: "--only errors.shape --skip errors",
    });
    expect(mistakeOf([], ["errors", "query"])).toMatchObject({ where: "--skip errors --skip query" });
  });
});
