import { describe, expect, test } from "vitest";
import { catalogFrom } from "../../scenarios/lib/catalog.ts";
import { virtualUsersOf } from "../../scenarios/lib/options.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { type JudgedLimit, limitsFor } from "../../scenarios/lib/thresholds.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { gatewayEvidence } from "../../test/support/samples/eventful.ts";
import { blameForLost, capacityOf, type LoadFacts, lossUnderLoad, targetGoneFinding } from "./blame.ts";
import { judgeLoad } from "./judge.ts";

const seconds = 60;
const steady: Profile = {
  ...profiles.smoke,
  stages: constantRate(400, seconds),
  thresholds: { ...profiles.smoke.thresholds, p99Milliseconds: 3000, droppedShare: 0.01 },
};

interface Observations {
  readonly profile?: Profile;
  readonly crossed?: readonly string[];
  readonly metrics?: Record<string, Record<string, number>>;
  /** For each period of one second. */
  readonly rate?: readonly number[];
  readonly refused?: readonly number[];
  readonly failed?: readonly number[];
  readonly p99?: readonly number[];
  readonly starved?: readonly Finding[];
}

/** The judgement of a lookup run of one minute with these observations. */
function judged({ profile = steady, crossed = [], metrics = {}, starved = [], ...over }: Observations) {
  const { rate = [], refused = [], failed = [], p99 = [] } = over;
  const column = (values: readonly number[]) => rate.map((_, place) => values[place] ?? 0);
  const series: LoadResult["series"] = {
    periodSeconds: 1,
    seconds: rate.map((_, place) => place + 1),
    requestRate: [...rate],
    failedRate: column(failed),
    refusedRate: column(refused),
    waitSeconds: column([]),
    virtualUsers: column([]),
    latency: { p50: column([]), p95: column([]), p99: column(p99) },
  };
  const limits = limitsFor("lookup", profile, catalogFrom(sampleFixtures()), 1);
  return judgeLoad({
    scenario: "lookup",
    profile,
    exit: { code: crossed.length === 0 ? 0 : 99, interrupted: false, reported: [], errors: [] },
    summary: {
      schemaVersion: 1,
      scenario: "lookup",
      profile: "test",
      seed: 1,
      plannedIterations: 400 * seconds,
      durationMilliseconds: seconds * 1000,
      metrics: { target_responded_after: { value: 1 }, ...metrics },
      thresholds: limits.map((limit): JudgedLimit => ({ ...limit, met: !crossed.includes(limit.metric) })),
      distributions: {},
    },
    starved,
    series,
  });
}

const timed = "http_req_duration{name:lookup-by-id,status:200}";
const dropped = { dropped_iterations: { count: 324 } };
const refusing: Observations = {
  crossed: ["dropped_iterations"],
  // Over the whole minute 190/s: the rate is that of the periods with refusals.
  metrics: { ...dropped, refusals: { count: 2299 }, http_reqs: { count: 13_699 } },
  // In the first second of refusals a full bucket was emptied, and the last second is incomplete.
  rate: [1, 400, 400, 400, 400, 120],
  refused: [0, 0, 20, 200, 200, 100],
};
const slow = (milliseconds: number): Observations => ({
  crossed: ["dropped_iterations"],
  metrics: { ...dropped, [timed]: { count: 20_000, "p(99)": milliseconds } },
});
const rising = { ...steady, findsCapacity: true };
const text = (finding: Finding | undefined) => finding && findingText(finding, defaultWords);

