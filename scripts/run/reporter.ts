import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { CheckReport } from "../../conformance/engine/provided.ts";

/** Collects what the tests hand back, and says after each section how it went. */
export interface CollectingReporter {
  readonly reporter: Reporter;
  reports(): readonly CheckReport[];
  /** Errors outside of any check, and tests that ended without a report. */
  troubles(): readonly string[];
}

export function createReporter(progress: (line: string) => void): CollectingReporter {
  const reports: CheckReport[] = [];
  const troubles: string[] = [];
  return {
    reports: () => reports,
    troubles: () => troubles,
    reporter: {
      onTestCaseResult(test) {
        const report = test.meta().conformance;
        if (report !== undefined) reports.push(report);
        else if (test.result().state === "failed") troubles.push(`${test.fullName}: ${messageOf(test)}`);
      },
      onTestModuleEnd(module) {
        for (const error of module.errors()) troubles.push(`${module.moduleId}: ${error.message}`);
        const line = renderSection(module);
        if (line !== undefined) progress(line);
      },
      onTestRunEnd(_modules, unhandled) {
        for (const error of unhandled) troubles.push(error.message);
      },
    },
  };
}

function messageOf(test: TestCase): string {
  return test.result().errors?.[0]?.message ?? "no message";
}

function renderSection(module: TestModule): string | undefined {
  const verdicts = [...module.children.allTests()].flatMap(
    (test) => test.meta().conformance?.result.verdict ?? [],
  );
  if (verdicts.length === 0) return undefined;
  const heading = [...module.children.suites()][0]?.name ?? module.relativeModuleId;
  const counts = [...Map.groupBy(verdicts, (verdict) => verdict)].map(
    ([verdict, all]) => `${all.length} ${verdict}`,
  );
  return `${heading}: ${counts.join(", ")}`;
}
