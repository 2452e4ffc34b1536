import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LimiterName, limiters } from "../../scenarios/lib/limiters.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { resolveK6 } from "../k6/resolve.ts";
import { runLoad } from "./run.ts";
import { refusal, startStubService } from "./stub-service.ts";

let k6Path = "";
let folder = "";
beforeAll(async () => {
  k6Path = (await resolveK6({ env: process.env, progress: () => undefined })).path;
  folder = await mkdtemp(join(tmpdir(), "shelfcheck-limit-"));
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs one mode against a real server behind a limiter, and counts who came before the wait had passed. */
async function run(
  name: LimiterName,
  limit: number,
  mode: "probe" | "polite",
  seconds: number,
  known?: number,
) {
  const limiter = limiters[name](limit);
  let early = 0;
  let promisedUntil = 0;
  const service = await startStubService(({ path }) => {
    if (path === "/retailers") return undefined;
    const now = Date.now();
    if (now < promisedUntil) early += 1;
    const decision = limiter(now);
    if (decision.admitted) return undefined;
    promisedUntil = Math.max(promisedUntil, now + decision.retryAfter * 1000);
    return refusal(429, "rate_limited", { "retry-after": String(decision.retryAfter) });
  });
  try {
    const rate = mode === "polite" ? limit * 2 : 10;
    const rateLimit = { mode, ...(known === undefined ? {} : { perSecond: known }) };
    const stages = [
      { seconds: 0, rate },
      { seconds, rate },
    ];
    const result = await runLoad({
      k6Path,
      scenario: "rate-limit",
      profileName: mode,
      profile: { ...profiles[mode], stages, rateLimit },
      target: { baseUrl: service.baseUrl, key: "k", otherOrgKey: "other" },
      fixtures: sampleFixtures(),
      outDir: await mkdtemp(join(folder, "run-")),
      progress: () => undefined,
    });
    return { result, earlyShare: early / service.requests.length };
  } finally {
    await service.stop();
  }
}

describe.concurrent("against real limiters", () => {
  test.each([
    ["fixed window", "window"],
    ["token bucket", "bucket"],
  ] as const)("a probe estimates a %s", async (name, kind) => {
    const { result } = await run(name, 50, "probe", 5);
    expect(result).toMatchObject({ verdict: "pass", reasons: [] });
    expect(result.rateLimit).toMatchObject({
      mode: "probe",
      limit: { kind },
      otherOrganization: { refused: 0 },
    });
    expect(result.rateLimit?.limit?.perSecond).toBeGreaterThan(45);
    expect(result.rateLimit?.limit?.perSecond).toBeLessThan(55);
    expect(result.rateLimit?.promises?.tried).toBe(3);
    expect(result.retryAfter.withRetryAfter).toBe(result.retryAfter.refused);
  });

  test("a polite run takes what the limit lets in and breaks no wait", async () => {
    const { result, earlyShare } = await run("token bucket", 50, "polite", 6, 50);
    expect(result).toMatchObject({ verdict: "pass", rateLimit: { mode: "polite" } });
    expect(result.rateLimit?.polite?.goodput).toBeGreaterThan(50 * 0.85);
    expect(earlyShare).toBeLessThan(0.01);
  });

  test("a target without a limit is said to have none up to the highest rate", async () => {
    const { result } = await run("token bucket", 1_000_000, "probe", 1);
    expect(result.rateLimit).not.toHaveProperty("limit");
    expect(result.notes?.join()).toContain("no limit found up to");
  });
});
