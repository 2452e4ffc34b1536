import { describe, expect, test } from "vitest";
import type { CheckReport } from "../../conformance/engine/provided.ts";
import type { Listed } from "../../conformance/suite/all.ts";
import type { CheckResult } from "../../schemas/types.ts";
import { requirementResults } from "./requirement-results.ts";

const listed = (id: string): Listed => ({
  id,
  requirement: id.split("/")[0] ?? "",
  title: `Title of ${id}`,
  section: "errors",
  requests: 1,
});

function report(id: string, verdict: CheckResult["verdict"], reason = ""): CheckReport {
  return {
    file: "Errors",
    requirement: id.split("/")[0] ?? "",
    result: { id, title: `Title of ${id}`, verdict, reason, evidence: [] },
    traffic: { requests: { total: 1, byEndpoint: {} }, refused: 0, cost: { wall: 0, cpu: 0 } },
  };
}

const one = "errors.shape/one";
const two = "errors.shape/two";

describe("a requirement", () => {
  test("gathers its checks in the order of the selection, with heading, level and words of the catalogue", () => {
    const results = requirementResults(
      [listed(one), listed("retailer.name-given/x"), listed(two)],
      [report("retailer.name-given/x", "warn", "none"), report(two, "pass"), report(one, "pass", "fine")],
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
  ])("with checks that say %s and %s says %s", (first, second, verdict) => {
    const [result] = requirementResults(
      [listed(one), listed(two)],
      [report(one, first), report(two, second)],
    );
    expect(result?.verdict).toBe(verdict);
  });

  test("gives the reasons of the checks that decided, each once, and of no others", () => {
    const three = "errors.shape/three";
    const [result] = requirementResults(
      [listed(one), listed(two), listed(three)],
      [report(one, "fail", "no code"), report(two, "pass", "fine"), report(three, "fail", "no code")],
    );
    expect(result?.reason).toBe("no code");
    const [silent] = requirementResults(
      [listed(one), listed(two)],
      [report(one, "pass", ""), report(two, "pass", "answered 404")],
    );
    expect(silent?.reason).toBe("answered 404");
  });

  test("of a check that was not selected is not there, even if it reported", () => {
    const [result, ...others] = requirementResults([listed(one)], [report(one, "pass"), report(two, "fail")]);
    expect(result).toMatchObject({ verdict: "pass", checks: [{ id: one }] });
    expect(others).toEqual([]);
  });
});

describe("a check that did not report", () => {
  test("is inconclusive, says so, and makes its requirement so: a broken-off run is never green", () => {
    const [result] = requirementResults([listed(one), listed(two)], [report(one, "pass")]);
    expect(result).toMatchObject({
      verdict: "inconclusive",
      reason: "The run ended before this check. Run again.",
    });
    expect(result?.checks[1]).toEqual({
      id: two,
      title: `Title of ${two}`,
      verdict: "inconclusive",
      reason: "The run ended before this check. Run again.",
      evidence: [],
    });
  });

  test("does not hide a failure that was seen", () => {
    const [result] = requirementResults([listed(one), listed(two)], [report(two, "fail", "blue")]);
    expect(result).toMatchObject({ verdict: "fail", reason: "blue" });
  });

  test("leaves every selected requirement in the results when none did", () => {
    const results = requirementResults([listed(one), listed("query.gtin/x")], []);
    expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "errors.shape inconclusive",
      "query.gtin inconclusive",
    ]);
  });
});
