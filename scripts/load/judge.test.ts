import { describe, expect, test } from "vitest";
import { catalogFrom } from "../../scenarios/lib/catalog.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { slices } from "../../scenarios/lib/summary.ts";
import { type JudgedLimit, limitsFor } from "../../scenarios/lib/thresholds.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { gatewayEvidence } from "../../test/support/samples/eventful.ts";
import { type EndedRun, judgeLoad } from "./judge.ts";
import type { K6Exit } from "./k6-process.ts";
import { chanceOfAtLeast } from "./shares.ts";

const profile: Profile = {
  ...profiles.smoke,
  thresholds: { ...profiles.smoke.thresholds, p99Milliseconds: 9000 },
};
const limits = limitsFor("batch", profile, catalogFrom(sampleFixtures()), 1);
const slow = "http_req_duration{name:batch,status:200}";
const failed = "http_req_failed{name:batch}";
const invalid = "invalid_responses{name:batch}";
const empty = "http_reqs{name:batch,status:200}";

interface Change extends Partial<EndedRun> {
  readonly metrics?: Record<string, Record<string, number>>;
}

/** A batch run that crossed the thresholds of these metrics. */
function ended(
  code: number | undefined,
  crossed: string[] = [],
  { metrics, ...change }: Change = {},
): EndedRun {
  return {
    scenario: "batch",
    profile,
    exit: { code, interrupted: false, reported: [], errors: [] },
    summary: {
      schemaVersion: 1,
      scenario: "batch",
      profile: "smoke",
      seed: 1,
      plannedIterations: 40,
      durationMilliseconds: 4000,
      metrics: { target_responded_after: { value: 1, min: 1, max: 1 }, ...metrics },
      thresholds: limits.map((limit): JudgedLimit => ({ ...limit, met: !crossed.includes(limit.metric) })),
      distributions: {},
    },
    ...change,
  };
}

const exit = { code: 0, interrupted: false, reported: [], errors: [] };

test.each<[string, EndedRun, string]>([
  ["all thresholds met", ended(0), "pass"],
  ["a latency above its limit", ended(99, [slow]), "fail"],
  ["failed requests", ended(99, [failed]), "fail"],
  ["failed requests, and no successful one", ended(99, [empty, failed]), "fail"],
  ["failed requests and dropped iterations", ended(99, ["dropped_iterations", failed]), "fail"],
  ["no samples", ended(99, [empty]), "invalid"],
  [
    "slow responses, but the generator dropped iterations",
    ended(99, [slow, "dropped_iterations"]),
    "invalid",
  ],
  ["exceptions", ended(99, ["exceptions"]), "invalid"],
  ["a crossed threshold that the exit code hides", ended(0, [failed]), "fail"],
])("%s", (_title, run, verdict) => {
  const judgement = judgeLoad(run);
  expect(judgement.verdict).toBe(verdict);
  expect(judgement.findings.length > 0).toBe(verdict !== "pass");
});

test("a run that misses both kinds of limits has both findings, the deciding one first", () => {
  // The latency of a batch has two limits, p95 and p99.
  const codes = (...crossed: string[]) =>
    judgeLoad(ended(99, crossed, { metrics: { dropped_iterations: { count: 9 } } })).findings.map(
      ({ code }) => code,
    );
  expect(codes(slow, "dropped_iterations")).toEqual([
    "iterations-dropped",
    "latency-over-limit",
    "latency-over-limit",
  ]);
  expect(codes(failed, "dropped_iterations")).toEqual(["failed-requests", "iterations-dropped"]);
  expect(codes(failed, "exceptions")).toEqual(["failed-requests", "script-exceptions"]);
});

test("a generator without resources is named once, and beside what the target did", () => {
  const starved: Finding[] = [{ code: "generator-cpu", actual: 0.5, unit: "share" }];
  const codes = (...crossed: string[]) =>
    judgeLoad(ended(99, crossed, { starved })).findings.map(({ code }) => code);
  expect(codes("dropped_iterations")).toEqual(["generator-cpu"]);
  expect(codes(failed)).toEqual(["failed-requests", "generator-cpu"]);
  const { verdict, findings } = judgeLoad(
    ended(99, ["dropped_iterations"], {
      starved,
      metrics: { refusals: { count: 1 }, http_reqs: { count: 9 } },
    }),
  );
  expect([verdict, findings.map(({ code }) => code)]).toEqual([
    "fail",
    ["rate-limit-reached", "generator-cpu"],
  ]);
});

test("of requests that all failed, it is known that they were sent", () => {
  const metrics = { [failed]: { passes: 3, fails: 0, rate: 1 } };
  expect(judgeLoad(ended(99, [failed, empty], { metrics }))).toMatchObject({
    verdict: "fail",
    findings: [
      { code: "failed-requests" },
      { code: "no-samples", seen: { count: 0, total: 3, of: "requests" } },
    ],
  });
});

