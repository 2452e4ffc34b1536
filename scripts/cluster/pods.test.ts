import { describe, expect, test } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "../load/plan.ts";
import { podCollector, podResources } from "./pods.ts";

const load = planLoad({
  scenario: "lookup",
  profileName: "test",
  profile: { ...profiles.average, stages: constantRate(10_000, 60), virtualUsers: 2000 },
  shards: 4,
});

describe("a pod", () => {
  test("limits CPU where that is asked for, and requests as much", () => {
    expect(podResources(load, 1.5)).toMatchObject({
      requests: { cpu: "1500m" },
      limits: { cpu: "1500m" },
    });
  });

  test("limits the memory of a pod and not its CPU", () => {
    expect(podResources(load)).toEqual({
      requests: { cpu: "900m", memory: "756Mi" },
      limits: { memory: "1512Mi" },
    });
    expect(podCollector(load)).toEqual({ GOGC: "100", GOMEMLIMIT: "1347629875B" });
  });
});
