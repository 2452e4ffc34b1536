import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { type EndedRun, judgeRun } from "./judge.ts";

type Thresholds = [metric: string, expression: string][];

function facts(code: number, crossed: Thresholds = [], changes: Partial<EndedRun> = {}): EndedRun {
  return {
    exit: { code, interrupted: false, errors: [] },
    profile: profiles.smoke,
    summary: {
      schemaVersion: 1,
      scenario: "lookup",
      profile: "smoke",
      seed: 1,
      plannedIterations: 40,
      durationMilliseconds: 4000,
      metrics: { target_answered_after: { value: 1, min: 1, max: 1 } },
      thresholds: crossed.map(([metric, expression]) => ({ metric, expression, held: false })),
      distributions: {},
    },
    ...changes,
  };
}

const slow: Thresholds = [["http_req_duration{name:batch,status:200}", "p(95)<=1"]];
const failed: Thresholds = [["http_req_failed{name:batch}", "rate<=0"]];
const empty: Thresholds = [["http_reqs{name:batch,status:200}", "count>0"]];
const dropped: Thresholds = [["dropped_iterations", "count<=0"]];
const thrown: Thresholds = [["exceptions", "count<1"]];

test.each([
  ["everything held", facts(0), "pass"],
  ["a latency above its limit", facts(99, slow), "broken"],
  ["failed requests", facts(99, failed), "broken"],
  ["failed requests with nothing good to time", facts(99, [...empty, ...failed]), "broken"],
  ["failed requests and dropped iterations", facts(99, [...dropped, ...failed]), "broken"],
  ["no samples", facts(99, empty), "invalid"],
  ["slow, but the generator dropped iterations", facts(99, [...slow, ...dropped]), "invalid"],
  ["exceptions", facts(99, thrown), "invalid"],
  ["a crossed threshold that the code hides", facts(0, failed), "broken"],
  ["a teardown that threw", facts(107), "invalid"],
  ["an abort from inside", facts(108), "invalid"],
  ["a code that contradicts the summary", facts(99), "invalid"],
  ["no summary", facts(0, [], { summary: undefined }), "invalid"],
  ["an interruption", facts(105, [], { exit: { code: 105, interrupted: true, errors: [] } }), "invalid"],
] as const)("%s", (_title, given, verdict) => {
  const judgement = judgeRun(given);
  expect(judgement.verdict).toBe(verdict);
  expect(judgement.reasons.length > 0).toBe(verdict !== "pass");
});

test("a target that is gone after the run explains the failures", () => {
  const given = facts(99, failed);
  const summary = given.summary && { ...given.summary, metrics: { target_answered_after: { value: 0 } } };
  expect(judgeRun({ ...given, summary })).toMatchObject({
    verdict: "invalid",
    reasons: [/target gone/, /http_req_failed/].map((reason) => expect.stringMatching(reason)),
  });
});

test("reasons name metric, limit and value", () => {
  const given = facts(99, slow);
  const summary = given.summary && {
    ...given.summary,
    metrics: { "http_req_duration{name:batch,status:200}": { "p(95)": 12.3456 } },
  };
  expect(judgeRun({ ...given, summary }).reasons).toEqual([
    "http_req_duration{name:batch,status:200} crossed p(95)<=1: it was 12.35",
  ]);
});
