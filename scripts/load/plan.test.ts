import { describe, expect, test } from "vitest";
import type { Target } from "../../conformance/client/target.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { type ScenarioId, scenarioIds } from "../../schemas/scenarios.ts";
import { planLoad, previewLoad, type RequestedLoad, renderPreview } from "./plan.ts";

const load = (scenario: ScenarioId, profileName: keyof typeof profiles): RequestedLoad => ({
  scenario,
  profileName,
  profile: profiles[profileName],
});

describe("what overrides a profile", () => {
  test.each(scenarioIds)("--rate sets the rate of all requests of %s together", (scenario) => {
    const { peakRate } = previewLoad(planLoad({ ...load(scenario, "average"), rate: 100 }));
    expect(peakRate).toBeCloseTo(100, 1);
  });

  test("rate and duration scale the stages", () => {
    const { stages } = planLoad({ ...load("lookup", "spike"), rate: 400, durationSeconds: 80 }).profile;
    expect(Math.max(...stages.map(({ rate }) => rate))).toBe(400);
    expect(stages.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(80, 6);
    expect(stages).toHaveLength(profiles.spike.stages.length);
    expect(stages[0]).toEqual({ seconds: 0, rate: 40 });
  });

  test("vus sets virtual users and walkers; without it, the profile stays as it is", () => {
    const { profile } = planLoad({ ...load("lookup", "smoke"), vus: 7 });
    expect(profile).toMatchObject({ virtualUsers: 7, walkers: 7 });
    const asIs = load("mixed", "smoke");
    expect(planLoad(asIs)).toEqual({ ...asIs, seed: 1, k6Args: [], notes: [] });
  });
});

const target = { name: "staging" };

describe("load within the limits of a target", () => {
  test("is unchanged if it stays within them", () => {
    const roomy = { ...target, maxRequestsPerSecond: 10, maxConcurrency: 1000 };
    expect(planLoad(load("lookup", "smoke"), roomy)).toEqual(planLoad(load("lookup", "smoke")));
  });

  test.each(["lookup", "paging", "batch", "mixed"] as const)(
    "%s never plans more, and says so",
    (scenario) => {
      for (const [profileName, profile] of Object.entries(profiles)) {
        const bounds = { ...target, maxRequestsPerSecond: 1, maxConcurrency: 4 };
        const flags = { rate: 50, vus: 90, durationSeconds: 60 };
        const plan = planLoad({ scenario, profileName, profile, ...flags }, bounds);
        const preview = previewLoad(plan);
        expect(preview.peakRate, profileName).toBeLessThanOrEqual(1.01);
        expect(preview.virtualUsers, profileName).toBeLessThanOrEqual(4);
        expect(plan.notes).toContainEqual(expect.objectContaining({ code: "load-bounded", actual: 1 }));
      }
    },
  );

  const thresholds = { ...profiles.smoke.thresholds, endpoints: { batch: {} } };

  test.each<[string, Partial<RequestedLoad>, Partial<Target>, ScenarioId]>([
    ["maxConcurrency to at least 3", {}, { maxConcurrency: 2 }, "mixed"],
    ["maxConcurrency to at least 20", {}, { maxConcurrency: 10 }, "tenants"],
    ["cannot start at 4,000/s", { rate: 4000 }, {}, "rate-limit"],
    ["Choose another scenario, or remove", {}, { maxConcurrency: 50 }, "rate-limit"],
    ["(maxRequestsPerSecond)", {}, { maxRequestsPerSecond: 50 }, "rate-limit"],
    ["keys of two organizations", {}, { keys: { primary: "a-key-of-one" } }, "tenants"],
    ['(avoid: ["burst"])', {}, { avoid: ["burst"] }, "rate-limit"],
    ["limits for batch, of which", { profile: { ...profiles.smoke, thresholds } }, {}, "lookup"],
  ])("what cannot be sent is an error: %s", (message, overrides, bounds, scenario) => {
    const requested = { ...load(scenario, scenario === "rate-limit" ? "probe" : "smoke"), ...overrides };
    expect(() => planLoad(requested, { ...target, ...bounds })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), name: "UsageError" }),
    );
  });

  test("a polite run with a configured limit needs no probe", () => {
    const profile = { ...profiles.polite, rateLimit: { mode: "polite" as const, perSecond: 5 } };
    const bounds = { ...target, avoid: ["burst" as const], maxRequestsPerSecond: 4 };
    const plan = planLoad({ scenario: "rate-limit", profileName: "known", profile }, bounds);
    expect(previewLoad(plan).peakRate).toBe(4);
  });

  test("a rate at which a kind of request would not be sent at all is refused", () => {
    const plan = () => planLoad(load("mixed", "smoke"), { name: "staging", maxRequestsPerSecond: 1 });
    expect(plan).toThrow("no request of the kind batch is sent");
    const longer = { ...load("mixed", "smoke"), durationSeconds: 60 };
    expect(planLoad(longer, { maxRequestsPerSecond: 1 }).notes).toMatchObject([{ code: "load-bounded" }]);
  });
});

test("prints rate, users, time and limits", () => {
  const text = renderPreview(previewLoad(planLoad({ ...load("lookup", "soak"), rate: 20 })));
  expect(text).toContain("rate           at most 20/s\n");
  expect(text).toContain("planned time   4 h 0 min,");
  expect(text).toMatch(/Iterations not started +at most 2,856\n/);
  expect(text).toMatch(/Lookup by id, p95 +at most 500 ms\n/);
  expect(text).toMatch(/Lookup by id, p99 +at most 1,500 ms\n/);
  expect(text).not.toContain("{name:");
  const gate = renderPreview(previewLoad(planLoad(load("lookup", "gate"))));
  expect(gate).toContain("planned time   at most 3 min 10 s,");
});

test("prints the range of rates of a probe, and the probe before a polite run", () => {
  const printed = (profileName: string, profile: (typeof profiles)["probe" | "polite"]) =>
    renderPreview(previewLoad(planLoad({ scenario: "rate-limit", profileName, profile })));
  expect(printed("probe", profiles.probe)).toContain("10/s to 3,000/s: steps until requests are refused");
  expect(printed("polite", profiles.polite)).toContain("1 min 0 s, after a probe of up to three minutes");
  const known = { ...profiles.polite, rateLimit: { mode: "polite", perSecond: 40 } } as const;
  expect(printed("known", known)).toContain("1 min 0 s, plus a few seconds");
});
