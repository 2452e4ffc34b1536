import { describe } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import {
  type JudgedFinding,
  type JudgedRow,
  type RunFigures,
  testJudgement,
} from "../../test/support/judged-load.ts";
import type { K6Exit } from "./k6-process.ts";

// How a load run is judged: its figures, then verdict, findings and notes. Searches for the capacity are in capacity.test.ts.

const slow = "http_req_duration{name:batch,status:200}";
const failed = "http_req_failed{name:batch}";
const invalid = "invalid_responses{name:batch}";
const empty = "http_reqs{name:batch,status:200}";
const unchecked = "checked_responses{name:batch}";
const dropped = "dropped_iterations";
const lag = "schedule_lag";

const busy: Finding = { code: "generator-starved", actual: 0.6, unit: "share" };
const ofBatch = { endpoint: "batch", subject: "batch" } as const;

/** Lookups at 400/s for a minute: 24,000 iterations, of which 1 % may be dropped. */
const lookups: RunFigures = {
  scenario: "lookup",
  profile: { stages: constantRate(400, 60) },
  limits: { p99Milliseconds: 3000, droppedShare: 0.01 },
};
const byId = "http_req_duration{name:lookup-by-id,status:200}";

describe("limits, and who they are about", () => {
  const slowBatch: JudgedFinding = {
    ...{ code: "latency-over-limit", ...ofBatch, expected: 1000, actual: 1012.3456, unit: "ms" },
    ...{ seen: { count: 8, of: "samples" }, details: { statistic: "p95" } },
  };
  const exceptions: JudgedFinding = {
    code: "script-exceptions",
    actual: 8,
    seen: { count: 8, of: "iterations" },
  };
  const latencies = { [slow]: { "p(95)": 1012.3456, count: 8 } };
  const endpoints = { batch: { p95Milliseconds: 1000 } };
  const noBatch: JudgedFinding = { code: "no-samples", ...ofBatch, actual: undefined, seen: undefined };
  testJudgement([
    ["all are met", {}, "pass"],
    ["all are met, at a high rate", { ...lookups, periods: { rate: [400] } }, "pass"],
    ["slow responses", { crossed: [slow], metrics: latencies }, "fail: latency-over-limit", [slowBatch]],
    ["failed requests", { crossed: [failed] }, "fail: failed-requests"],
    ["no response that was measured", { crossed: [empty] }, "invalid: no-samples"],
    [
      "an exception in every iteration, so that nothing was measured or checked",
      { crossed: ["exceptions", empty, unchecked], counts: { exceptions: 8 } },
      "invalid: script-exceptions no-samples nothing-checked",
      [exceptions],
    ],
    [
      "a limit for batches in a run of lookups",
      { scenario: "lookup", limits: { endpoints }, crossed: [empty, unchecked] },
      "invalid: no-samples nothing-checked",
      [noBatch],
    ],
  ]);
});

describe("several findings: the deciding one comes first", () => {
  const none: JudgedFinding = { code: "no-samples", seen: { count: 0, total: 3, of: "requests" } };
  const sent = { crossed: [empty, failed], shares: { [failed]: [3, 3] } } as const;
  const lost = { crossed: [dropped, failed], counts: { [dropped]: 9 } };
  const limited = { crossed: [dropped], starved: [busy], counts: { refusals: 1, http_reqs: 9 } };
  testJudgement([
    ["failures, no success", { crossed: [empty, failed] }, "fail: failed-requests no-samples"],
    ["failures, no success: the requests were sent", sent, "fail: failed-requests no-samples", [none]],
    ["failures and dropped iterations", lost, "fail: failed-requests iterations-dropped"],
    [
      "slow responses and dropped iterations",
      { crossed: [slow, dropped], limits: { p99Milliseconds: 9000 } },
      // The latency of a batch has two limits, p95 and p99.
      "invalid: iterations-dropped latency-over-limit latency-over-limit",
    ],
    ["no CPU", { starved: [busy] }, "invalid: generator-starved", [busy]],
    ["no CPU and dropped iterations", { crossed: [dropped], starved: [busy] }, "invalid: generator-starved"],
    [
      "no CPU, failures and slow responses",
      { crossed: [failed, slow], starved: [busy] },
      "fail: failed-requests generator-starved latency-over-limit",
    ],
    ["no CPU and a rate limit", limited, "fail: rate-limit-reached generator-starved"],
  ]);
});