const memory = { code: "k6-memory", actual: 2e9, expected: 1e9, details: { seconds: 12 } } as const;
const overdue = { code: "k6-overdue", actual: 190, expected: 186 } as const;
const unavailable = { code: "status-before-load", subject: "https://h/v1/retailers", actual: 503 } as const;

test("failed requests have their sender if all that were kept have the same", () => {
  const from = (...names: string[]) => {
    const evidence = names.map((name) => gatewayEvidence(name, 503));
    return judgeLoad(ended(99, [failed], { evidence })).findings[0]?.from;
  };
  expect(from("nginx", "nginx")).toEqual({ by: "between", name: "nginx" });
  expect(from("nginx", "envoy")).toBeUndefined();
  expect(from()).toBeUndefined();
});

describe("requests that were lost on the way", () => {
  const onTheWay = (lost: number, { final = lost, good = 1000, failing = 0 } = {}) => ({
    on_the_way: { count: lost },
    "on_the_way{status:502}": { count: lost },
    lost_on_the_way: { count: final },
    [failed]: { rate: failing / (good + failing), passes: failing, fails: good },
  });
  const loss = (count: number, total: number): Finding => ({
    code: "lost-on-the-way",
    subject: "nginx/1.22",
    seen: { count, total, of: "requests" },
    details: { 502: count },
  });
  const judged = (metrics: Change["metrics"] = {}, change: Change = {}, crossed: string[] = []) =>
    judgeLoad(ended(99, crossed, { metrics, evidence: [gatewayEvidence("nginx/1.22", 502)], ...change }));

  test("are a note where few of them were sent again in vain", () => {
    const { verdict, notes } = judged(onTheWay(50, { final: 10 }));
    expect(verdict).toBe("pass");
    expect(notes).toEqual([loss(50, 1050)]);
  });

  test("leave nothing to say of the service where more of them were than the profile lets fail", () => {
    const { verdict, findings, notes } = judged(onTheWay(50, { final: 20 }));
    expect(verdict).toBe("invalid");
    expect(findings).toEqual([loss(50, 1050)]);
    expect(notes).toEqual([]);
  });

  test("are as many as the profile lets fail", () => {
    // More than 1 % by chance: 18 of 1,000 in 1.4 % of runs, 19 in 0.7 %; 8 of 300 in 1.2 %, 9 in 0.4 %.
    expect(judged(onTheWay(50, { final: 18, good: 950 })).verdict).toBe("pass");
    expect(judged(onTheWay(50, { final: 19, good: 950 })).verdict).toBe("invalid");
    expect(judged(onTheWay(8, { good: 292 })).verdict).toBe("pass");
    expect(judged(onTheWay(9, { good: 291 })).verdict).toBe("invalid");
  });

  test("are no evidence where they are too few to tell", () => {
    expect(judged(onTheWay(1, { good: 39 })).verdict).toBe("pass");
    expect(judged(onTheWay(10, { good: 30 })).verdict).toBe("invalid");
  });

  test("do not hide the service's own failures", () => {
    const { verdict, findings } = judged(onTheWay(50, { failing: 60 }), {}, [failed]);
    expect(verdict).toBe("fail");
    expect(findings.map(({ code }) => code)).toEqual(["failed-requests", "lost-on-the-way"]);
  });

  test("are what a search for the capacity comes to", () => {
    const searching = { ...profile, findsCapacity: true };
    const none = { p50: [5], p95: [5], p99: [5] };
    const series = {
      periodSeconds: 2,
      seconds: [2],
      requestRate: [20],
      failedRate: [0],
      refusedRate: [0],
      waitSeconds: [],
      virtualUsers: [],
      latency: none,
    };
    expect(judged(onTheWay(500), { profile: searching, series }).verdict).toBe("pass");
  });

  test("show no capacity when the load was not generated as planned", () => {
    const searching = { ...profile, findsCapacity: true };
    const metrics = { ...onTheWay(0), schedule_lag: { "p(95)": 3000 } };
    const starved: Finding[] = [{ code: "generator-cpu", actual: 0.9 }];
    const { verdict, notes, thresholds } = judged(metrics, { profile: searching, starved }, ["schedule_lag"]);
    expect(verdict).toBe("invalid");
    expect(notes.map(({ code }) => code)).not.toContain("capacity-not-reached");
    expect(thresholds.filter(({ met }) => !met).map(({ guards }) => guards)).toEqual(["run"]);
  });

  test("explain that no response of a kind was measured", () => {
    const { verdict, findings } = judged(onTheWay(5, { final: 0, good: 100 }), {}, [empty]);
    expect(verdict).toBe("invalid");
    expect(findings).toEqual([loss(5, 105)]);
  });

  test("explain iterations that a gateway's refusals kept waiting", () => {
    const metrics = {
      ...onTheWay(50, { final: 0 }),
      dropped_iterations: { count: 20 },
      schedule_lag: { "p(95)": 3000 },
    };
    const { verdict, findings, notes } = judged(metrics, {}, ["dropped_iterations", "schedule_lag"]);
    expect(verdict).toBe("invalid");
    expect(findings).toEqual([loss(50, 1050)]);
    expect(notes).toEqual([]);
  });

  test("are a note beside another reason why iterations were lost", () => {
    const starved: Finding[] = [{ code: "generator-cpu", actual: 0.9 }];
    const metrics = onTheWay(50, { final: 0 });
    const { findings, notes } = judged(metrics, { starved }, ["dropped_iterations"]);
    expect(findings).toEqual(starved);
    expect(notes).toEqual([loss(50, 1050)]);
  });
});

