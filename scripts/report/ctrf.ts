import type { CTRFReport, Test } from "ctrf";
import { verdictLabels } from "../../schemas/verdicts.ts";
import { clip } from "../../schemas/words/format.ts";
import { type Case, type CaseOutcome, detailsRoom, suitesOf } from "./cases.ts";
import type { Report } from "./model.ts";
import { visibleText } from "./text.ts";

const textLength = 1000;

type Within = ReturnType<typeof detailsRoom>;

/**
 * CTRF JSON (ctrf.io). What was not the target's fault has the status `other`; the verdict by its label is in
 * `rawStatus`. Checks are not timed one by one, so that their `duration` is 0; the run's is in `summary`.
 */
export function renderCtrf(report: Report): string {
  const { results, summary, label, cause, why } = report;
  const suites = suitesOf(report);
  const within = detailsRoom();
  const tests = suites.flatMap(({ name, cases }) => cases.map((one) => testOf(one, name, within)));
  const { tool, target, command, exitCode, startedAt, finishedAt } = results;
  const requirements = Object.entries(verdictLabels).map(([verdict, name]) => [
    name,
    summary[verdict as keyof typeof summary],
  ]);
  const [start, stop] = [Date.parse(startedAt), Date.parse(finishedAt)];
  const count = (status: Test["status"]) => tests.filter((test) => test.status === status).length;
  const document: CTRFReport = {
    reportFormat: "CTRF",
    specVersion: "0.0.0",
    generatedBy: `${tool.name} ${tool.version}`,
    timestamp: finishedAt,
    results: {
      tool: { name: tool.name, version: tool.version },
      summary: {
        tests: tests.length,
        passed: count("passed"),
        failed: count("failed"),
        skipped: count("skipped"),
        pending: 0,
        other: count("other"),
        suites: suites.length,
        start,
        stop,
        duration: Math.max(0, stop - start),
        extra: {
          command,
          verdict: label,
          cause,
          why: text(why),
          exitCode,
          requirements: Object.fromEntries(requirements),
          ...target,
        },
      },
      tests,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function testOf({ group, id, name, verdict, outcome }: Case, suite: string, within: Within): Test {
  return {
    testId: text(id),
    name: text(name) || id,
    status: statusOf(outcome),
    rawStatus: verdict,
    duration: 0,
    suite: [text(suite), text(group)],
    ...messageOf(outcome, within),
  };
}

function statusOf({ kind }: CaseOutcome): Test["status"] {
  return kind === "error" ? "other" : kind;
}

function messageOf(outcome: CaseOutcome, within: Within): Pick<Test, "message" | "trace"> {
  switch (outcome.kind) {
    case "passed":
      return outcome.remark === undefined ? {} : { message: text(outcome.remark()) };
    case "skipped":
      return { message: text(outcome.message) };
    case "failed":
    case "error":
      return { message: text(outcome.message), trace: within(outcome.details) };
    default:
      return outcome satisfies never;
  }
}

function text(of: string): string {
  return visibleText(clip(of, textLength));
}
