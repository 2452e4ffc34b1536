import { expect, test } from "vitest";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { measuredLoad, rateLimitNotes } from "./measured.ts";

const summary: RunSummary = {
  scenario: "mixed",
  profile: "test",
  seed: 1,
  plannedIterations: 5000,
  durationMilliseconds: 1000,
  thresholds: [],
  metrics: {},
  distributions: {},
};

test("a limit that was reached but not estimated is not reported as not found", () => {
  const probed = { mode: "probe", highestRate: 68.8 } as const;
  expect(rateLimitNotes(probed)).toMatchObject([{ code: "rate-limit-not-found", actual: 68.8 }]);
  expect(rateLimitNotes({ mode: "probe" })).toEqual([]);
  expect(rateLimitNotes({ ...probed, retryAfter: { tried: 3, accepted: 0 } })).toEqual([
    { code: "waits-kept", seen: { count: 0, total: 3, of: "attempts" } },
  ]);
});

test("responses that nobody checked came as the run ended; what got none or was lost on the way is told elsewhere", () => {
  const notesOf = (checked: number) => {
    const metrics = {
      // Besides, 5 right 429s, which are not checked.
      "http_req_failed{name:lookup-by-id}": { passes: 860 - checked, fails: checked - 3 },
      refusals: { count: 5 },
      "invalid_responses{name:lookup-by-id}": { passes: 1, fails: checked - 1 },
      lost_on_the_way: { count: 2 },
      requests_without_response: { count: 1 },
      failed_responses: { count: 3 },
    };
    const beside = { scenario: "mixed", profileName: "average", profile: profiles.average } as const;
    const { notes } = measuredLoad({ ...beside, summary: { ...summary, metrics } });
    const of = ["failed-by-status", "responses-unchecked"];
    return notes.flatMap(({ code, seen }) => (of.includes(code) ? [[seen?.count, seen?.total]] : []));
  };
  expect(notesOf(846)).toEqual([
    [3, undefined],
    [10, 862],
  ]);
  expect(notesOf(856)).toEqual([[3, undefined]]);
});

test("a polite run that was interrupted has no result, rather than one of zeros", () => {
  const polite = (metrics: RunSummary["metrics"]) => {
    const beside = { scenario: "rate-limit", profileName: "polite", profile: profiles.polite } as const;
    return measuredLoad({ ...beside, summary: { ...summary, metrics } }).notes.map(({ code }) => code);
  };
  expect(polite({ polite_admitted: { count: 0 } })).toEqual([]);
  expect(polite({ polite_seconds: { value: 5 } })).toEqual(["polite-result"]);
});
