import { describe, expect, test } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "../load/plan.ts";
import { planPods, podCollector, podResources, renderPodPlan } from "./pods.ts";

const load = planLoad({
  scenario: "lookup",
  profileName: "test",
  profile: { ...profiles.average, stages: constantRate(10_000, 60), virtualUsers: 2000 },
  shards: 4,
});

describe("a plan of pods", () => {
  test("has as many as the cost of a request takes", () => {
    // One core may be busy for 0.6 s in a second: 3,000 requests.
    const plan = planPods(load, { podCores: 1, acceptedRate: undefined });
    expect(plan).toMatchObject({ pods: 4, peak: 10_000, virtualUsers: 500, millicores: 900 });
    expect(planPods(load, { podCores: 4, acceptedRate: undefined }).pods).toBe(1);
  });

  test("has pods that a node has memory for", () => {
    const crowded = planLoad({
      scenario: "lookup",
      profileName: "test",
      profile: { ...profiles.stress, stages: constantRate(5000, 60), virtualUsers: 15_000 },
    });
    expect(planPods(crowded, { podCores: 2, acceptedRate: undefined })).toMatchObject({ pods: 2 });
    expect(planPods(crowded, { podCores: 1, acceptedRate: undefined })).toMatchObject({ pods: 4 });
  });

  test("limits CPU where that is asked for, and requests as much", () => {
    expect(podResources(load, 1.5)).toMatchObject({
      requests: { cpu: "1500m" },
      limits: { cpu: "1500m" },
    });
  });

  test.each([
    [undefined, "The rate limit of the target is not known"],
    [20_000, "The target accepts 20,000/s: all of it."],
    [500, "The target accepts 500/s of the 10,000/s: the rest is refused with 429."],
  ])("says what a limit of %s lets through", (acceptedRate, text) => {
    expect(renderPodPlan(planPods(load, { podCores: 1, acceptedRate }))).toContain(text);
  });

  test("limits the memory of a pod and not its CPU", () => {
    expect(podResources(load)).toEqual({
      requests: { cpu: "900m", memory: "756Mi" },
      limits: { memory: "1512Mi" },
    });
    expect(podCollector(load)).toEqual({ GOGC: "100", GOMEMLIMIT: "1347629875B" });
  });
});
