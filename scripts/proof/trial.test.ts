import { describe, expect, test } from "vitest";
import type { CheckResult } from "../../schemas/types.ts";
import { judgeFault, judgeVariant } from "./trial.ts";

const check = (id: string, verdict: CheckResult["verdict"]): CheckResult => ({
  id,
  verdict,
  title: "",
  findings: [{ code: "recorded", subject: "Why." }],
  evidence: [],
});
const expected = { fails: ["query.limit/1"], mayFail: { "query.paging": "pages are longer" } };

describe("a fault", () => {
  test.each<[string, CheckResult[], string]>([
    ["its check alone", [check("query.limit/1", "fail"), check("query.limit/3", "pass")], "caught"],
    [
      "another check of its requirement too",
      [check("query.limit/1", "fail"), check("query.limit/3", "fail")],
      "caught",
    ],
    [
      "a consequence that is allowed",
      [check("query.limit/1", "fail"), check("query.paging/no-repeats", "fail")],
      "caught",
    ],
    [
      "something unrelated too",
      [check("query.limit/1", "fail"), check("by-id.product/every-retailer", "fail")],
      "blamed",
    ],
    [
      "only another check of its requirement",
      [check("query.limit/1", "pass"), check("query.limit/3", "fail")],
      "missed",
    ],
    ["a flaky warning on a MUST", [check("query.limit/1", "warn")], "missed"],
    ["nothing judged", [check("query.limit/1", "inconclusive")], "missed"],
    ["its check did not run", [], "missed"],
    ["a check that crashed", [check("query.limit/1", "fail"), check("query.limit/3", "error")], "broke"],
  ])("%s", (_name, checks, verdict) => {
    const judged = judgeFault(expected, checks);
    expect(judged.verdict).toBe(verdict);
    expect(judged.findings.length > 0).toBe(verdict !== "caught");
  });

  test("a warning counts where the requirement is only a SHOULD", () => {
    const should = { fails: ["retailer.name-given/every-entry"] };
    expect(judgeFault(should, [check("retailer.name-given/every-entry", "warn")]).verdict).toBe("caught");
  });

  test("what is wrong is data: the problem, the check and what it says", () => {
    const checks = [check("query.limit/1", "pass"), check("by-id.product/every-retailer", "fail")];
    expect(judgeFault(expected, checks).findings).toEqual([
      { problem: "missed", check: "query.limit/1", verdict: "pass", detail: "Why." },
      { problem: "blamed", check: "by-id.product/every-retailer", verdict: "fail", detail: "Why." },
    ]);
    expect(judgeFault(expected, []).findings).toEqual([{ problem: "missed", check: "query.limit/1" }]);
  });
});

describe("a variant", () => {
  test.each<[CheckResult["verdict"], string]>([
    ["pass", "clean"],
    ["notApplicable", "clean"],
    ["fail", "blamed"],
    ["warn", "blamed"],
    ["inconclusive", "blamed"],
    ["error", "broke"],
  ])("a check says %s: %s", (verdict, expectedVerdict) => {
    expect(judgeVariant({}, [check("query.limit/1", verdict)]).verdict).toBe(expectedVerdict);
  });

  test("a check that is named may stay not judged, but must not fail", () => {
    const named = { mayStayUnjudged: ["query.limit/1"] } as const;
    expect(judgeVariant(named, [check("query.limit/1", "inconclusive")]).verdict).toBe("clean");
    expect(judgeVariant(named, [check("query.limit/3", "inconclusive")]).verdict).toBe("blamed");
    expect(judgeVariant(named, [check("query.limit/1", "fail")]).verdict).toBe("blamed");
  });
});
