import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad, renderPlan } from "./plan.ts";

const scenarios = ["lookup", "paging", "batch", "mixed", "rate-limit"] as const;
const cases = Object.entries(profiles).flatMap(([profileName, profile]) =>
  scenarios.map((scenario) => ({ scenario, profileName, profile })),
);

test.each(cases)("$scenario with $profileName has a plan", (request) => {
  const plan = planLoad(request);
  expect(plan.virtualUsers).toBeGreaterThan(0);
  expect(plan.thresholds.length).toBeGreaterThan(3);
  expect(plan.seconds).toBeGreaterThan(3);
});

test("is printed with requests, rate, users, time and limits", () => {
  const text = renderPlan(
    planLoad({ scenario: "lookup", profileName: "soak", profile: profiles.soak, overrides: { rate: 20 } }),
  );
  expect(text).toContain("requests       285600\n");
  expect(text).toContain("peak rate      20/s\n");
  expect(text).toContain("expected time  4 h,");
  expect(text).toMatch(/Iterations not started +at most 2,856\n/);
  expect(text).toMatch(/Lookup by id, p95 +at most 500 ms\n/);
  expect(text).toMatch(/Lookup by id, p99 +at most 1,500 ms\n/);
  expect(text).not.toContain("{name:");
});
