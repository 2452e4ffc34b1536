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
  expect(Object.keys(plan.thresholds).length).toBeGreaterThan(3);
  expect(plan.seconds).toBeGreaterThan(3);
});

test("is printed with requests, rate, users, time and limits", () => {
  const text = renderPlan(
    planLoad({ scenario: "lookup", profileName: "soak", profile: profiles.soak, overrides: { rate: 20 } }),
  );
  expect(text).toContain("requests       285600\n");
  expect(text).toContain("peak rate      20/s\n");
  expect(text).toContain("expected time  4 h,");
  expect(text).toMatch(/dropped_iterations +count<=2856\n/);
  expect(text).toMatch(/http_req_duration\{name:lookup-by-id,status:200\} +p\(95\)<=500, p\(99\)<=1500\n/);
});