describe("a share within its limit", () => {
  test.each([
    [failed, "1 %"],
    [invalid, "0"],
  ])("%s, limit %s: fewer than 300 samples do not rule out chance", (metric) => {
    const judgedWith = (total: number) => {
      const metrics = { [metric]: { rate: 0, passes: 0, fails: total } };
      const { verdict, notes, thresholds } = judgeLoad(ended(0, [], { metrics }));
      expect({ verdict, notes }).toEqual({ verdict: "pass", notes: [] });
      return thresholds.find((one) => one.metric === metric);
    };
    expect(judgedWith(299)).toMatchObject({ met: true, fewSamples: { samples: 299, needed: 300 } });
    expect(judgedWith(300)).not.toHaveProperty("fewSamples", expect.anything());
  });
});

describe("a share with few samples", () => {
  const of = (passes: number, total: number) => ({ rate: passes / total, passes, fails: total - passes });
  const judgedShare = (passes: number, total: number) =>
    judgeLoad(ended(99, [failed], { metrics: { [failed]: of(passes, total) } }));

  test.each<[failures: number, total: number, verdict: string]>([
    [1, 4, "pass"],
    [2, 4, "fail"],
    [1, 40, "pass"],
    [3, 40, "fail"],
    // With any number of samples: a service exactly at its limit would fail in less than 1 % of runs.
    [8, 300, "pass"],
    [9, 300, "fail"],
    [18, 1000, "pass"],
    [19, 1000, "fail"],
    [1100, 100_000, "fail"],
  ])("%i of %i failed requests, limit 1 %%", (failures, total, verdict) => {
    const judgement = judgeLoad(ended(99, [failed], { metrics: { [failed]: of(failures, total) } }));
    expect(judgement.verdict).toBe(verdict);
    const notJudged = judgement.thresholds.flatMap((one) => one.notJudged ?? []);
    expect(notJudged).toEqual(verdict === "pass" ? [{ samples: total, needed: 300 }] : []);
    expect(judgement.notes).toEqual(
      verdict === "fail"
        ? []
        : [
            {
              code: "share-not-judged",
              endpoint: "batch",
              subject: "batch",
              expected: 0.01,
              actual: failures / total,
              unit: "share",
              seen: { count: failures, total, of: "requests" },
              details: { crossing: "failed-requests", needed: 300 },
            },
          ],
    );
  });

  test("has no note when the limit was met", () => {
    expect(judgeLoad(ended(0, [], { metrics: { [failed]: of(0, 40) } })).notes).toEqual([]);
  });

  test("is not judged together with another kind of failure", () => {
    const metrics = { [failed]: of(1, 13), [invalid]: of(3, 13) };
    const { findings, notes } = judgeLoad(ended(99, [failed, invalid], { metrics }));
    expect(findings.map(({ code }) => code)).toEqual(["invalid-responses"]);
    expect(notes.map(({ code }) => code)).toEqual(["share-not-judged"]);
  });

  test("does not count as passed, and needs no waiver", () => {
    const { thresholds } = judgedShare(1, 4);
    expect(thresholds.find(({ metric }) => metric === failed)).toMatchObject({ met: false });
  });

  test.each([4, 1000, 1_000_000])(
    "with the limit 0 is judged: one invalid response of %i is no chance",
    (total) => {
      const run = ended(99, [invalid], { metrics: { [invalid]: of(1, total) } });
      expect(judgeLoad(run).verdict).toBe("fail");
    },
  );

  test("one failure in each kind of request is not chance", () => {
    const kinds = ["lookup-by-id", "lookup-by-url", "lookup-by-gtin"].map(
      (name) => `http_req_failed{name:${name}}`,
    );
    const lookups = limitsFor("lookup", profile, catalogFrom(sampleFixtures()), 1);
    const crossed = (metrics: readonly string[]) => {
      const run = ended(99, [], {
        scenario: "lookup",
        metrics: Object.fromEntries(
          kinds.map((metric) => [metric, of(metrics.includes(metric) ? 1 : 0, 13)]),
        ),
      });
      const thresholds = lookups.map((limit) => ({ ...limit, met: !metrics.includes(limit.metric) }));
      return judgeLoad({ ...run, summary: run.summary && { ...run.summary, thresholds } }).verdict;
    };
    expect(crossed(kinds.slice(0, 1))).toBe("pass");
    expect(crossed(kinds)).toBe("fail");
  });

  test("the probability is the exact binomial one", () => {
    expect(chanceOfAtLeast(0, 10, 0.01)).toBe(1);
    expect(chanceOfAtLeast(1, 4, 0.01)).toBeCloseTo(1 - 0.99 ** 4, 12);
    expect(chanceOfAtLeast(2, 4, 0.5)).toBeCloseTo(11 / 16, 12);
    expect(chanceOfAtLeast(4, 4, 0.5)).toBeCloseTo(1 / 16, 12);
  });
});

