import type { CTRFReport, Environment, Test } from "ctrf";
import { given } from "../../../../schemas/json.ts";
import { verdictLabels } from "../../../../schemas/verdicts.ts";
import { clip } from "../../../../schemas/words/format.ts";
import { plainProse, visibleText } from "../../text.ts";
import { type Case, type CaseOutcome, detailsRoom, detailsText, type Suite } from "./cases.ts";
import type { Report } from "./run-report.ts";
import { runSuite, suitesOf } from "./suites.ts";

const textLength = 1000;

type Within = ReturnType<typeof detailsRoom>;

/**
 * CTRF JSON (ctrf.io). Outcomes that are not the target's fault have the status `other`; `rawStatus` has the label of the
 * verdict. Cases without a duration (waivers, contract changes) have `duration` 0. `summary.extra.load` has the conditions
 * and figures of each load run.
 */
export function renderCtrf(report: Report): string {
  const { results, summary, label, cause, why } = report;
  const suites = suitesOf(report);
  const { target, command, exitCode, scope } = results;
  const requirements = Object.entries(verdictLabels).map(([verdict, name]) => [
    name,
    summary[verdict as keyof typeof summary],
  ]);
  return ctrfOf(results, {
    suites,
    appName: target.name,
    baseUrl: target.baseUrl,
    extra: {
      command,
      verdict: label,
      cause,
      why: text(plainProse(why)),
      exitCode,
      requirements: Object.fromEntries(requirements),
      scope,
      ...target,
      load: suites
        .filter(({ name, properties }) => name !== runSuite && properties !== undefined)
        .map(({ properties }) => properties),
    },
  });
}

interface CtrfParts {
  readonly suites: readonly Suite[];
  readonly appName: string;
  readonly baseUrl: string;
  /** Further facts about the run. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Suites of any subject as CTRF. */
export function ctrfOf(
  {
    tool,
    startedAt,
    finishedAt,
    environment,
  }: Pick<Report["results"], "tool" | "startedAt" | "finishedAt" | "environment">,
  { suites, appName, baseUrl, extra }: CtrfParts,
): string {
  const within = detailsRoom();
  const tests = suites.flatMap(({ name, cases }) => cases.map((one) => testOf(one, name, within)));
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
        flaky: tests.filter((test) => test.flaky === true).length,
        extra,
      },
      environment: environmentOf(environment, { appName, baseUrl }),
      tests,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function environmentOf(
  environment: Report["results"]["environment"],
  { appName, baseUrl }: Pick<CtrfParts, "appName" | "baseUrl">,
): Environment {
  const { commit, branch, jobUrl, host, node } = environment ?? {};
  return {
    appName: text(appName),
    testEnvironment: text(baseUrl),
    ...given({ commit }),
    ...given({
      branchName: branch === undefined ? undefined : text(branch),
      buildUrl: jobUrl === undefined ? undefined : text(jobUrl),
      extra: host === undefined ? undefined : { host, node },
    }),
  };
}

function testOf(
  { group, id, name, verdict, outcome, milliseconds = 0, level, attempts }: Case,
  suite: string,
  within: Within,
): Test {
  return {
    testId: text(id),
    name: text(name) || id,
    status: statusOf(outcome),
    rawStatus: verdict,
    duration: Math.round(milliseconds),
    suite: [text(suite), text(group)],
    ...given({
      tags: level === undefined ? undefined : [level],
      retries: attempts && attempts.total - 1,
      flaky: attempts && outcome.kind === "passed",
    }),
    ...messageOf(outcome, within),
  };
}

function statusOf({ kind }: CaseOutcome): Test["status"] {
  return kind === "error" ? "other" : kind;
}

function messageOf(outcome: CaseOutcome, within: Within): Pick<Test, "message" | "trace"> {
  switch (outcome.kind) {
    case "passed":
      return outcome.remark === undefined ? {} : { message: text(detailsText(outcome.remark())) };
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
