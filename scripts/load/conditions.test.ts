import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { conditionsOf } from "./conditions.ts";
import { planLoad } from "./plan.ts";

const plan = planLoad({ scenario: "lookup", profileName: "smoke", profile: profiles.smoke });

test("the description of a profile and its name are no conditions", () => {
  const renamed = { ...plan, profile: { ...profiles.smoke, description: "other words" } };
  expect(conditionsOf(renamed, "1.8.1")).toEqual(conditionsOf(plan, "1.8.1"));
});

test.each([
  ["profile", { profile: profiles.average }],
  ["k6Arguments", { k6Args: ["--no-connection-reuse"] }],
  ["seed", { seed: 2 }],
] as const)("a different %s is a different condition", (part, change) => {
  const [before, after] = [conditionsOf(plan, "1.8.1"), conditionsOf({ ...plan, ...change }, "1.8.1")];
  expect(after).toEqual({ ...before, [part]: expect.not.stringMatching(`^${before[part]}$`) });
});

test("arguments for k6 are not shown, since they may hold secrets", () => {
  const conditions = conditionsOf({ ...plan, k6Args: ["--env", "TOKEN=secret"] }, "1.8.1");
  expect(JSON.stringify(conditions)).not.toContain("secret");
});