describe("latency is not the target's where this machine was as late itself", () => {
  const of = (verdict: "fail" | "invalid", over: number, late: number, details = {}): JudgedRow => [
    `${over} ms over, ${late} ms late`,
    {
      crossed: [slow],
      metrics: { [slow]: { "p(95)": 1000 + over, count: 40 }, [lag]: { "p(95)": late, count: 40 } },
    },
    `${verdict}: latency-over-limit`,
    [{ code: "latency-over-limit", actual: 1000 + over, details: { statistic: "p95", ...details } }],
  ];
  testJudgement([
    of("fail", 200, 199),
    of("invalid", 200, 201, { lateMilliseconds: 201 }),
    // So little is nothing.
    of("fail", 5, 10),
  ]);
});

describe("a share above its limit may be chance", () => {
  const counted = (metric: string, count: number, total: number): RunFigures => ({
    ...{ crossed: [metric], shares: { [metric]: [count, total] } },
  });
  const chance = (count: number, total: number): JudgedRow => [
    `${count} of ${total}, limit 1 %: chance`,
    counted(failed, count, total),
    "pass | share-not-judged",
    [
      {
        ...{ code: "share-not-judged", ...ofBatch, expected: 0.01, actual: count / total, unit: "share" },
        ...{ seen: { count, total, of: "requests" }, details: { crossing: "failed-requests" } },
      },
    ],
    { [failed]: { met: false, notJudged: { samples: total, needed: 300 } } },
  ];
  const noChance = (count: number, total: number): JudgedRow => [
    ...([`${count} of ${total}, limit 1 %`, counted(failed, count, total), "fail: failed-requests"] as const),
  ];
  const kinds = ["lookup-by-id", "lookup-by-url", "lookup-by-gtin"].map(
    (name) => `http_req_failed{name:${name}}`,
  );
  const oneFailed = (crossed: readonly string[]): RunFigures => ({
    scenario: "lookup",
    crossed,
    shares: Object.fromEntries(
      [...kinds, ...crossed].map((metric) => [metric, [crossed.includes(metric) ? 1 : 0, 13]]),
    ),
  });
  const ofOwnLimits: RunFigures = {
    ...oneFailed(["http_req_failed{name:lookup-by-gtin}", "invalid_responses{name:lookup-by-gtin}"]),
    limits: { endpoints: { "lookup-by-gtin": { failedShare: 0.02, invalidShare: 0.01 } } },
  };
  const ofP95 = {
    code: "share-not-judged",
    details: { crossing: "latency-over-limit", statistic: "p95" },
  } as const;
  const above = (count: number, total = 20): RunFigures => ({ crossed: [slow], slowest: { count, total } });
  testJudgement([
    chance(1, 4),
    noChance(2, 4),
    // With any number of samples: a service exactly at its limit would fail in less than 1 % of runs.
    chance(8, 300),
    noChance(9, 300),
    ["1 of a million, limit 0", counted(invalid, 1, 1_000_000), "fail: invalid-responses"],
    [
      "each kind of failure is judged by itself",
      { crossed: [failed, invalid], shares: { [failed]: [1, 13], [invalid]: [3, 13] } },
      "fail: invalid-responses | share-not-judged",
    ],
    ["1 of 13 in one of three kinds", oneFailed(kinds.slice(0, 1)), "pass | share-not-judged"],
    ["1 of 13 in each of three kinds", oneFailed(kinds), "fail: failed-requests"],
    ["1 of 13 in a kind with limits of its own", ofOwnLimits, "pass | share-not-judged share-not-judged"],
    // 2 of 20 are slower at a limit on 5 % in 26 % of runs, 6 of 20 in 0.03 %.
    ["2 of 20 responses above the p95", above(2), "pass | share-not-judged", [ofP95]],
    ["1 of 2 responses far above the p95", above(1, 2), "pass | share-not-judged", [ofP95]],
    ["6 of 20 responses above the p95", above(6), "fail: latency-over-limit"],
  ]);
});

