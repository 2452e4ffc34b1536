import { describe, expect, test } from "vitest";
import { profiles } from "../profiles.ts";
import { catalogueFrom } from "./catalogue.ts";
import { guardOf, optionsFor, plannedEndpoints, thresholdsFor } from "./options.ts";
import { trendStatistics } from "./quantiles.ts";
import { sampleFixtures } from "./sample-fixtures.ts";

const catalogue = catalogueFrom(sampleFixtures());
const scenarios = ["lookup", "paging", "batch", "mixed"] as const;
const options = (
  scenario: (typeof scenarios)[number],
  profile = profiles.smoke as (typeof profiles)["stress"],
) => optionsFor(scenario, profile, catalogue, 1, trendStatistics());

describe("thresholds", () => {
  test.each(scenarios)("of %s pair every gate with a count on the same endpoint", (scenario) => {
    const thresholds = thresholdsFor(scenario, profiles.smoke, catalogue, 1);
    const gates = Object.entries(thresholds).filter(
      ([metric, expressions]) =>
        metric.includes("{name:") && expressions.length > 0 && guardOf(metric) === "target",
    );
    expect(gates.length).toBeGreaterThan(2);
    for (const [metric] of gates) {
      const name = /name:([^,}]+)/.exec(metric)?.[1];
      const counts = Object.entries(thresholds).filter(
        ([other, [expression]]) => other.includes(`{name:${name}`) && expression === "count>0",
      );
      expect(counts).toHaveLength(2);
    }
  });

  test("cover each endpoint that is asked, and one of the profile's own that is not", () => {
    const asked = plannedEndpoints("lookup", profiles.smoke, catalogue, 1);
    expect(asked).toContain("lookup-by-id");
    const own = { ...profiles.smoke.thresholds, endpoints: { batch: { p95Milliseconds: 7 } } };
    const thresholds = thresholdsFor("lookup", { ...profiles.smoke, thresholds: own }, catalogue, 1);
    for (const name of asked) expect(thresholds[`http_req_failed{name:${name}}`]).toEqual(["rate<=0.01"]);
    expect(thresholds["http_req_duration{name:batch,status:200}"]).toEqual(["p(95)<=7"]);
    expect(thresholds["http_reqs{name:batch,status:200}"]).toEqual(["count>0"]);
  });

  test("time only the status that counts, so that a 429 is in no latency", () => {
    const metrics = Object.keys(thresholdsFor("mixed", profiles.smoke, catalogue, 1));
    for (const metric of metrics.filter((name) => name.startsWith("http_req_duration{"))) {
      expect(metric).toMatch(/status:(200|400|403|404)/);
    }
  });
});

describe("executors", () => {
  test("of open traffic preallocate all virtual users and set no maximum", () => {
    const { lookup } = options("lookup", profiles.stress).scenarios;
    expect(lookup).toMatchObject({ executor: "ramping-arrival-rate", preAllocatedVUs: 600, timeUnit: "1s" });
    expect(lookup).not.toHaveProperty("maxVUs");
  });

  test("of batches run at their share of the rate, in whole numbers", () => {
    const odd = { ...profiles.stress, batchShare: 0.015 };
    expect(options("batch", odd).scenarios.batch).toMatchObject({ timeUnit: "100s" });
    for (const { target } of (options("batch", odd).scenarios.batch as { stages: { target: number }[] })
      .stages) {
      expect(Number.isInteger(target)).toBe(true);
    }
  });

  test("of mixed traffic are all three", () => {
    expect(Object.keys(options("mixed").scenarios)).toEqual(["lookup", "paging", "batch"]);
  });
});
