import { describe, expect, test } from "vitest";
import { profiles } from "../profiles.ts";
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
const scenarios = ["lookup", "paging", "batch", "mixed"] as const;
const limit: Limit = {
  metric: "http_req_duration{name:batch,status:200}",
  measure: "http_req_duration",
  request: "batch",
  statistic: "p95",
  bound: "most",
  limit: 500,
};

describe("limits", () => {
  test.each(scenarios)(
    "of %s: each limit on the target comes with one on the number of samples of the same request",
    (scenario) => {
      const limits = limitsFor(scenario, profiles.smoke, catalog, 1);
      const onTarget = limits.filter(
        (one) => one.request !== undefined && thresholdOf(one).guards === "target",
      );
      expect(onTarget.length).toBeGreaterThan(2);
      for (const { request } of onTarget) {
        const counts = limits.filter(
          (other) => other.request === request && expressionOf(other) === "count>=1",
        );
        expect(counts).toHaveLength(2);
      }
    },
  );

  test("cover each kind of request that is sent, and those that only the profile names", () => {
    const asked = plannedRequests("lookup", profiles.smoke, catalog, 1);
    expect(asked).toContain("lookup-unknown-retailer");
    const own = { ...profiles.smoke.thresholds, endpoints: { batch: { p95Milliseconds: 7 } } };
    const profile = { ...profiles.smoke, thresholds: own };
    const options = thresholdOptions(limitsFor("lookup", profile, catalog, 1));
    for (const name of asked) expect(options[`http_req_failed{name:${name}}`]).toEqual(["rate<=0.01"]);
    expect(options["http_req_duration{name:batch,status:200}"]).toEqual(["p(95)<=7"]);
    expect(options["http_reqs{name:batch,status:200}"]).toEqual(["count>=1"]);
  });

  test("measure latency by status, without 429 responses", () => {
    const options = thresholdOptions(limitsFor("mixed", profiles.smoke, catalog, 1));
    for (const metric of Object.keys(options).filter((name) => name.startsWith("http_req_duration{"))) {
      expect(metric).toMatch(/status:(200|400|403|404)/);
    }
  });

  test("of a probe are not on latency, but it is measured", () => {
    const options = thresholdOptions(limitsFor("rate-limit", profiles.probe, catalog, 1));
    expect(options["http_req_duration{name:lookup-by-id,status:200}"]).toEqual([]);
  });
});

test.each<[Partial<Limit>, measured: number | undefined, boolean]>([
  [{}, 500, true],
  [{}, 500.1, false],
  [{}, undefined, true],
  [{ bound: "least", limit: 1 }, undefined, false],
  [{ bound: "least", limit: 1 }, 1, true],
  [{ bound: "most", limit: 0 }, 1, false],
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
