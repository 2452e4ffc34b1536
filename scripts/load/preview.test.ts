import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "./plan.ts";
import { previewLoad, renderPreview } from "./preview.ts";

test("prints rate, users, time and limits", () => {
  const text = renderPreview(
    previewLoad(planLoad({ scenario: "lookup", profileName: "soak", profile: profiles.soak, rate: 20 })),
  );
  expect(text).toContain("rate           at most 20/s\n");
  expect(text).toContain("expected time  4 h 0 min,");
  expect(text).toMatch(/Iterations not started +at most 2,856\n/);
  expect(text).toMatch(/Lookup by id, p95 +at most 500 ms\n/);
  expect(text).toMatch(/Lookup by id, p99 +at most 1,500 ms\n/);
  expect(text).not.toContain("{name:");
});

test("prints the range of rates of a probe, and the probe before a polite run", () => {
  const printed = (profileName: string, profile: (typeof profiles)["probe" | "polite"]) =>
    renderPreview(previewLoad(planLoad({ scenario: "rate-limit", profileName, profile })));
  expect(printed("probe", profiles.probe)).toContain("10/s to 3,000/s, until the rate limit is reached\n");
  expect(printed("polite", profiles.polite)).toContain("1 min 0 s, after a probe of about a minute");
  const known = { ...profiles.polite, rateLimit: { mode: "polite", perSecond: 40 } } as const;
  expect(printed("known", known)).toContain("1 min 0 s, plus a few seconds");
});
