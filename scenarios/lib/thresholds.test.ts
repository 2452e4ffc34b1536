import { expect, test } from "vitest";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { type ProfileName, profiles } from "../profiles.ts";
import { catalogFrom } from "./catalog.ts";
import { sampleFixtures } from "./sample-fixtures.ts";
import {
  expressionOf,
  judgedLimits,
  type Limit,
  limitsFor,
  measuredOf,
  plannedRequests,
  thresholdOf,
  thresholdOptions,
} from "./thresholds.ts";

const catalog = catalogFrom(sampleFixtures());
const limit: Limit = {
  metric: "http_req_duration{name:batch,status:200}",
  measure: "http_req_duration",
  request: "batch",
  statistic: "p95",
  bound: "most",
  limit: 500,
};

const shown = (one: Limit) => `${thresholdOf(one).guards}: ${one.metric} ${expressionOf(one)}`;
const always = ["run: exceptions count<=0", "target: refusals_malformed count<=0"];
const planned = (most: number) => [`run: dropped_iterations count<=${most}`, "run: schedule_lag p(95)<=500"];
const lookups = "lookup-by-url lookup-by-gtin lookup-by-id lookup-unknown-product lookup-unknown-retailer";

test.each<[ScenarioId, ProfileName, kinds: string, limits: string[]]>([
  ["lookup", "smoke", lookups, [...always, ...planned(0)]],
  ["paging", "smoke", "category-page", [...always, "target: cursors_repeated count<=0"]],
  ["batch", "average", "batch", [...always, ...planned(64)]],
  [
    "tenants",
    "smoke",
    "retailers lookup-by-id lookup-by-url lookup-by-gtin lookup-unentitled-retailer category-page batch",
    ["target: foreign_responses count<=0", "run: fitting_responses count>=1", ...always, ...planned(0)],
  ],
  [
    "rate-limit",
    "probe",
    "lookup-by-id",
    [...always, "run: probe_requests count>=1", "target: probe_other_refused count<=0"],
  ],
  ["rate-limit", "polite", "lookup-by-id", [...always, "run: polite_admitted count>=1"]],
])("the limits of %s with the profile %s, and the kinds of request that have some", (...row) => {
  const [scenario, profile, kinds, expected] = row;
  const limits = limitsFor(scenario, profiles[profile], catalog, 1);
  expect(limits.filter(({ request }) => request === undefined).map(shown)).toEqual(expected);
  expect(new Set(limits.flatMap(({ request }) => request ?? []))).toEqual(new Set(kinds.split(" ")));
});

const { smoke } = profiles;
/** Limits of the profile smoke, but for these. */
const limited = (change: Partial<Profile["thresholds"]>) => ({
  ...smoke,
  thresholds: { ...smoke.thresholds, ...change },
});

test("a kind of request has limits on what was measured, and on how much; also one that only the profile names", () => {
  const change = { lagMilliseconds: 9, endpoints: { "lookup-unknown-product": { p99Milliseconds: 7 } } };
  const limits = limitsFor("batch", limited({ ...change, invalidShare: 0.1 }), catalog, 1).map(shown);
  const tag = "name:lookup-unknown-product";
  expect(limits).toContain("run: schedule_lag p(95)<=9");
  expect(limits.filter((one) => one.includes(tag))).toEqual([
    `target: http_req_duration{${tag},status:404} p(95)<=1000`,
    `target: http_req_duration{${tag},status:404} p(99)<=7`,
    `run: http_reqs{${tag},status:404} count>=1`,
    `target: http_req_failed{${tag}} rate<=0.01`,
    `target: invalid_responses{${tag}} rate<=0.1`,
    `run: checked_responses{${tag}} count>=1`,
  ]);
});

test("of a short run, only kinds that it is certain to send have limits", () => {
  const short = { ...smoke, stages: [{ seconds: 1, rate: 2 }] };
  expect(plannedRequests("lookup", short, catalog, 1).size).toBeLessThanOrEqual(2);
});

test.each([
  ["batch", limited({}), ["p(95)<=1000"], ["count<=0"]],
  ["batch", limited({ invalidShare: 0.1 }), ["p(95)<=1000"], []],
  // A probe is too fast on purpose, but its latency is measured.
  ["rate-limit", profiles.probe, [], ["count<=0"]],
] as const)(
  "%s: what k6 judges of a kind, and what it only counts",
  (scenario, profile, latency, invalid) => {
    const name = scenario === "batch" ? "name:batch" : "name:lookup-by-id";
    const options = thresholdOptions(limitsFor(scenario, profile, catalog, 1));
    const ofKind = Object.entries(options).filter(([metric]) => metric.includes(name));
    expect(Object.fromEntries(ofKind)).toEqual({
      [`http_req_duration{${name},status:200}`]: latency,
      [`http_reqs{${name},status:200}`]: ["count>=1"],
      [`http_req_failed{${name}}`]: ["rate<=0.01"],
      [`invalid_responses{${name}}`]: invalid,
      [`on_the_way{${name}}`]: [],
      [`complete_checks{${name}}`]: [],
      [`complete_checks{${name},failed:true}`]: [],
      [`refusals{${name}}`]: [],
      [`refusals_invalid{${name}}`]: [],
    });
  },
);

test.each<[Partial<Limit>, measured: number | undefined, boolean]>([
  [{}, 500, true],
  [{}, 500.1, false],
  [{}, undefined, true],
  [{ bound: "least", limit: 1 }, undefined, false],
  [{ bound: "least", limit: 1 }, 1, true],
])("%j of %d is met: %s", (change, measured, met) => {
  const metrics = measured === undefined ? {} : { [limit.metric]: { "p(95)": measured } };
  expect(judgedLimits([{ ...limit, ...change }], metrics)).toEqual([{ ...limit, ...change, met }]);
});

test.each<[Limit["statistic"], Record<string, number>, number | undefined]>([
  ["p95", { count: 2, "p(95)": 7 }, 7],
  ["p95", { count: 0, "p(95)": 0 }, undefined],
  ["share", { rate: 0.5, passes: 1, fails: 1 }, 0.5],
  ["share", { rate: 0, passes: 0, fails: 2 }, 0],
  ["share", { rate: 0, passes: 0, fails: 0 }, undefined],
  ["count", { count: 0, rate: 0 }, 0],
])("%s of %j is measured as %s", (statistic, values, measured) => {
  expect(measuredOf({ ...limit, statistic }, { [limit.metric]: values })).toBe(measured);
});
