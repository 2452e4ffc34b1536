import { expect, test } from "vitest";
import { profiles } from "../../../scenarios/profiles.ts";
import { planLoad } from "../../load/plan.ts";
import { refuseOnCluster } from "./cluster.ts";

const named = { profileName: "smoke", profile: profiles.smoke } as const;

test.each([
  ["a search for the rate limit by several pods", { scenario: "rate-limit", shards: 2 }, "the same limit"],
  ["arguments of k6", { scenario: "lookup", k6Args: ["--no-such-flag"] }, "do not reach the pods"],
] as const)("%s is refused on a cluster", (_, load, message) => {
  expect(() => refuseOnCluster(planLoad({ ...named, ...load }))).toThrow(message);
});

test("one pod may search for the rate limit", () => {
  expect(() => refuseOnCluster(planLoad({ ...named, scenario: "rate-limit" }))).not.toThrow();
});