test("the finding about a killed k6 states the memory that it used", () => {
  const killed = { ...exit, code: undefined, signal: "SIGKILL" } as const;
  const memory = { used: 5.9e9, granted: 8e9 };
  const { findings } = judgeLoad(ended(0, [], { exit: killed, summary: undefined, memory }));
  expect(findings).toEqual([
    { code: "k6-killed", subject: "SIGKILL", actual: 5.9e9, expected: 8e9, unit: "bytes" },
  ]);
});

test("the finding about a target that is gone replaces those about failures", () => {
  const run = ended(99, [failed], { metrics: { target_responded_after: { value: 0 } } });
  expect(judgeLoad(run)).toMatchObject({
    verdict: "fail",
    findings: [{ code: "target-gone-under-load" }, { code: "failed-requests" }],
  });
});

test("of a target that is gone, lost iterations say nothing more", () => {
  const metrics = { target_responded_after: { value: 0 }, dropped_iterations: { count: 9 } };
  const { findings } = judgeLoad(ended(99, ["dropped_iterations"], { metrics }));
  expect(findings).toEqual([{ code: "target-gone-under-load" }]);
});

test("a finding has endpoint, statistic, limit, value, unit and samples", () => {
  const run = ended(99, [slow], { metrics: { [slow]: { "p(95)": 1012.3456, count: 8 } } });
  expect(judgeLoad(run).findings[0]).toEqual({
    code: "latency-over-limit",
    endpoint: "batch",
    subject: "batch",
    expected: 1000,
    actual: 1012.3456,
    unit: "ms",
    seen: { count: 8, of: "samples" },
    details: { statistic: "p95" },
  });
});

describe("a waived threshold", () => {
  const waiverOf = (metric: string, scenario = "batch"): Waiver => ({
    id: `load.${scenario}/${metric}`,
    reason: "r",
    owner: "o",
    ticket: "T-1",
    expires: "2999-12-31",
  });
  const both = [waiverOf(invalid), waiverOf(failed)];
  test.each<[string, EndedRun, readonly Waiver[], string, findings: number]>([
    ["does not fail the run", ended(99, [invalid]), [waiverOf(invalid)], "pass", 0],
    ["does not cover another threshold", ended(99, [invalid, failed]), [waiverOf(invalid)], "fail", 1],
    ["and another waived one do not fail the run", ended(99, [invalid, failed]), both, "pass", 0],
    ["of another scenario is not covered", ended(99, [invalid]), [waiverOf(invalid, "paging")], "fail", 1],
    ["does not make an invalid run pass", ended(99, [invalid, "dropped_iterations"]), both, "invalid", 1],
    ["on the run itself is not covered", ended(99, ["exceptions"]), [waiverOf("exceptions")], "invalid", 1],
    ["that was not crossed has no effect", ended(0), both, "pass", 0],
  ])("%s", (_name, run, waivers, verdict, findings) => {
    const judged = judgeLoad(run, waivers);
    expect(judged).toMatchObject({ verdict });
    expect(judged.findings).toHaveLength(findings);
  });

  test("keeps the waiver, and adds a note", () => {
    const { notes, thresholds } = judgeLoad(ended(99, [invalid]), [waiverOf(invalid)]);
    expect(notes).toMatchObject([
      { code: "threshold-waived", details: { waived: { code: "invalid-responses", endpoint: "batch" } } },
    ]);
    expect(thresholds.flatMap(({ waiver }) => waiver?.ticket ?? [])).toEqual(["T-1"]);
  });

  test("has no waiver when it has too few samples to be judged", () => {
    const few = { rate: 0.25, passes: 1, fails: 3 };
    const run = ended(99, [failed], { metrics: { [failed]: few } });
    const { notes, thresholds } = judgeLoad(run, [waiverOf(failed)]);
    expect(notes).toMatchObject([{ code: "share-not-judged" }]);
    expect(thresholds.filter(({ waiver }) => waiver !== undefined)).toEqual([]);
  });
});

