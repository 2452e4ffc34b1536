import { describe, expect, test } from "vitest";
import type { RequirementResult } from "../../schemas/types.ts";
import { exampleRequirement, exampleResults } from "../run/example.ts";
import { reportOf } from "./model.ts";

function unjudged(id: string, ...causes: readonly string[]): RequirementResult {
  const checks = causes.map((reason, at) => ({
    id: `${id}/${at}`,
    title: "",
    verdict: "inconclusive" as const,
    reason,
    evidence: [],
  }));
  return { ...exampleRequirement({ id, verdict: "inconclusive" }), checks, reason: causes.join("; ") };
}

const told = (requirements: readonly RequirementResult[]) =>
  reportOf(exampleResults({ requirements: [...requirements] })).notJudgedCauses.map(
    ({ cause, requirements: own, also }) => [cause, own.map(({ id }) => id), also.map(({ id }) => id)],
  );

describe("causes of what was not judged", () => {
  test("the cause that concerns most comes first, and none is told twice in other company", () => {
    const causes = told([
      unjudged("a", "no second key"),
      unjudged("b", "no other key", "no second key", "no other key"),
      unjudged("c", "no other key"),
      unjudged("d", "no other key"),
    ]);
    expect(causes).toEqual([
      ["no other key", ["b", "c", "d"], []],
      ["no second key", ["a"], ["b"]],
    ]);
  });

  test("a check that was judged is no cause, and without checks the requirement's own reason is", () => {
    const passed = unjudged("a", "no category");
    const checks = [...passed.checks, { ...passed.checks[0], id: "a/p", verdict: "pass", reason: "held" }];
    expect(told([{ ...passed, checks } as RequirementResult, { ...unjudged("b"), reason: "ended" }])).toEqual(
      [
        ["no category", ["a"], []],
        ["ended", ["b"], []],
      ],
    );
  });
});
