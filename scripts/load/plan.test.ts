import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { scenarioIds } from "../../schemas/scenarios.ts";
import { overrideProfile, planLoad, renderLoadPlan } from "./plan.ts";

const cases = Object.entries(profiles).flatMap(([profileName, profile]) =>
  scenarioIds.map((scenario) => ({ scenario, profileName, profile })),
);

test.each(cases)("$scenario with $profileName has a plan", (request) => {
  const plan = planLoad(request);
  expect(plan.virtualUsers).toBeGreaterThan(0);
  expect(plan.thresholds.length).toBeGreaterThan(3);
  expect(plan.seconds).toBeGreaterThan(3);
});

test("prints requests, rate, users, time and limits", () => {
  const text = renderLoadPlan(
    planLoad({ scenario: "lookup", profileName: "soak", profile: profiles.soak, overrides: { rate: 20 } }),
  );
  expect(text).toContain("rate           at most 20/s\n");
  expect(text).toContain("expected time  4 h 0 min,");
  expect(text).toMatch(/requests\n(.*\n)* {4}Lookup by id +185,640, 13\/s at most\n/);
  expect(text).toMatch(/Iterations not started +at most 2,856\n/);
  expect(text).toMatch(/Lookup by id, p95 +at most 500 ms\n/);
  expect(text).toMatch(/Lookup by id, p99 +at most 1,500 ms\n/);
  expect(text).not.toContain("{name:");
});

test("prints the range of rates of a probe, and the probe before a polite run", () => {
  const printed = (profileName: "probe" | "polite") =>
    renderLoadPlan(planLoad({ scenario: "rate-limit", profileName, profile: profiles[profileName] }));
  expect(printed("probe")).toContain("10/s to 3,000/s, until the rate limit is reached\n");
  expect(printed("polite")).toContain("1 min 0 s, after a probe of about a minute");
  const known = { ...profiles.polite, rateLimit: { mode: "polite", perSecond: 40 } } as const;
  const plan = planLoad({ scenario: "rate-limit", profileName: "known", profile: known });
  expect(renderLoadPlan(plan)).toContain("1 min 0 s, plus a few seconds");
});

test.each(scenarioIds)("--rate sets the rate of all requests of %s together", (scenario) => {
  const { requests, peakRate } = planLoad({
    scenario,
    profileName: "average",
    profile: profiles.average,
    overrides: { rate: 100 },
  });
  expect(peakRate).toBeCloseTo(100, 1);
  expect(requests.reduce((sum, one) => sum + one.peakRate, 0)).toBeCloseTo(100, 1);
});

test("rate and duration scale the stages", () => {
  const { stages } = overrideProfile(profiles.spike, "lookup", { rate: 400, durationSeconds: 80 });
  expect(Math.max(...stages.map(({ rate }) => rate))).toBe(400);
  expect(stages.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(80, 6);
  expect(stages).toHaveLength(profiles.spike.stages.length);
  expect(stages[0]).toEqual({ seconds: 0, rate: 40 });
});

test("vus sets virtual users and walkers", () => {
  expect(overrideProfile(profiles.smoke, "lookup", { vus: 7 })).toMatchObject({
    virtualUsers: 7,
    walkers: 7,
  });
});

test("without overrides nothing changes", () => {
  expect(overrideProfile(profiles.smoke, "mixed")).toEqual(profiles.smoke);
});
