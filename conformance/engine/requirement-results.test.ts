import { describe, expect, test } from "vitest";
import type { CheckResult } from "../../schemas/contracts/results.ts";
import { type CheckId, requirementOf } from "../requirements/all.ts";
import type { Listed } from "../suite/all.ts";
import { requirementResults } from "./requirement-results.ts";

const listed = (id: CheckId): Listed => ({
  id,
  requirement: requirementOf(id),
  title: `Title of ${id}`,
  section: "errors",
  heading: "Errors",
  requests: 1,
});

function result(id: string, verdict: CheckResult["verdict"]): CheckResult {
  return { id, title: `Title of ${id}`, verdict, findings: [], evidence: [] };
}

const one = "errors.shape/one";
const two = "errors.shape/two";

describe("a requirement", () => {
  test("has its checks in the order of the selection, with heading, level and statement", () => {
    const results = requirementResults(
      [listed(one), listed("retailer.name-given/x"), listed(two)],
      [result("retailer.name-given/x", "warn"), result(two, "pass"), result(one, "pass")],
    );
    expect(results.map(({ id, level, section }) => ({ id, level, section }))).toEqual([
      { id: "errors.shape", level: "must", section: "Errors" },
      { id: "retailer.name-given", level: "should", section: "Resources and their fields: Retailer" },
    ]);
    expect(results[0]?.checks.map(({ id }) => id)).toEqual([one, two]);
    expect(results[0]?.statement).toContain("{error: {code, message}}");
  });

  test.each<[CheckResult["verdict"], CheckResult["verdict"], CheckResult["verdict"]]>([
    ["pass", "pass", "pass"],
    ["pass", "fail", "fail"],
    ["error", "fail", "fail"],
    ["pass", "inconclusive", "inconclusive"],
    ["notApplicable", "pass", "pass"],
  ])("with the verdicts %s and %s is %s", (first, second, verdict) => {
    const [found] = requirementResults([listed(one), listed(two)], [result(one, first), result(two, second)]);
    expect(found?.verdict).toBe(verdict);
  });

  test.each<[string, readonly Partial<CheckResult>[], string | undefined]>([
    ["what the config lists as optional", [{ excused: "gtin" }, { verdict: "pass" }], "optional"],
    [
      "that, and what it avoids",
      [{ excused: "gtin" }, { findings: [{ code: "avoided", subject: "burst" }] }],
      "optional",
    ],
    ["what it avoids", [{ findings: [{ code: "avoided", subject: "burst" }] }], "avoided"],
    ["only a part of what was not judged", [{ excused: "gtin" }, {}], undefined],
    ["nothing that was judged", [{ verdict: "pass" }], undefined],
  ])("excused: %s", (_name, changes, excused) => {
    const ids = changes.map((_change, index): CheckId => `errors.shape/${index}`);
    const results = ids.map((id, index) => ({ ...result(id, "inconclusive"), ...changes[index] }));
    const [found] = requirementResults(ids.map(listed), results);
    expect(found?.excused).toBe(excused);
  });
});

describe("a check without a result", () => {
  test("is not judged, nor is its requirement: an interrupted run is never green", () => {
    const [found] = requirementResults([listed(one), listed(two)], [result(one, "pass")]);
    expect(found).toMatchObject({
      verdict: "inconclusive",
    });
    expect(found?.checks[1]).toEqual({
      id: two,
      title: `Title of ${two}`,
      verdict: "inconclusive",
      findings: [{ code: "not-reached" }],
      evidence: [],
    });
  });

  test("still leaves every selected requirement in the results", () => {
    const results = requirementResults([listed(one), listed("query.gtin/x")], []);
    expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "errors.shape inconclusive",
      "query.gtin inconclusive",
    ]);
  });
});