describe("k6 was stopped for its memory", () => {
  const tooBig: Finding = { code: "response-too-big", subject: "GET /products/a/1", actual: 8e6 };
  const stopped: K6Exit = {
    code: undefined,
    signal: "SIGKILL",
    interrupted: false,
    stopped: memory,
    reported: [],
    errors: [],
  };
  const judged = (changes: Partial<EndedRun>) =>
    judgeLoad({
      scenario: "lookup",
      profile: profiles.smoke,
      exit: stopped,
      summary: undefined,
      ...changes,
    });

  test("a response that is too big was found: the target failed", () => {
    const { verdict, findings, notes } = judged({ tooBig });
    expect([verdict, notes]).toEqual(["fail", []]);
    expect(findings.map(({ code }) => code)).toEqual(["response-too-big", "k6-memory"]);
  });

  test("no such response, stopped for another reason, or interrupted by the user: invalid", () => {
    expect(judged({}).verdict).toBe("invalid");
    expect(judged({ tooBig, exit: { ...stopped, stopped: overdue } })).toMatchObject({
      verdict: "invalid",
      findings: [{ code: "k6-overdue" }],
    });
    expect(judgeLoad(ended(0, [], { tooBig })).verdict).toBe("pass");
    expect(judged({ tooBig, exit: { ...stopped, interrupted: true } }).verdict).toBe("invalid");
  });
});

describe("the findings of a run that ended early", () => {
  test.each<[string, EndedRun, readonly Finding[]]>([
    [
      "killed",
      ended(0, [], { exit: { ...exit, code: undefined, signal: "SIGKILL" }, summary: undefined }),
      [{ code: "k6-killed", subject: "SIGKILL" }],
    ],
    [
      "stopped for its memory",
      ended(0, [], {
        exit: { ...exit, code: undefined, signal: "SIGKILL", stopped: memory },
        summary: undefined,
      }),
      [memory],
    ],
    ["stopped with a summary", ended(0, [], { exit: { ...exit, code: 105, stopped: overdue } }), [overdue]],
    [
      "without CPU",
      ended(0, [], { starved: [{ code: "generator-cpu", actual: 0.5, unit: "share" }] }),
      [{ code: "generator-cpu", actual: 0.5, unit: "share" }],
    ],
    [
      "an interruption",
      ended(105, [failed], { exit: { ...exit, code: 105, interrupted: true } }),
      [{ code: "load-interrupted" }],
    ],
    [
      "no summary, with the exit code",
      ended(104, [], { exit: { ...exit, code: 104 }, summary: undefined }),
      [{ code: "no-summary", actual: 104 }],
    ],
    [
      "no summary and no exit code",
      ended(undefined, [], { exit: { ...exit, code: undefined }, summary: undefined }),
      [{ code: "no-summary" }],
    ],
    [
      "a report of the setup, and no summary",
      ended(104, [], {
        exit: { ...exit, code: 104, reported: [unavailable] },
        summary: undefined,
      }),
      [unavailable],
    ],
    [
      "an exception in the setup, which leaves a summary",
      ended(107, [failed], { exit: { ...exit, code: 107, reported: [unavailable] } }),
      [unavailable],
    ],
  ])("%s", (_title, run, findings) => {
    expect(judgeLoad(run)).toMatchObject({ verdict: "invalid", notes: [] });
    expect(judgeLoad(run).findings).toEqual(findings);
  });

  test("without a summary there are no thresholds", () => {
    expect(judgeLoad(ended(0, [], { summary: undefined })).thresholds).toEqual([]);
  });

  test("a report of the script does not end a run that went on", () => {
    const run = ended(0, [failed], { exit: { ...exit, reported: [{ code: "summary-unreadable" }] } });
    expect(judgeLoad(run).findings.map(({ code }) => code)).toEqual([
      "failed-requests",
      "summary-unreadable",
    ]);
  });

  test("an exit code that nothing explains is a finding", () => {
    expect(judgeLoad(ended(108)).findings).toEqual([{ code: "k6-exit", actual: 108 }]);
    expect(judgeLoad(ended(99)).findings).toEqual([{ code: "k6-exit", actual: 99 }]);
    const reported: Finding[] = [{ code: "summary-unreadable" }];
    expect(judgeLoad(ended(108, [], { exit: { ...exit, code: 108, reported } })).findings).toEqual(reported);
    expect(judgeLoad(ended(99, [failed])).findings.map(({ code }) => code)).toEqual(["failed-requests"]);
  });
});

