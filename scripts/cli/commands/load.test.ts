import { expect, test } from "vitest";
import { profiles } from "../../../scenarios/profiles.ts";
import type { ScenarioId } from "../../../schemas/scenarios.ts";
import { planOf } from "./load.ts";

const settings = { choice: { kind: "embedded" }, profiles: {} } as const;

test.each<[scenario: ScenarioId, profile: string | undefined, "smoke" | "probe" | "stress"]>([
  ["lookup", undefined, "smoke"],
  ["mixed", undefined, "smoke"],
  ["rate-limit", undefined, "probe"],
  ["rate-limit", "smoke", "smoke"],
  ["lookup", "stress", "stress"],
])("scenario %s, profile %s: %s", (scenario, profile, name) => {
  const flags = profile === undefined ? { scenario } : { scenario, profile };
  expect(planOf(flags, settings)).toMatchObject({ profileName: name, profile: profiles[name] });
});

test("the duration of a probe cannot be set", () => {
  const flags = { scenario: "rate-limit", duration: 30 } as const;
  expect(() => planOf(flags, settings)).toThrow("--duration");
});
