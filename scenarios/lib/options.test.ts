import type { RampingArrivalRateScenario } from "k6/options";
import { expect, test } from "vitest";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { profiles } from "../profiles.ts";
import { optionsFor } from "./options.ts";

const options = (scenario: ScenarioId, profile: Profile = profiles.smoke) => optionsFor(scenario, profile);

test("of open traffic preallocate all virtual users and set no maximum", () => {
  const { lookup } = options("lookup", profiles.stress).scenarios;
  expect(lookup).toMatchObject({ executor: "ramping-arrival-rate", preAllocatedVUs: 600, timeUnit: "1s" });
  expect(lookup).not.toHaveProperty("maxVUs");
});

test("of batches run at their share of the rate, as a whole number", () => {
  const odd = { ...profiles.stress, batchShare: 0.015 };
  const { timeUnit, stages } = options("batch", odd).scenarios.batch as RampingArrivalRateScenario;
  expect(timeUnit).toBe("100s");
  expect(stages.every(({ target }) => Number.isInteger(target))).toBe(true);
});
