import { expect, test } from "vitest";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { CheckReport } from "../../conformance/engine/provided.ts";
import type { CheckResult } from "../../schemas/types.ts";
import { createReporter } from "./reporter.ts";

function reportOf(id: string, verdict: CheckResult["verdict"]): CheckReport {
  return {
    file: "Errors",
    requirement: "errors.shape",
    result: { id, title: id, verdict, reason: "", evidence: [] },
    traffic: { requests: { total: 0, byEndpoint: {} }, refused: 0, cost: { wall: 0, cpu: 0 } },
  };
}

/** As much of vitest's test as a reporter reads. */
function testCase(
  name: string,
  state: "passed" | "failed" | "skipped",
  { report, message }: { report?: CheckReport; message?: string } = {},
): TestCase {
  return {
    fullName: name,
    meta: () => (report === undefined ? {} : { conformance: report }),
    result: () => ({ state, errors: message === undefined ? undefined : [{ message }] }),
  } as unknown as TestCase;
}

function testModule(
  tests: readonly TestCase[],
  suites: readonly string[],
  errors: readonly string[] = [],
): TestModule {
  return {
    moduleId: "/repository/errors.check.ts",
    relativeModuleId: "errors.check.ts",
    errors: () => errors.map((message) => ({ message })),
    children: { allTests: () => tests, suites: () => suites.map((name) => ({ name })) },
  } as unknown as TestModule;
}

/** A reporter with its progress, its optional methods made certain. */
function started() {
  const lines: string[] = [];
  const { reporter, ...collected } = createReporter((line) => lines.push(line));
  const { onTestCaseResult, onTestModuleEnd, onTestRunEnd } = reporter as Required<Reporter>;
  return { lines, ...collected, onTestCaseResult, onTestModuleEnd, onTestRunEnd };
}

test("what tests hand back is collected in the order in which they end, whatever their state", async () => {
  const { onTestCaseResult, reports, troubles } = started();
  const [failed, passed, skipped] = [
    reportOf("a", "fail"),
    reportOf("b", "pass"),
    reportOf("c", "inconclusive"),
  ];
  await onTestCaseResult(testCase("a", "failed", { report: failed, message: "Title: reason" }));
  await onTestCaseResult(testCase("b", "passed", { report: passed }));
  await onTestCaseResult(testCase("c", "skipped", { report: skipped }));
  expect(reports()).toEqual([failed, passed, skipped]);
  // A failed check is a verdict, not a trouble.
  expect(troubles()).toEqual([]);
});

test("a test that fails without a report is a trouble, one that was skipped is none", async () => {
  const { onTestCaseResult, reports, troubles } = started();
  await onTestCaseResult(testCase("Errors > a", "failed", { message: "x is not a function" }));
  await onTestCaseResult(testCase("Errors > b", "failed"));
  await onTestCaseResult(testCase("Errors > not selected", "skipped"));
  expect(reports()).toEqual([]);
  expect(troubles()).toEqual(["Errors > a: x is not a function", "Errors > b: no message"]);
});

test("each section that ran is told in a line with its counts; one that was not selected is not", async () => {
  const { onTestModuleEnd, lines } = started();
  const tests = (["pass", "fail", "pass", "inconclusive"] as const).map((verdict) =>
    testCase("x", "passed", { report: reportOf("x", verdict) }),
  );
  await onTestModuleEnd(testModule(tests, ["Errors"]));
  await onTestModuleEnd(testModule(tests.slice(0, 1), []));
  await onTestModuleEnd(testModule([testCase("not selected", "skipped")], ["Limits"]));
  expect(lines).toEqual(["Errors: 2 pass, 1 fail, 1 inconclusive", "errors.check.ts: 1 pass"]);
});

test("errors of a file and those outside of any test are troubles", async () => {
  const { onTestModuleEnd, onTestRunEnd, troubles } = started();
  await onTestModuleEnd(testModule([], [], ["Cannot find module"]));
  await onTestRunEnd([], [{ message: "unhandled", name: "Error" }], "failed");
  expect(troubles()).toEqual(["/repository/errors.check.ts: Cannot find module", "unhandled"]);
});