test.each<[string, Observations, verdict: string, says: string | undefined]>([
  ["nothing lost", { rate: [400] }, "pass", undefined],
  [
    "a rate limit below the profile",
    refusing,
    "fail",
    "Rate limit reached at 200/s: the rate of the profile is 400/s (2,299 responses with 429).",
  ],
  [
    "a rate limit, on a machine without CPU",
    { ...refusing, starved: [{ code: "generator-cpu", actual: 0.6, unit: "share" }] },
    "fail",
    "Rate limit reached at 200/s: the rate of the profile is 400/s (2,299 responses with 429).",
  ],
  [
    "refusals that were all waited for",
    { ...refusing, crossed: [], metrics: { refusals: { count: 40 } } },
    "pass",
    undefined,
  ],
  [
    "429 for everything",
    {
      crossed: [`http_reqs{name:lookup-by-id,status:200}`],
      metrics: { refusals: { count: 40 }, abandoned_iterations: { count: 40 }, http_reqs: { count: 40 } },
      rate: [40],
      refused: [40],
    },
    "fail",
    "Every request was refused with 429: the rate of the profile is 400/s.",
  ],
  [
    "too few virtual users",
    { ...slow(80), profile: { ...steady, stages: constantRate(50, seconds), virtualUsers: 2 } },
    "invalid",
    "2 virtual users are too few for 50/s at 80 ms: at least 4 (--vus).",
  ],
  [
    "too few virtual users, whose iterations look late because others were dropped",
    {
      profile: { ...steady, stages: constantRate(50, seconds), virtualUsers: 2 },
      crossed: ["dropped_iterations", "schedule_lag"],
      metrics: {
        dropped_iterations: { count: 14_000 },
        schedule_lag: { "p(95)": 33_000 },
        [timed]: { count: 10_000, "p(99)": 84 },
      },
    },
    "invalid",
    "2 virtual users are too few for 50/s at 84 ms: at least 5 (--vus).",
  ],
  [
    "iterations that look late by no more than the few that were dropped",
    {
      crossed: ["schedule_lag"],
      metrics: { dropped_iterations: { count: 200 }, schedule_lag: { "p(95)": 600 } },
    },
    "pass",
    undefined,
  ],
  [
    "responses slower than planned",
    slow(3100),
    "fail",
    "Responses took up to 3.1 s (p99) and kept all virtual users busy: 324 of 24,000 iterations (1.35 %) could not start. The profile plans for 2 s.",
  ],
  [
    "dropped iterations although the target was fast",
    slow(20),
    "invalid",
    "The generator did not start 324 of 24,000 iterations (1.35 %), although its 800 virtual users are enough for responses as fast as these.",
  ],
  [
    "a generator without CPU, even with slow responses",
    { ...slow(3100), starved: [{ code: "generator-cpu", actual: 0.6, unit: "share" }] },
    "invalid",
    "The generator ran out of CPU: it used the whole machine for 60 % of the run.",
  ],
  [
    "iterations that start late",
    { crossed: ["schedule_lag"], metrics: { schedule_lag: { "p(95)": 900 } } },
    "invalid",
    "Iterations started late, p95 900 ms, limit 500 ms: this machine cannot generate the load.",
  ],
  [
    "a target that ends halfway",
    {
      crossed: ["http_req_failed{name:lookup-by-id}"],
      metrics: { target_responded_after: { value: 0 } },
      // The first second is the setup.
      rate: [1, 400, 400, 400, 380, 380],
      failed: [0, 0, 0, 300, 380, 380],
    },
    "fail",
    "The target stopped responding after 3 s.",
  ],
  [
    "a target that hangs halfway",
    {
      crossed: ["dropped_iterations"],
      metrics: { ...dropped, target_responded_after: { value: 0 } },
      rate: [400, 400, 0, 0],
    },
    "fail",
    "The target stopped responding after 2 s.",
  ],
])("%s", (_title, observations, verdict, says) => {
  const { verdict: found, findings } = judged(observations);
  expect([found, text(findings[0])]).toEqual([verdict, says]);
});

test.each<[string, Observations, verdict: string, says: string | undefined]>([
  [
    "stays within its limits",
    { rate: [100, 200, 400], p99: [10, 20, 30] },
    "pass",
    "Within limits up to 400/s.",
  ],
  [
    "becomes slow",
    { crossed: [timed], rate: [100, 200, 300, 390, 400], p99: [10, 20, 20, 3400, 5000] },
    "pass",
    "Limits exceeded at 390/s: p99 above 3 s.",
  ],
  [
    "is slow for a single second",
    { crossed: [timed], rate: [100, 200, 300, 400], p99: [10, 5000, 20, 20] },
    "pass",
    "Within limits up to 400/s.",
  ],
  [
    "refuses",
    { ...refusing, rate: [100, 200, 300, 400], refused: [0, 0, 100, 200] },
    "pass",
    "Rate limit reached at 200/s: the rate of the profile is 400/s (2,299 responses with 429).",
  ],
  [
    "is too slow from the start",
    { crossed: [timed], rate: [10, 20, 30], p99: [4000, 4000, 4000] },
    "fail",
    "Limits exceeded at 10/s: p99 above 3 s.",
  ],
  [
    "fails under load",
    {
      crossed: ["http_req_failed{name:lookup-by-id}"],
      metrics: { "http_req_failed{name:lookup-by-id}": { rate: 0.2, passes: 20, fails: 80 } },
      rate: [100, 200, 300, 400, 410],
      failed: [0, 0, 0, 90, 95],
    },
    "fail",
    "Limits exceeded at 400/s: failed requests above 1 %.",
  ],
])("a search for the capacity of a target that %s", (_title, observations, verdict, says) => {
  const { verdict: found, findings, notes } = judged({ ...observations, profile: rising });
  const sentences = [...notes, ...findings].map(text);
  expect(found).toBe(verdict);
  expect(sentences).toContain(says);
});