describe("how often something happened", () => {
  const lookups = limitsFor("lookup", profile, catalogFrom(sampleFixtures()), 1);
  const probe = limitsFor("rate-limit", profiles.probe, catalogFrom(sampleFixtures()), 1);
  const paging = limitsFor("paging", profile, catalogFrom(sampleFixtures()), 1);

  /** The findings on crossed limits of a scenario with these metrics. */
  function crossed(
    all: ReturnType<typeof limitsFor>,
    name: string,
    metrics: Record<string, Record<string, number>>,
  ) {
    const run = ended(99, [], { metrics });
    const thresholds = all.map((limit) => ({ ...limit, met: limit.metric !== name }));
    return judgeLoad({ ...run, summary: run.summary && { ...run.summary, thresholds } }).findings;
  }

  test.each<[string, ReturnType<typeof limitsFor>, Record<string, Record<string, number>>, Finding["seen"]]>([
    [
      "refusals_malformed",
      lookups,
      { refusals_malformed: { count: 3 }, refusals: { count: 7 } },
      { count: 3, total: 7, of: "responses" },
    ],
    [
      "invalid_responses{name:lookup-by-id}",
      lookups,
      { "invalid_responses{name:lookup-by-id}": { rate: 0.1, passes: 1, fails: 9 } },
      { count: 1, total: 10, of: "responses" },
    ],
    [
      "refusals_malformed",
      lookups,
      { refusals_malformed: { count: 3 } },
      { count: 3, total: 0, of: "responses" },
    ],
    ["exceptions", lookups, { exceptions: { count: 4 } }, { count: 4, of: "iterations" }],
    ["cursors_repeated", paging, { cursors_repeated: { count: 2 } }, { count: 2, of: "iterations" }],
    [
      "probe_other_refused",
      probe,
      { probe_other_refused: { count: 5 }, probe_other_requests: { count: 40 } },
      { count: 5, total: 40, of: "requests" },
    ],
    ["schedule_lag", lookups, { schedule_lag: { "p(95)": 900, count: 50 } }, { count: 50, of: "samples" }],
  ])("%s", (name, all, metrics, seen) => {
    expect(all.some(({ metric }) => metric === name)).toBe(true);
    expect(crossed(all, name, metrics).map((finding) => finding.seen)).toContainEqual(seen);
  });

  test("without a count or a statistic, a finding has neither", () => {
    const [finding] = crossed(lookups, "http_reqs{name:lookup-by-id,status:200}", {});
    expect(finding).toEqual({
      code: "no-samples",
      endpoint: "lookup-by-id",
      subject: "lookup-by-id",
      expected: 1,
      unit: "count",
    });
  });
});

test("a kind of request that the profile limits and the scenario does not send is named", () => {
  const endpoints = { "category-page": { p95Milliseconds: 10 }, batch: { p95Milliseconds: 1000 } };
  const run = ended(0, [], { profile: { ...profile, thresholds: { ...profile.thresholds, endpoints } } });
  expect(judgeLoad(run)).toMatchObject({
    verdict: "invalid",
    findings: [{ code: "endpoint-not-asked", subject: "category-page" }],
  });
});

describe("the delay that dropped iterations seem to cause", () => {
  const lag = (milliseconds: number, dropped: number) =>
    judgeLoad(
      ended(99, ["schedule_lag"], {
        metrics: {
          schedule_lag: { "p(95)": milliseconds, count: 9 },
          dropped_iterations: { count: dropped },
        },
      }),
    ).thresholds.find(({ metric }) => metric === "schedule_lag");

  test("is one interval for each, and taken off", () => {
    // 40 iterations in 4 s: 100 ms each.
    expect(lag(1000, 5)).toMatchObject({ value: 500, met: true });
    expect(lag(1001, 5)).toMatchObject({ value: 501, met: false, crossing: "iterations-late" });
    expect(lag(100, 5)).toMatchObject({ value: 0, met: true });
    expect(lag(1000, 0)).toMatchObject({ value: 1000, met: false });
  });
});

describe("iterations that were abandoned after a refusal", () => {
  const allowing = { ...profile, thresholds: { ...profile.thresholds, droppedShare: 0.1 } };
  const abandoned = (count: number, dropped: number) =>
    judgeLoad(
      ended(0, [], {
        profile: allowing,
        metrics: {
          abandoned_iterations: { count },
          dropped_iterations: { count: dropped },
          refusals: { count: 9 },
          http_reqs: { count: 40 },
        },
      }),
    ).findings.map(({ code }) => code);

  test("count with the dropped ones, up to the share that the profile allows", () => {
    // A tenth of 40.
    expect(abandoned(4, 0)).toEqual([]);
    expect(abandoned(3, 1)).toEqual([]);
    expect(abandoned(3, 2)).toEqual(["rate-limit-reached"]);
    expect(abandoned(5, 0)).toEqual(["rate-limit-reached"]);
    expect(abandoned(0, 9)).toEqual([]);
  });
});

describe("requests that are refused after Retry-After", () => {
  test.each([
    [3, 3, 0, "fail"],
    [5, 4, 0, "fail"],
    [5, 3, 0, "pass"],
    [2, 2, 0, "pass"],
    [3, 3, 1, "pass"],
  ])("%i tried, %i broken, %i requests lost at a gateway: %s", (tried, broken, lost, verdict) => {
    const { verdict: judged, findings } = judgeLoad(
      ended(0, [], {
        metrics: {
          probe_waits_tried: { count: tried },
          probe_waits_refused: { count: broken },
          on_the_way: { count: lost },
        },
      }),
    );
    expect(judged).toBe(verdict);
    expect(findings).toEqual(
      verdict === "pass"
        ? []
        : [{ code: "refused-after-waits", seen: { count: broken, total: tried, of: "attempts" } }],
    );
  });

  test("a wait that only a cache broke is told apart", () => {
    const counts = { probe_waits_tried: 5, probe_waits_refused: 5, probe_waits_cached: 4 };
    const metrics = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, { count }]));
    expect(judgeLoad(ended(0, [], { metrics })).findings).toEqual([
      expect.objectContaining({ code: "refused-after-waits", details: { cached: 4 } }),
    ]);
  });
});

