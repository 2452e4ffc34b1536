import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { endpoints, errorCodes, retryAfterHeader } from "../../schemas/api.ts";
import { limiters } from "../../test/support/limiters.ts";
import { stubTarget } from "../../test/support/stub-client.ts";
import { refusal, startStubService } from "../../test/support/stub-service.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { runLoad } from "../runs/stages/load-stage.ts";
import { resolveK6 } from "./k6/resolve.ts";
import { planLoad } from "./plan.ts";

const { env } = process;
const folder = await temporaryFolder("limit");
const k6 = await resolveK6({ env, progress: () => undefined });
const polite = { rate: 40, seconds: 3, rateLimit: { mode: "polite", perSecond: 40 } } as const;
const probe = { rate: 80, seconds: 1, rateLimit: { mode: "probe" } } as const;

/** Runs one mode of the scenario against a real server that accepts 10 requests a second. */
async function run(
  { rate, seconds, rateLimit }: typeof polite | typeof probe,
  /** The Retry-After that is sent for the one of the limiter. */
  announce = (wait: number) => wait,
) {
  const decide = limiters["token bucket"](10);
  let early = 0;
  let promisedUntil = 0;
  const service = await startStubService(({ path }) => {
    if (path === endpoints.retailers.path) return undefined;
    const now = Date.now();
    if (now < promisedUntil) early += 1;
    const decision = decide(now);
    if (decision.admitted) return undefined;
    const retryAfter = announce(decision.retryAfter);
    promisedUntil = Math.max(promisedUntil, now + retryAfter * 1000);
    return refusal(429, errorCodes[429], { [retryAfterHeader]: String(retryAfter) });
  });
  const { mode } = rateLimit;
  const profile = { ...profiles[mode], stages: constantRate(rate, seconds), rateLimit };
  const result = await runLoad({
    ...{ env, k6, fixtures: sampleFixtures(), progress: () => undefined },
    plan: planLoad({ scenario: "rate-limit", profileName: mode, profile }),
    target: stubTarget(service.baseUrl, { keys: { primary: "key-of-the-test", otherOrg: "key-of-another" } }),
    outDir: await mkdtemp(join(folder, "run-")),
  }).finally(() => service.stop());
  return { result, earlyShare: early / Math.max(1, service.requests.length) };
}

// That the probe is precise and a polite run uses the limit is shown in simulated time, by scenarios/lib/rate-limit.test.ts.
// A busy machine makes neither of these runs another one.
describe.concurrent("against a real limiter", () => {
  test("a probe shows the limit, whether Retry-After is right, and that the other organization is not affected", async () => {
    const { result } = await run(probe);
    const { probe_other_requests: others, probe_other_refused: refused } = result.metrics;
    expect([(others?.count ?? 0) > 0, refused?.count]).toEqual([true, 0]);
    const seen = { count: 0, total: others?.count, of: "requests" };
    expect(result.notes).toContainEqual({ code: "other-organization-asked", seen });
    expect(result.rateLimit?.refusedShare).toBeGreaterThan(0.1);
    const { tried = 0, accepted = 0 } = result.rateLimit?.retryAfter ?? {};
    expect([tried > 0, tried - accepted]).toEqual([true, 0]);
    expect(result.retryAfter.withRetryAfter).toBe(result.retryAfter.refused);
    expect(result.rateLimit?.limit?.perSecond).toBeGreaterThan(0);
  });

  test("a polite run waits as Retry-After says, and sends nothing more where that is an hour", async () => {
    const [{ result, earlyShare }, hour] = await Promise.all([run(polite), run(polite, () => 3600)]);
    expect(result.rateLimit?.polite?.goodput).toBeGreaterThan(0);
    expect(result.rateLimit?.polite?.waits).toBeGreaterThan(0);
    expect(earlyShare).toBeLessThan(0.5);
    expect(hour.result.notes).toContainEqual(expect.objectContaining({ code: "wait-too-long" }));
  });
});