describe("the accepted rate", () => {
  const accepted = (rate: readonly number[], refused: readonly number[], more: Observations = {}) =>
    judged({ ...refusing, ...more, rate, refused }).findings[0];

  test.each<[string, readonly number[], readonly number[], number]>([
    ["is that between the first refusal and the last", [400, 400, 400, 400], [0, 10, 100, 20], 300],
    ["is the mean of two periods where there are no others", [400, 400, 300], [0, 100, 100], 250],
    ["is that of a single period", [400, 400], [0, 150], 250],
    ["leaves out the periods after the last refusal", [400, 400, 400, 50, 400], [10, 100, 30, 10, 0], 335],
    ["is that of the whole run where no period has a refusal", [400, 400], [0, 0], 190],
  ])("%s", (_title, rate, refused, expected) => {
    expect(accepted(rate, refused)).toEqual({
      code: "rate-limit-reached",
      expected: 400,
      actual: expected,
      unit: "requests/s",
      seen: { count: 2299, total: 13_699, of: "responses" },
    });
  });
});

describe("the time until the target was gone", () => {
  const gone = (observations: Observations) =>
    judged({ metrics: { target_responded_after: { value: 0 } }, ...observations }).findings[0];

  test("begins with the first load and ends with the last good response", () => {
    const failed = [0, 0, 100, 400];
    expect(gone({ rate: [1, 400, 400, 400], failed })).toEqual({
      code: "target-gone-under-load",
      actual: 2,
      unit: "s",
    });
    // Refusals are no good responses either.
    const refused = [0, 0, 300, 0];
    expect(gone({ rate: [1, 400, 400, 400], failed, refused })).toMatchObject({ actual: 1 });
  });

  test("is known by the lowest of several processes", () => {
    expect(gone({ metrics: { target_responded_after: { value: 1, min: 0 } } })).toMatchObject({
      code: "target-gone-under-load",
    });
  });
});

describe("virtual users", () => {
  const users = (virtualUsers: number | undefined, milliseconds = 100) => {
    const { virtualUsers: _, ...rest } = steady;
    const profile = { ...rest, stages: constantRate(50, seconds), ...(virtualUsers && { virtualUsers }) };
    return judged({ ...slow(milliseconds), profile }).findings[0]?.code;
  };

  test("are too few below rate times latency, and only where the profile sets them", () => {
    expect(users(4)).toBe("too-few-virtual-users");
    expect(users(5)).toBe("iterations-dropped");
    expect(users(undefined)).toBe("iterations-dropped");
  });

  test("are not to blame where the target takes longer than planned", () => {
    expect(users(4, 2001)).toBe("slower-than-planned");
    expect(users(4, 2000)).toBe("too-few-virtual-users");
  });
});

describe("a crossing of the capacity", () => {
  const searched = (observations: Observations) => judged({ profile: rising, ...observations });

  test("has rate, statistic and limit", () => {
    const { notes, thresholds } = searched({
      crossed: [timed],
      rate: [100, 200, 300, 310],
      p99: [10, 20, 3400, 3500],
    });
    expect(new Set(thresholds.filter(({ met }) => !met).map(({ guards }) => guards))).toEqual(
      new Set(["search"]),
    );
    expect(notes).toEqual([
      {
        code: "capacity-reached",
        subject: "p99",
        actual: 300,
        unit: "requests/s",
        details: { limit: 3000, limitUnit: "ms" },
      },
    ]);
  });

  test("is no crossing at the limit itself", () => {
    for (const p99 of [
      [10, 3000, 3000],
      [10, 3400, 3000],
    ])
      expect(searched({ rate: [100, 200, 300], p99 }).notes[0]?.code).toBe("capacity-not-reached");
  });

  test("in the third period is an answer, before it a failure", () => {
    const at = (place: number) => [0, 0, 0, 0].map((_, one) => (one >= place ? 4000 : 10));
    const verdict = (place: number) =>
      searched({ crossed: [timed], rate: [10, 20, 30, 40], p99: at(place) }).verdict;
    expect([0, 1, 2, 3].map(verdict)).toEqual(["fail", "fail", "pass", "pass"]);
  });

  test("by lost iterations is the highest rate that was sent", () => {
    const { notes, thresholds } = searched({
      crossed: ["dropped_iterations"],
      metrics: { ...dropped, [timed]: { count: 20_000, "p(99)": 3100 } },
      rate: [100, 390, 200],
      p99: [10, 10, 10],
    });
    expect(notes).toEqual([{ code: "capacity-reached", actual: 390, unit: "requests/s" }]);
    expect(thresholds.filter(({ met }) => !met).map(({ guards }) => guards)).toEqual(["search"]);
    const others = thresholds.filter(({ met, crossing }) => met && crossing !== "latency-over-limit");
    expect(others.map(({ guards }) => guards)).not.toContain("search");
  });

  test("is not looked for when the target is gone", () => {
    const { verdict, findings, notes } = searched({
      metrics: { target_responded_after: { value: 0 } },
      rate: [100, 200, 300],
      p99: [10, 20, 3400],
    });
    expect([verdict, findings.map(({ code }) => code)]).toEqual(["fail", ["target-gone-under-load"]]);
    expect(notes).toEqual([]);
  });
});

