import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "../load/plan.ts";
import { refuseOnCluster } from "./load-from-pods.ts";

const refusing =
  (load: { scenario: "lookup" | "rate-limit"; shards?: number; k6Args?: string[] }, name = "smoke") =>
  () =>
    refuseOnCluster(planLoad({ profileName: name, profile: profiles[name as "smoke"], ...load }));

test("what pods cannot run is refused: several that search for one limit, arguments of k6, an unknown limit", () => {
  const scenario = "rate-limit";
  expect(refusing({ scenario, shards: 2 })).toThrow("the same limit");
  expect(refusing({ scenario })).not.toThrow();
  expect(refusing({ scenario: "lookup", k6Args: ["--no-such-flag"] })).toThrow("do not reach the pods");
  expect(refusing({ scenario }, "polite")).toThrow("need the rate limit that it stays below");
});
