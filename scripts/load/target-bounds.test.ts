import { describe, expect, test } from "vitest";
import type { Target } from "../../conformance/client/target.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import { type LoadOverrides, overrideProfile, planLoad } from "./plan.ts";
import { withinBounds } from "./target-bounds.ts";

const target = { name: "staging" };

describe("load within the limits of a target", () => {
  test("is unchanged if it stays within them", () => {
    const traffic = { scenario: "lookup", profile: profiles.smoke } as const;
    const roomy = { ...target, maxRequestsPerSecond: 10, maxConcurrency: 1000 };
    expect(withinBounds(traffic, roomy)).toEqual({ profile: profiles.smoke, overrides: {}, notes: [] });
  });

  test.each(["lookup", "paging", "batch", "mixed"] as const)(
    "%s never plans more, and says so",
    (scenario) => {
      for (const [name, profile] of Object.entries(profiles)) {
        const bounds = { ...target, maxRequestsPerSecond: 1, maxConcurrency: 4 };
        const { overrides, notes } = withinBounds({ scenario, profile }, bounds);
        const plan = planLoad({ scenario, profileName: name, profile, overrides });
        expect(plan.peakRate, name).toBeLessThanOrEqual(1.01);
        expect(plan.virtualUsers, name).toBeLessThanOrEqual(4);
        expect(notes).toContainEqual(expect.objectContaining({ code: "rate-bounded", actual: 1 }));
      }
    },
  );

  test("keeps the proportions of the profile", () => {
    const { overrides } = withinBounds(
      { scenario: "lookup", profile: profiles.spike },
      { ...target, maxRequestsPerSecond: 20 },
    );
    const rates = overrideProfile(profiles.spike, "lookup", overrides).stages.map(({ rate }) => rate);
    expect(rates).toEqual([2, 2, 20, 20, 2, 2]);
  });

  test.each<[string, LoadOverrides, Partial<Target>, ScenarioId]>([
    ["--rate 50 exceeds the target's limit of 20", { rate: 50 }, { maxRequestsPerSecond: 20 }, "lookup"],
    ["Use --vus 4 or less", { vus: 9 }, { maxConcurrency: 4 }, "lookup"],
    ["scenario with one kind of traffic", {}, { maxConcurrency: 2 }, "mixed"],
    ["(maxConcurrency)", {}, { maxConcurrency: 50 }, "rate-limit"],
    ["(maxRequestsPerSecond)", {}, { maxRequestsPerSecond: 50 }, "rate-limit"],
    ['(avoid: ["burst"])', {}, { avoid: ["burst"] }, "rate-limit"],
    [
      "another server name (serverName) through a proxy",
      {},
      { way: { tls: { serverName: "catalog.internal" } }, proxy: "http://127.0.0.1:3128" },
      "lookup",
    ],
  ])("exceeding them is an error: %s", (message, overrides, bounds, scenario) => {
    const profile = scenario === "rate-limit" ? profiles.probe : profiles.smoke;
    expect(() => withinBounds({ scenario, profile, overrides }, { ...target, ...bounds })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), exitCode: 2 }),
    );
  });

  test("a polite run with a configured limit needs no probe", () => {
    const profile = { ...profiles.polite, rateLimit: { mode: "polite" as const, perSecond: 5 } };
    const bounds = { ...target, avoid: ["burst" as const], maxRequestsPerSecond: 4 };
    expect(withinBounds({ scenario: "rate-limit", profile }, bounds).overrides.rate).toBe(4);
  });
});