type Metrics = Record<string, Record<string, number>>;

/** A time series of periods of one second. */
const seriesOf = (columns: {
  rate: readonly number[];
  failed?: readonly number[];
  p95?: readonly number[];
  p99?: readonly number[];
}): NonNullable<LoadResult["series"]> => {
  const none = columns.rate.map(() => 0);
  return {
    periodSeconds: 1,
    seconds: columns.rate.map((_rate, place) => place + 1),
    requestRate: [...columns.rate],
    failedRate: [...(columns.failed ?? none)],
    refusedRate: none,
    waitSeconds: none,
    virtualUsers: none,
    latency: { p50: none, p95: [...(columns.p95 ?? none)], p99: [...(columns.p99 ?? none)] },
  };
};

/** The facts about a run of a scenario, without a time series. */
function factsOf(scenario: ScenarioId, metrics: Metrics, change: Partial<LoadFacts> = {}): LoadFacts {
  return {
    scenario,
    profile: steady,
    summary: {
      schemaVersion: 1,
      scenario,
      profile: "test",
      seed: 1,
      plannedIterations: 100,
      durationMilliseconds: 10_000,
      metrics,
      thresholds: [],
      distributions: {},
    },
    starved: [],
    ...change,
  };
}

describe("the latency that keeps virtual users busy", () => {
  const batchOf = (milliseconds: number) => ({
    "http_req_duration{name:batch,status:200}": { count: 100, "p(99)": milliseconds },
  });

  test("is the mean p99 of all kinds of lookups, weighted by their number", () => {
    const metrics = {
      "http_req_duration{name:lookup-by-id,status:200}": { count: 300, "p(99)": 100 },
      "http_req_duration{name:lookup-unknown-product,status:404}": { count: 100, "p(99)": 500 },
      // Neither other traffic nor a kind without samples counts.
      "http_req_duration{name:lookup-by-gtin,status:200}": {},
      "http_req_duration{name:lookup-by-id}": { count: 900, "p(99)": 9000 },
      ...batchOf(9000),
    };
    const profile = { ...steady, stages: constantRate(50, seconds), virtualUsers: 9 };
    expect(blameForLost(factsOf("lookup", metrics, { profile }), [])).toEqual({
      guards: "run",
      findings: [
        {
          code: "too-few-virtual-users",
          expected: 10,
          actual: 9,
          details: { rate: 50, milliseconds: 200 },
        },
      ],
    });
  });

  test("of batches is judged as well as that of lookups", () => {
    const metrics = { ...batchOf(2001), dropped_iterations: { count: 7 } };
    const slow = {
      guards: "target",
      findings: [
        {
          code: "slower-than-planned",
          expected: 2000,
          actual: 2001,
          unit: "ms",
          seen: { count: 7, total: 100, of: "iterations" },
        },
      ],
    };
    expect(blameForLost(factsOf("mixed", metrics), [])).toEqual(slow);
    expect(blameForLost(factsOf("lookup", metrics), []).guards).toBe("run");
  });

  test("is not to blame where the virtual users of all traffic are enough", () => {
    const lookups = virtualUsersOf(steady, "lookup");
    const batches = virtualUsersOf(steady, "batch");
    expect(blameForLost(factsOf("mixed", {}), []).findings).toEqual([
      {
        code: "iterations-dropped",
        seen: { count: 0, total: 100, of: "iterations" },
        details: { virtualUsers: lookups + batches },
      },
    ]);
  });
});

