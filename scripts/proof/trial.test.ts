import { describe, expect, test } from "vitest";
import type { CheckResult } from "../../schemas/types.ts";
import { caught, type Expectation, unproven } from "./expectation.ts";
import { judgeFault, judgeVariant } from "./trial.ts";

const check = (id: string, verdict: CheckResult["verdict"]): CheckResult => ({
  id,
  verdict,
  title: "",
  reason: "why",
  evidence: [],
});
const [expected] = caught("query.limit/1", ["fault"], { "query.paging": "pages are longer" }) as [
  Expectation,
];

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

  test("a warning is red where the requirement is only a SHOULD", () => {
    const [entry] = caught("retailer.name-given/every-entry", ["name-missing"]) as [Expectation];
    expect(judgeFault(entry, [check("retailer.name-given/every-entry", "warn")]).verdict).toBe("caught");
  });

  test("one that is known not to be caught is unproven, and stale once it is caught", () => {
    const entry = unproven("fault", "no check yet");
    expect(judgeFault(entry, [check("query.limit/1", "pass")])).toMatchObject({
      verdict: "unproven",
      findings: ["no check yet"],
    });
    expect(judgeFault(entry, [check("query.limit/1", "fail")]).verdict).toBe("stale");
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
    expect(judgeVariant([check("query.limit/1", verdict)]).verdict).toBe(expectedVerdict);
  });

  test("what is named may stay unjudged, but never be red", () => {
    const said = {
      ...check("query.limit/1", "inconclusive"),
      reason: "no product seen carries a GTIN. Give one.",
    };
    expect(judgeVariant([said], ["carries a GTIN"]).verdict).toBe("clean");
    expect(judgeVariant([said], ["carries a URL"]).verdict).toBe("blamed");
    expect(judgeVariant([{ ...said, verdict: "fail" }], ["carries a GTIN"]).verdict).toBe("blamed");
  });
});