describe("a search for the capacity", () => {
  const searching = { ...profile, findsCapacity: true };
  const column = (value: number, slow = value) => [value, value, value, value, slow, slow];
  const series = {
    periodSeconds: 2,
    seconds: [2, 4, 6, 8, 10, 12],
    requestRate: [10, 20, 30, 40, 50, 60],
    failedRate: column(0),
    refusedRate: column(0),
    waitSeconds: [],
    virtualUsers: [],
    latency: { p50: column(5), p95: column(10, 5000), p99: column(10, 9500) },
  };
  const finished = { ...exit, code: 105, finished: true };
  const slowest = { [slow]: { count: 400, "p(99)": 9500 }, dropped_iterations: { count: 20 } };
  type SearchChange = Change & { readonly crossed?: readonly string[] };
  const judged = ({ crossed = [], ...change }: SearchChange = {}) =>
    judgeLoad(ended(105, [slow, ...crossed], { profile: searching, series, exit: finished, ...change }));
  /** A long search whose last periods are these. */
  const longWith = (last: (number | null)[]) => {
    const calm = Array<number>(50).fill(10);
    const slowAtLast = [...calm, 5000, 5000];
    return {
      ...series,
      requestRate: [...calm.slice(0, -last.length), ...last, 50, 60],
      latency: { ...series.latency, p95: slowAtLast, p99: [] },
    };
  };

  test("that was ended when it had its answer passes with the capacity", () => {
    const { verdict, notes } = judged();
    expect(verdict).toBe("pass");
    expect(notes).toMatchObject([{ code: "capacity-reached", actual: 50 }]);
  });

  test.each<[string, SearchChange, Finding["code"]]>([
    [
      "a machine without CPU",
      { starved: [{ code: "search-on-busy-machine", actual: 0.99 }] },
      "search-on-busy-machine",
    ],
    ["late starts", { series: { ...series, lateMilliseconds: [0, 0, 0, null, 201, 0] } }, "iterations-late"],
    [
      "late starts in the whole run, and a target that was slow as well",
      { metrics: { ...slowest, schedule_lag: { "p(95)": 5000 } }, crossed: ["schedule_lag"] },
      "iterations-late",
    ],
    [
      "late starts, and refusals",
      {
        series: { ...series, lateMilliseconds: column(0, 400) },
        metrics: { refusals: { count: 200 }, http_reqs: { count: 420 } },
      },
      "iterations-late",
    ],
    [
      "too many open files",
      { metrics: { on_the_way: { count: 3 }, "on_the_way{status:open files}": { count: 3 } } },
      "lost-on-the-way",
    ],
    [
      "failures of requests that no name server resolved",
      {
        series: { ...series, failedRate: [0, 0, 0, 40, 50, 60] },
        metrics: { on_the_way: { count: 300 }, "on_the_way{status:unknown host}": { count: 300 } },
      },
      "lost-on-the-way",
    ],
    ["no figures where the limit was exceeded", { series: longWith([null, 1000]) }, "search-figures-lost"],
    ["no figures over time", { series: undefined }, "search-figures-lost"],
    [
      "figures of half of the time",
      { series: { ...series, requestRate: [10, null, null, null, 50, 60] } },
      "search-figures-lost",
    ],
    ["an exit of k6 that nothing explains", { exit: { ...exit, code: 108 } }, "k6-exit"],
  ])("has no capacity with %s, and is invalid", (_title, change, code) => {
    const { verdict, findings, notes } = judged(change);
    expect([verdict, findings[0]?.code]).toEqual(["invalid", code]);
    expect(JSON.stringify([findings, notes])).not.toContain("capacity");
  });

  test.each<[string, Change]>([
    [
      "late starts long before the limit was exceeded",
      { series: { ...longWith([10]), lateMilliseconds: [900] } },
    ],
    [
      "a single request that no name server resolved",
      { metrics: { on_the_way: { count: 1 }, "on_the_way{status:unknown host}": { count: 1 } } },
    ],
    ["a short gap long before the limit was exceeded", { series: longWith([null, 10, 10, 10, 10]) }],
  ])("has a capacity with %s", (_title, change) => {
    expect(judged(change)).toMatchObject({
      verdict: "pass",
      notes: [{ code: "capacity-reached", actual: 50 }, ...(change.metrics ? [{}] : [])],
    });
  });

  test("does not blame the target from the start where the generator was starved", () => {
    const slowFromTheStart = { ...series, latency: { ...series.latency, p95: column(5000) } };
    const starved: Finding[] = [{ code: "search-on-busy-machine", actual: 0.99 }];
    expect(judged({ series: slowFromTheStart })).toMatchObject({
      verdict: "fail",
      findings: [{ code: "capacity-reached", actual: 10 }],
    });
    expect(judged({ series: slowFromTheStart, starved }).verdict).toBe("invalid");
  });

  test("has the rate limit as its answer, although no iteration was lost", () => {
    const refusedRate = [0, 0, 10, 20, 30, 40];
    const metrics = { refusals: { count: 200 }, http_reqs: { count: 420 } };
    const calm = { ...series, refusedRate, latency: { p50: column(5), p95: column(5), p99: column(5) } };
    const { verdict, notes } = judged({ series: calm, metrics });
    expect(verdict).toBe("pass");
    expect(notes).toMatchObject([{ code: "rate-limit-reached", actual: 20 }]);
  });
});

