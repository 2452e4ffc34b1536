import { expect, test } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "../load/plan.ts";
import { podSize } from "./pods.ts";

const load = planLoad({
  scenario: "lookup",
  profileName: "test",
  profile: { ...profiles.average, stages: constantRate(10_000, 60), virtualUsers: 2000 },
  shards: 4,
});

test("the memory of a pod is limited, its CPU only where that is asked for, and then it requests as much", () => {
  expect(podSize(load)).toEqual({
    resources: { requests: { cpu: "900m", memory: "756Mi" }, limits: { memory: "1512Mi" } },
    collector: { GOGC: "100", GOMEMLIMIT: "1347629875B" },
  });
  expect(podSize(load, 1.5).resources).toMatchObject({
    requests: { cpu: "1500m" },
    limits: { cpu: "1500m" },
  });
});
