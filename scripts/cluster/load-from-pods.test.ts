import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "../load/plan.ts";
import { refuseOnCluster } from "./load-from-pods.ts";

test.each([
  ["probe", 2, "what the limit accepts"],
  ["probe", 1, undefined],
  ["polite", 1, "need the rate limit that it stays below"],
] as const)("rate-limit with the profile %s in %d pods is refused: %s", (profileName, shards, why) => {
  const profile = profiles[profileName];
  const refuse = () =>
    refuseOnCluster(
      { ...planLoad({ scenario: "rate-limit", profileName, profile }), shards },
      { baseUrl: "http://catalog.shop.svc/v1" },
    );
  if (why === undefined) expect(refuse).not.toThrow();
  else expect(refuse).toThrow(why);
});
