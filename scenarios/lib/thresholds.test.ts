import { describe, expect, test } from "vitest";
import { profiles } from "../profiles.ts";
import { catalogueFrom } from "./catalogue.ts";
import { sampleFixtures } from "./sample-fixtures.ts";
import { guardOf, plannedEndpoints, thresholdsFor } from "./thresholds.ts";

const catalogue = catalogueFrom(sampleFixtures());
const scenarios = ["lookup", "paging", "batch", "mixed"] as const;

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