test("of a run that lacked CPU and began iterations late, both are named", () => {
  const starved: Finding[] = [{ code: "generator-cpu", actual: 0.9 }];
  const late: Finding[] = [{ code: "iterations-late" }];
  expect(blameForLost(factsOf("lookup", {}, { starved }), late)).toEqual({
    guards: "run",
    findings: [...starved, ...late],
  });
  expect(blameForLost(factsOf("lookup", {}), late)).toEqual({ guards: "run", findings: late });
});

describe("the loss under load", () => {
  const lost = {
    on_the_way: { count: 5 },
    "on_the_way{status:502}": { count: 3 },
    "on_the_way{status:504}": { count: 2 },
    "on_the_way{status:503}": { count: 0 },
    "on_the_way{status:413}": {},
    lost_on_the_way: { count: 1 },
    "http_req_failed{name:lookup-by-id}": { passes: 2, fails: 10 },
    "http_req_failed{name:batch}": { fails: 20 },
    "http_req_failed{name:category-page}": {},
  };
  const { summary } = factsOf("lookup", lost);

  test("counts requests of every kind, and losses by status", () => {
    expect(lossUnderLoad({ summary })).toEqual({
      finding: {
        code: "lost-on-the-way",
        seen: { count: 5, total: 37, of: "requests" },
        details: { 502: 3, 504: 2 },
      },
      lost: 1,
      total: 37,
    });
    expect(lossUnderLoad({ summary, evidence: [gatewayEvidence("nginx", 502)] })?.finding.subject).toBe(
      "nginx",
    );
  });

  test("is undefined where nothing was lost", () => {
    expect(lossUnderLoad(factsOf("lookup", { lost_on_the_way: { count: 1 } }))).toBeUndefined();
  });
});

describe("the target is gone", () => {
  test("after so many periods of load", () => {
    const { summary } = factsOf("lookup", { target_responded_after: { value: 0 } });
    // In the first period of 10 s, less than one request was sent.
    const series = { ...seriesOf({ rate: [0.05, 0.2, 40, 40, 0] }), periodSeconds: 10 };
    expect(targetGoneFinding(summary, series)).toEqual({
      code: "target-gone-under-load",
      actual: 30,
      unit: "s",
    });
  });

  test("at a time that nothing tells without a time series", () => {
    const { summary } = factsOf("lookup", { target_responded_after: { value: 0 } });
    expect(targetGoneFinding(summary, undefined)).toEqual({ code: "target-gone-under-load" });
    expect(targetGoneFinding(factsOf("lookup", {}).summary, undefined)).toBeUndefined();
  });
});

describe("the capacity", () => {
  const { p99Milliseconds: _, ...limits } = steady.thresholds;
  const withoutP99 = { ...steady, thresholds: { ...limits, p95Milliseconds: 1000, failedShare: 0.01 } };
  const capacity = (series: NonNullable<LoadResult["series"]> | undefined, lostToTarget = false) =>
    capacityOf(factsOf("lookup", {}, { profile: withoutP99, series }), lostToTarget);

  test("without a time series is the planned rate, or unknown where the target lost iterations", () => {
    expect(capacity(undefined)).toEqual({
      finding: { code: "capacity-not-reached", actual: 400, unit: "requests/s" },
      fromTheStart: false,
    });
    expect(capacity(undefined, true).finding).toEqual({
      code: "capacity-reached",
      actual: 0,
      unit: "requests/s",
    });
  });

  test("has no limit for p99 where the profile has none", () => {
    const p99 = [10, 9000, 9000, 9000];
    expect(capacity(seriesOf({ rate: [10, 20, 30, 40], p99 })).finding.code).toBe("capacity-not-reached");
  });

  test("ends at the p95, in two periods in a row", () => {
    const p95 = [10, 1001, 10, 1001, 1001];
    expect(capacity(seriesOf({ rate: [10, 20, 30, 40, 50], p95 }))).toEqual({
      finding: {
        code: "capacity-reached",
        subject: "p95",
        actual: 40,
        unit: "requests/s",
        details: { limit: 1000, limitUnit: "ms" },
      },
      fromTheStart: false,
    });
  });

  test("ends at more failed requests than allowed by chance, in two periods in a row", () => {
    const failed = [0, 2, 1, 14, 15];
    expect(capacity(seriesOf({ rate: [10, 150, 150, 300, 310], failed })).finding).toMatchObject({
      subject: "failed requests",
      actual: 300,
      details: { limit: 0.01, limitUnit: "share" },
    });
    expect(capacity(seriesOf({ rate: [10, 20, 0, 0], failed: [0, 0, 0, 0] })).finding.code).toBe(
      "capacity-not-reached",
    );
  });
});
