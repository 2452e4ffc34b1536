import { type CTRFReport, validate } from "ctrf";
import { expect, test } from "vitest";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { eventfulResults, exampleEvidence } from "../../../../test/support/samples/eventful.ts";
import { exampleRequirement, exampleResults } from "../../../../test/support/samples/example.ts";
import { hostileTexts } from "../../../../test/support/samples/hostile.ts";
import { renderCtrf as renderReport } from "./ctrf.ts";
import { reportOf } from "./run-report.ts";

const renderCtrf = (results: Results) => renderReport(reportOf(results));

function read(text: string): CTRFReport {
  const report: CTRFReport = JSON.parse(text);
  expect(validate(report).errors ?? []).toEqual([]);
  return report;
}

test.each<[string, Results]>([
  ["a good run", exampleResults()],
  ["a run that judged nothing", exampleResults({ requirements: [] })],
  ["a run in which everything happens", eventfulResults()],
  ...hostileTexts.map(
    (text) => [JSON.stringify(text), eventfulResults(` ${text} `)] satisfies [string, Results],
  ),
])("%s fits the schema of CTRF", (_name, results) => {
  const text = renderCtrf(results);
  const { summary, tests } = read(text).results;
  expect(summary.tests).toBe(tests.length);
  expect(summary.passed + summary.failed + summary.skipped + summary.other).toBe(tests.length);
  expect(/[\p{Cc}\p{Cf}\p{Cs}]/u.test(JSON.stringify(tests))).toBe(false);
});

test("the schema rejects an invalid report", () => {
  const report = JSON.parse(renderCtrf(exampleResults()));
  expect(validate({ ...report, results: { ...report.results, tests: [{ name: "x" }] } }).valid).toBe(false);
});

test("each verdict has a status and its label", () => {
  const { tests, summary } = read(renderCtrf(eventfulResults())).results;
  const of = (id: string) => {
    const { status, rawStatus, message } = tests.find(({ testId }) => testId === id) ?? {};
    return [status, rawStatus, message];
  };
  expect(of("errors.pass/one")).toEqual(["passed", "passed", undefined]);
  expect(of("errors.fail/one")).toEqual(["failed", "failed", "reason of fail"]);
  expect(of("errors.warn/one").slice(0, 2)).toEqual(["passed", "warning"]);
  expect(of("errors.inconclusive/one")).toEqual([
    "skipped",
    "not judged",
    "not judged: reason of inconclusive",
  ]);
  expect(of("errors.error/one")).toEqual(["other", "error", "reason of error"]);
  expect(of("limits.waived/one")[0]).toBe("skipped");
  expect(of("waiver/limits.stale").slice(0, 2)).toEqual(["failed", "stale"]);
  expect(of("drift.field-breaking/title").slice(0, 2)).toEqual(["failed", "breaking"]);
  expect(of("load.lookup.own/Iterations not started, at most 0").slice(0, 2)).toEqual(["other", "failed"]);
  expect(summary.extra).toMatchObject({
    verdict: "not conformant",
    cause: "requirement-failed",
    exitCode: 1,
    name: "staging",
  });
  expect(summary.duration).toBe(5000);
});

test("ids are unique", () => {
  const ids = read(renderCtrf(eventfulResults())).results.tests.map(({ testId }) => testId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("megabytes are cut, and many failures stay below the size limit", () => {
  const evidence = [exampleEvidence("\u202E".repeat(4000)), exampleEvidence('"'.repeat(1_000_000))];
  const requirements = Array.from({ length: 5000 }, (_, number) =>
    exampleRequirement({
      id: `failing.${number}`,
      verdict: "fail",
      checks: [
        {
          id: `failing.${number}/one`,
          title: "one",
          verdict: "fail",
          findings: [{ code: "recorded", subject: "410" }],
          evidence,
        },
      ],
    }),
  );
  const text = renderCtrf(exampleResults({ requirements }));
  expect(Buffer.byteLength(text)).toBeLessThan(10_000_000);
  expect(text).toContain("see report.html");
});
