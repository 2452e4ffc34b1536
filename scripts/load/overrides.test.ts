import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { overrideProfile } from "./overrides.ts";

test("rate and duration scale the shape", () => {
  const { stages } = overrideProfile(profiles.spike, { rate: 400, durationSeconds: 80 });
  expect(Math.max(...stages.map(({ rate }) => rate))).toBe(400);
  expect(stages.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(80, 6);
  expect(stages).toHaveLength(profiles.spike.stages.length);
  expect(stages[0]).toEqual({ seconds: 0, rate: 40 });
});

test("virtual users go to open traffic and to walkers", () => {
  expect(overrideProfile(profiles.smoke, { vus: 7 })).toMatchObject({ virtualUsers: 7, walkers: 7 });
});

test("without overrides nothing changes", () => {
  expect(overrideProfile(profiles.smoke)).toEqual(profiles.smoke);
});
