import { describe, expect, test } from "vitest";
import type { CheckResult, RequirementResult, Results } from "../../schemas/types.ts";
import { exampleCheck, exampleLoad, exampleRequirement, exampleResults } from "../run/example.ts";
import { reportOf } from "./model.ts";

function unjudged(id: string, ...causes: readonly string[]): RequirementResult {
  const checks = causes.map((says, at) => exampleCheck({ id: `${id}/${at}`, verdict: "inconclusive", says }));
  return exampleRequirement({ id, verdict: "inconclusive", checks });
}

const told = (requirements: readonly RequirementResult[]) =>
  reportOf(exampleResults({ requirements: [...requirements] })).notJudgedCauses.map(
    ({ cause, requirements: own, also }) => [cause, own.map(({ id }) => id), also.map(({ id }) => id)],
  );

test("a requirement reads as the checks that decided it, each text once, and no others", () => {
  const checkThat = (verdict: CheckResult["verdict"], says: string) => exampleCheck({ verdict, says });
  const textOf = (verdict: CheckResult["verdict"], ...checks: readonly CheckResult[]) => {
    const requirement = exampleRequirement({ verdict, checks: [...checks] });
    const { sections } = reportOf(exampleResults({ requirements: [requirement] }));
    return sections[0]?.requirements[0]?.text;
  };
  const failures = [checkThat("fail", "No code."), checkThat("pass", "Fine."), checkThat("fail", "No code.")];
  expect(textOf("fail", ...failures)).toBe("No code.");
  expect(textOf("pass", exampleCheck(), checkThat("pass", "Returned 404."))).toBe("Returned 404.");
});

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

  test("a check that was judged is no cause", () => {
    const passed = unjudged("a", "no category");
    const checks = [...passed.checks, exampleCheck({ id: "a/p", says: "held" })];
    expect(told([{ ...passed, checks }, unjudged("b", "ended")])).toEqual([
      ["no category", ["a"], []],
      ["ended", ["b"], []],
    ]);
  });
});

describe("the command to run next can be copied as it stands", () => {
  const nextOf = (cause: NonNullable<Results["cause"]>, change: Partial<Results> = {}) =>
    reportOf(exampleResults({ cause, ...change }), { run: "2026-run" }).next;
  const failing = exampleRequirement({ id: "a", verdict: "fail" });
  const builtIn = { ...exampleResults().target, builtIn: true as const };

  test.each<[NonNullable<Results["cause"]>, Partial<Results>, string]>([
    ["requirement-failed", { requirements: [failing] }, "shelfcheck replay 2026-run a"],
    ["contract-broken", {}, "shelfcheck baseline accept 2026-run"],
    ["waiver-stale", {}, "shelfcheck gate"],
    ["waiver-expired", { command: "conformance" }, "shelfcheck conformance"],
    ["load-not-sent", {}, "shelfcheck doctor"],
    ["not-judged", { target: builtIn }, "shelfcheck doctor --target embedded"],
    [
      "latency-slower",
      { load: [exampleLoad({ verdict: "slower" })], target: builtIn },
      "shelfcheck load --scenario lookup --profile smoke --target embedded",
    ],
  ])("%s", (cause, change, command) => {
    expect(nextOf(cause, change)).toBe(command);
  });
});