describe("a share within its limit may be chance", () => {
  const none = (metric: string, total: number, fewSamples?: object): JudgedRow => [
    ...([`0 of ${total} in ${metric}`, { shares: { [metric]: [0, total] } }, "pass", []] as const),
    { [metric]: { met: true, fewSamples } },
  ];
  testJudgement([none(failed, 299, { samples: 299, needed: 300 }), none(failed, 300), none(invalid, 300)]);
});

describe("a kind with very few requests", () => {
  const unknown = "lookup-unknown-product";
  const retailer = "lookup-unknown-retailer";
  const none = [`http_reqs{name:${retailer},status:400}`, `checked_responses{name:${retailer}}`];
  const allFailed: RunFigures = {
    scenario: "lookup",
    crossed: [`http_reqs{name:${unknown},status:404}`, `http_req_failed{name:${unknown}}`],
    shares: {
      "http_req_failed{name:lookup-by-id}": [0, 399],
      [`http_req_failed{name:${unknown}}`]: [1, 1],
    },
  };
  testJudgement([
    ["all of them failed", allFailed, "pass | no-samples"],
    ["none was sent", { scenario: "lookup", crossed: none }, "invalid: no-samples nothing-checked"],
  ]);
});

describe("the end of k6", () => {
  const memory: Finding = { code: "k6-memory", actual: 2e9, expected: 1e9, details: { seconds: 12 } };
  const overdue: Finding = { code: "k6-overdue", actual: 190, expected: 186 };
  const unavailable: Finding = { code: "status-before-load", subject: "https://h/v1/retailers", actual: 503 };
  const unreadable: Finding = { code: "no-summary" };
  const tooBig: Finding = { code: "response-too-big", subject: "GET /v1/products/acme/1", actual: 8e6 };
  const killed = { code: undefined, signal: "SIGKILL" } as const;
  const without = (exit: Partial<K6Exit>, more: RunFigures = {}): RunFigures => ({
    ...{ exit, hasSummary: false, ...more },
  });
  const noMemory = { ...killed, stopped: memory };
  const kept = { kept: [unavailable, tooBig] };
  const ended = (exit: Partial<K6Exit>): RunFigures => ({ crossed: [failed], exit });
  testJudgement([
    ["killed", without(killed), "invalid: k6-killed", [{ code: "k6-killed", subject: "SIGKILL" }]],
    ["stopped for its memory", without(noMemory), "invalid: k6-memory", [memory]],
    [
      "stopped for its memory: a response is too big",
      without(noMemory, kept),
      "fail: response-too-big k6-memory",
      [tooBig, memory],
    ],
    ["stopped in time: a response is too big", without({ stopped: overdue }, kept), "invalid: k6-overdue"],
    [
      "stopped for its memory and interrupted: a response is too big",
      without({ ...noMemory, interrupted: true }, kept),
      "invalid: load-interrupted",
    ],
    ["as planned: a response is too big", kept, "pass"],
    ["stopped, with a summary", { exit: { code: 105, stopped: overdue } }, "invalid: k6-overdue", [overdue]],
    ["interrupted", ended({ code: 105, interrupted: true }), "invalid: load-interrupted"],
    ["no summary", without({ code: 104 }), "invalid: no-summary", [{ code: "no-summary", actual: 104 }]],
    [
      "no summary, a report",
      without({ code: 104, reported: [unavailable] }),
      "invalid: status-before-load",
      [unavailable],
    ],
    [
      "an exception in the setup, with a summary",
      ended({ code: 107, reported: [unavailable] }),
      "invalid: status-before-load",
    ],
    ["a report during the run", ended({ reported: [unreadable] }), "fail: failed-requests no-summary"],
    ["a code that nothing explains", { exit: { code: 108 } }, "invalid: k6-exit"],
    ["the code of a crossed limit, all are met", { exit: { code: 99 } }, "invalid: k6-exit"],
    ["a code that a report explains", { exit: { code: 108, reported: [unreadable] } }, "invalid: no-summary"],
  ]);
});