test("a percentile above its limit is judged by how many responses were slower", () => {
  const judgedWith = (count: number, slowest: number) => {
    const values = Array.from({ length: slices().length }, (_, place) =>
      (slices()[place] ?? 0) > 100 - (slowest / count) * 100 ? 2000 : 10,
    );
    const run = ended(99, [slow], { metrics: { [slow]: { "p(95)": 2000, "p(99)": 2000, count } } });
    const distributions = { [slow]: { count, slices: values } };
    return judgeLoad({ ...run, summary: run.summary && { ...run.summary, distributions } });
  };
  // 2 of 20 are slower at a limit on 5 % in 26 % of runs, 6 of 20 in 0.03 %.
  expect(judgedWith(20, 2)).toMatchObject({ verdict: "pass", notes: [{ code: "share-not-judged" }, {}] });
  expect(judgedWith(20, 6).verdict).toBe("fail");
});

test("a kind of request of which all few requests failed is no reason to call the run invalid", () => {
  const lookups = limitsFor("lookup", profile, catalogFrom(sampleFixtures()), 1);
  const rare = "lookup-unknown-product";
  const of = (name: string, passes: number, fails: number) => [
    `http_req_failed{name:${name}}`,
    { rate: passes / (passes + fails), passes, fails },
  ];
  const run = ended(99, [], {
    scenario: "lookup",
    metrics: Object.fromEntries([of("lookup-by-id", 0, 399), of(rare, 1, 0)]),
  });
  const thresholds = lookups.map((limit) => ({
    ...limit,
    met: limit.request !== rare || !["http_reqs", "http_req_failed"].includes(limit.measure),
  }));
  const { verdict, notes } = judgeLoad({ ...run, summary: run.summary && { ...run.summary, thresholds } });
  expect(verdict).toBe("pass");
  expect(notes.map(({ code }) => code)).toContain("no-samples");
});

describe("latency above its limit", () => {
  const judged = (actual: number, late: number) =>
    judgeLoad(
      ended(99, [slow], {
        metrics: {
          [slow]: { "p(95)": actual, "p(99)": 1e6, count: 40 },
          schedule_lag: { "p(95)": late, count: 40 },
        },
      }),
    );
  const { p95Milliseconds: limit = 0 } = profile.thresholds;

  test.each([
    [limit + 200, 10, "fail"],
    [limit + 200, 199, "fail"],
    [limit + 200, 201, "invalid"],
    [limit + 5, 10, "fail"],
  ])("%d ms, with iterations %d ms late: %s", (actual, late, verdict) => {
    const { verdict: found, findings } = judged(actual, late);
    expect(found).toBe(verdict);
    expect(findings[0]).toMatchObject({ code: "latency-over-limit", actual });
    expect(findings[0]?.details).toEqual(
      verdict === "fail" ? { statistic: "p95" } : { statistic: "p95", lateMilliseconds: late },
    );
  });
});

test.each([
  [1, 1, "pass"],
  [3, 1, "pass"],
  [0, 1, "invalid"],
  [1, 2, "invalid"],
])("with %d dropped iterations, a kind planned %d times that was not sent: %s", (count, planned, verdict) => {
  const rare = "lookup-unknown-retailer";
  const lookups = limitsFor("lookup", profile, catalogFrom(sampleFixtures()), 1);
  const thresholds = lookups.map((limit) => {
    const isEmpty = limit.request === rare && ["http_reqs", "checking_users"].includes(limit.measure);
    return { ...limit, ...(isEmpty ? { planned } : {}), met: !isEmpty };
  });
  const run = ended(99, [], { scenario: "lookup", metrics: { dropped_iterations: { count } } });
  const judged = judgeLoad({ ...run, summary: run.summary && { ...run.summary, thresholds } });
  expect(judged.verdict).toBe(verdict);
  const told = verdict === "pass" ? judged.notes : judged.findings;
  expect(told).toContainEqual(expect.objectContaining({ code: "no-samples", subject: rare }));
});

test("a rate limit only slows down a run until its failures are judged", () => {
  const refusals = { refusals: { count: 50 }, http_reqs: { count: 450 }, dropped_iterations: { count: 30 } };
  const judged = (untilJudged: boolean, crossed = ["dropped_iterations"]) =>
    judgeLoad(ended(99, crossed, { profile: { ...profile, untilJudged }, metrics: refusals }));
  expect(judged(false).verdict).toBe("fail");
  expect(judged(true)).toMatchObject({ verdict: "pass", notes: [{ code: "rate-limit-reached" }] });
  expect(judged(true, ["dropped_iterations", empty]).verdict).toBe("fail");
});