describe("the target is gone", () => {
  const metrics = { target_responded_after: { value: 0 } };
  const code = "target-gone-under-load";
  const failedById = "http_req_failed{name:lookup-by-id}";
  const over = (periods: RunFigures["periods"]): RunFigures => ({ ...lookups, metrics, periods });
  const gone = (
    title: string,
    figures: RunFigures,
    after?: number,
    others: "" | " failed-requests" = "",
  ): JudgedRow => [title, figures, `fail: ${code}${others}`, [{ code, actual: after }]];
  const halfway = { rate: [1, 400, 400, 400, 380], failed: [0, 0, 0, 300, 380] };
  const refused = { rate: [1, 400, 400, 400], failed: [0, 0, 100, 400], refused: [0, 0, 300, 0] };
  testJudgement([
    gone("requests failed", { crossed: [failed], metrics }, undefined, " failed-requests"),
    gone("iterations were lost", { crossed: [dropped], metrics, counts: { [dropped]: 9 } }),
    gone(
      "it ends halfway, after a second of setup",
      { ...over(halfway), crossed: [failedById] },
      3,
      " failed-requests",
    ),
    gone("it hangs halfway", { ...over({ rate: [400, 400, 0, 0] }), crossed: [dropped] }, 2),
    gone("all are refused or fail at last", over(refused), 1),
    // In the first period of 10 s, less than one request was sent.
    gone("in periods of 10 s", over({ seconds: 10, rate: [0.05, 0.2, 40, 40, 0] }), 30),
    gone("as one of several processes sees it", {
      metrics: { target_responded_after: { value: 1, min: 0 } },
    }),
  ]);
});

describe("iterations were lost", () => {
  const seen = { count: 324, total: 24_000, of: "iterations" };
  const taking = (milliseconds: number, profile: Partial<Profile> = {}): RunFigures => ({
    ...lookups,
    profile: { ...lookups.profile, ...profile },
    crossed: [dropped],
    counts: { [dropped]: 324 },
    metrics: { [byId]: { count: 20_000, "p(99)": milliseconds } },
  });
  const slower = (title: string, figures: RunFigures, actual: number): JudgedRow => [
    ...([title, figures, "fail: slower-than-planned"] as const),
    [{ code: "slower-than-planned", expected: 2000, actual, unit: "ms", seen }],
  ];
  const lost = (title: string, figures: RunFigures, virtualUsers: number, count = 324): JudgedRow => [
    ...([title, figures, "invalid: iterations-dropped"] as const),
    [{ code: "iterations-dropped", seen: { ...seen, count }, details: { virtualUsers } }],
  ];
  const hanging = { "requests_without_response{failure:silent}": { count: 400 } };
  const slowBatches = { [slow]: { count: 100, "p(99)": 2001 } };
  const ofSeveralKinds = {
    [byId]: { count: 300, "p(99)": 100 },
    "http_req_duration{name:lookup-unknown-product,status:404}": { count: 100, "p(99)": 500 },
    // Neither other traffic nor a kind without samples counts.
    "http_req_duration{name:lookup-by-gtin,status:200}": {},
    "http_req_duration{name:lookup-by-id}": { count: 900, "p(99)": 9000 },
    ...slowBatches,
  };
  const lookingLate = {
    ...taking(84),
    crossed: [dropped, lag],
    counts: { [dropped]: 14_000 },
    metrics: { [lag]: { "p(95)": 33_000 }, [byId]: { count: 10_000, "p(99)": 84 } },
  };
  testJudgement([
    lost("4 users, responses take as long as planned", taking(2000, { virtualUsers: 4 }), 4),
    slower("4 users, responses take longer", taking(2001, { virtualUsers: 4 }), 2001),
    lost("iterations look late because others were dropped", lookingLate, 800, 14_000),
    ["no CPU, responses take longer", { ...taking(3100), starved: [busy] }, "invalid: generator-starved"],
    lost(
      "the latency is the mean p99 of all kinds of lookups, weighted by their number",
      { ...taking(100, { maxResponseSeconds: 0.2 }), metrics: ofSeveralKinds },
      80,
    ),
    slower("slow batches among lookups", { ...taking(20), scenario: "mixed", metrics: slowBatches }, 2001),
    ["nothing came for 400", { ...taking(20), metrics: hanging }, "fail: slower-than-planned"],
    [
      "responses take longer on a busy machine, and fail",
      { ...taking(3100), crossed: [dropped, "http_req_failed{name:lookup-by-id}"], busy: 0.95 },
      "fail: failed-requests slower-than-planned | machine-busy",
    ],
    lost("batches are no lookups", { ...taking(20), metrics: slowBatches }, 800),
  ]);
});

describe("iterations started late", () => {
  // 40 iterations in 4 s: each dropped one makes all later ones seem 100 ms later.
  const of = (milliseconds: number, count: number): RunFigures => ({
    limits: { droppedShare: 1 },
    crossed: [lag],
    counts: { [dropped]: count },
    metrics: { [lag]: { "p(95)": milliseconds, count: 50 } },
  });
  const late = (actual: number): JudgedFinding[] => [
    { code: "iterations-late", expected: 500, actual, unit: "ms", seen: { count: 50, of: "samples" } },
  ];
  const was = (value: number, met: boolean) => ({ [lag]: { value, met, guards: "run" } });
  const few: RunFigures = { ...lookups, counts: { [dropped]: 200 }, metrics: { [lag]: { "p(95)": 600 } } };
  testJudgement([
    ["1,000 ms", of(1000, 0), "invalid: iterations-late", late(1000), was(1000, false)],
    ["1,000 ms, 5 were dropped", of(1000, 5), "pass", [], was(500, true)],
    ["1,001 ms, 5 were dropped", of(1001, 5), "invalid: iterations-late", late(501), was(501, false)],
    ["600 ms, 200 of 24,000 were dropped", { ...few, crossed: [lag] }, "pass"],
  ]);
});

describe("a rate limit", () => {
  const counts = { [dropped]: 324, refusals: 2299, http_reqs: 13_699 };
  const refusing: RunFigures = { ...lookups, crossed: [dropped], counts };
  const reached = (actual: number | undefined, total = 13_699, count = 2299): JudgedFinding => ({
    ...{ code: "rate-limit-reached", expected: 400, actual, unit: "requests/s" },
    seen: { count, total, of: "responses" },
  });
  const over = (title: string, rate: (number | null)[], refused: number[], accepted?: number): JudgedRow => [
    ...([title, { ...refusing, periods: { rate, refused } }, "fail: rate-limit-reached"] as const),
    [reached(accepted)],
  ];
  const all = { refusals: 40, abandoned_iterations: 40, http_reqs: 40 };
  const none = ["http_reqs{name:lookup-by-id,status:200}", "checked_responses{name:lookup-by-id}"];
  // A tenth of 40 iterations may be lost.
  const abandoned = (count: number, lost: number): RunFigures => ({
    limits: { droppedShare: 0.1 },
    counts: { abandoned_iterations: count, [dropped]: lost, refusals: 9, http_reqs: 40 },
  });
  const until = (untilJudged: boolean, ...crossed: string[]): RunFigures => ({
    profile: { untilJudged },
    crossed: [dropped, ...crossed],
    counts: { refusals: 50, http_reqs: 450, [dropped]: 30 },
  });
  testJudgement([
    // In the first second of refusals a full bucket was emptied, and the last second is incomplete.
    over("below the profile", [1, 400, 400, 400, 400, 120], [0, 0, 20, 200, 200, 100], 200),
    over("accepts the rate from the first refusal to the last", [400, 400, 400, 400], [0, 10, 100, 20], 300),
    over("accepts the mean of two periods where there are no others", [400, 400, 300], [0, 100, 100], 250),
    over("is not judged after the last refusal", [400, 400, 400, 50, 400], [10, 100, 30, 10, 0], 335),
    over("accepts half of each volley", [20, 0, 0, 20, 0, 0, 20], [10, 0, 0, 10, 0, 0, 10], 2),
    over("accepts half of two volleys", [20, 0, 0, 20], [10, 0, 0, 10], 5),
    over("is not known from half of the figures", [400, null, 400, null, 90], [0, 200, 200, 200, 90]),
    over("accepts the rate of the whole run where no period has a refusal", [400, 400], [0, 0], 190),
    ["was waited for each time", { ...lookups, counts: { refusals: 40 }, periods: { rate: [400] } }, "pass"],
    [
      "refuses everything",
      { ...lookups, crossed: none, counts: all, periods: { rate: [40], refused: [40] } },
      "fail: rate-limit-reached",
      [reached(0, 40, 40)],
    ],
    ["costs 3 iterations, and 1 was dropped", abandoned(3, 1), "pass"],
    ["costs 3 iterations, and 2 were dropped", abandoned(3, 2), "fail: rate-limit-reached"],
    ["costs no iteration", abandoned(0, 9), "pass"],
    ["in a run of a fixed length", until(false), "fail: rate-limit-reached"],
    ["leaves a gate one kind of several", until(true, empty), "pass | rate-limit-reached"],
    ["leaves a gate nothing", { ...until(true, empty), counts: all }, "fail: rate-limit-reached"],
  ]);
});

describe("refused again after Retry-After", () => {
  const of = (broken: number, tried: number, more: Record<string, number> = {}): RunFigures => ({
    counts: { probe_waits_tried: tried, probe_waits_refused: broken, ...more },
  });
  const seen = { count: 4, total: 5, of: "attempts" };
  const polite = { polite_refused_again: 2, polite_waits: 3, polite_wait_seconds: 3 };
  testJudgement([
    ["3 of 3 times", of(3, 3), "fail: refused-after-waits"],
    ["4 of 5 times", of(2, 2, polite), "fail: refused-after-waits", [{ code: "refused-after-waits", seen }]],
    ["4 of 5 times, where one wait was of 0 s", of(2, 2, { ...polite, polite_wait_seconds: 2 }), "pass"],
    ["3 of 3 times, where one wait was malformed", of(3, 3, { refusals_malformed: 1 }), "pass"],
    ["3 of 5 times", of(3, 5), "pass"],
    ["2 of 2 times", of(2, 2), "pass"],
    ["3 of 3 times, a gateway takes part", of(3, 3, { on_the_way: 1 }), "pass | lost-on-the-way"],
  ]);
});

describe("requests lost on the way", () => {
  interface Loss {
    /** Those that were not sent again, or in vain. */
    readonly final?: number;
    readonly good?: number;
    readonly failing?: number;
  }
  const of = (
    lost: number,
    { final = lost, good = 1000, failing = 0 }: Loss,
    more: RunFigures = {},
  ): RunFigures => ({
    exit: { code: 99 },
    kept: [{ code: "answered-on-the-way", actual: 502, from: { by: "unclear", name: "nginx/1.22" } }],
    shares: { [failed]: [failing, good + failing] },
    ...more,
    counts: { on_the_way: lost, "on_the_way{status:502}": lost, lost_on_the_way: final, ...more.counts },
  });
  const loss = (count: number, total: number): JudgedFinding[] => [
    {
      ...{ code: "lost-on-the-way", subject: "nginx/1.22", details: { 502: count } },
      seen: { count, total, of: "requests" },
    },
  ];
  const waiting: RunFigures = {
    crossed: [dropped, lag],
    counts: { [dropped]: 20 },
    metrics: { [lag]: { "p(95)": 3000 } },
  };
  const noCpu = { crossed: [dropped], starved: [busy] };
  const mixed: RunFigures = {
    scenario: "mixed",
    exit: { code: 99 },
    counts: {
      on_the_way: 5,
      "on_the_way{status:502}": 3,
      "on_the_way{status:504}": 2,
      "on_the_way{status:503}": 0,
    },
    metrics: {
      "on_the_way{status:413}": {},
      "http_req_failed{name:lookup-by-id}": { passes: 1, fails: 11 },
      "http_req_failed{name:batch}": { fails: 20 },
      "http_req_failed{name:category-page}": {},
    },
  };
  const ofAll: JudgedFinding = {
    ...{ code: "lost-on-the-way", subject: undefined, details: { 502: 3, 504: 2 } },
    seen: { count: 5, total: 37, of: "requests" },
  };
  testJudgement([
    ["most were sent again", of(50, { final: 10 }), "pass | lost-on-the-way", loss(50, 1050)],
    ["more than may fail", of(50, { final: 20 }), "invalid: lost-on-the-way", loss(50, 1050)],
    // More than 1 % by chance: 8 of 300 in 1.2 % of runs, 9 in 0.4 %.
    ["8 of 300", of(8, { good: 292 }), "pass | lost-on-the-way", loss(8, 300)],
    ["9 of 300", of(9, { good: 291 }), "invalid: lost-on-the-way", loss(9, 300)],
    ["1 of 40: too few to tell", of(1, { good: 39 }), "pass | lost-on-the-way"],
    [
      "the service fails as well",
      of(50, { failing: 60 }, { crossed: [failed] }),
      "fail: failed-requests lost-on-the-way",
      loss(50, 1110),
    ],
    [
      "no response of a kind",
      of(5, { final: 0, good: 100 }, { crossed: [empty] }),
      "invalid: lost-on-the-way",
    ],
    ["waiting for the gateway costs iterations", of(50, { final: 0 }, waiting), "invalid: lost-on-the-way"],
    ["a lack of CPU does", of(50, { final: 0 }, noCpu), "invalid: generator-starved | lost-on-the-way"],
    ["of all kinds, and nothing tells by whom", mixed, "pass | lost-on-the-way share-not-judged", [ofAll]],
    ["none", { counts: { lost_on_the_way: 1 } }, "pass"],
  ]);
});

describe("how often something happened", () => {
  const of = (code: Finding["code"], metric: string, figures: RunFigures, seen: object): JudgedRow => [
    ...([code, { ...figures, crossed: [metric] }, `fail: ${code}`, [{ code, seen }]] as const),
  ];
  const refused = { probe_other_refused: 5, probe_other_requests: 40 };
  const probe: RunFigures = { scenario: "rate-limit", profile: profiles.probe, counts: refused };
  const repeated: RunFigures = { scenario: "paging", counts: { cursors_repeated: 2 } };
  const malformed = { counts: { refusals_malformed: 3, refusals: 7 } };
  const responses = (count: number, total: number) => ({ count, total, of: "responses" });
  testJudgement([
    of("retry-after-malformed", "refusals_malformed", malformed, responses(3, 7)),
    of("invalid-responses", invalid, { shares: { [invalid]: [1, 10] } }, responses(1, 10)),
    of("cursor-repeated", "cursors_repeated", repeated, { count: 2, of: "iterations" }),
    of("other-organization-refused", "probe_other_refused", probe, { count: 5, total: 40, of: "requests" }),
  ]);
});
