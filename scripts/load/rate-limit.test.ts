import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LimiterRun, runAgainstLimiter } from "../../test/support/against-limiter.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const folder = await temporaryFolder("limit");

const run = async (of: LimiterRun) => runAgainstLimiter(of, await mkdtemp(join(folder, "run-")));

// That the probe is precise and a polite run uses the limit is shown in simulated time, by scenarios/lib/rate-limit.test.ts.
// A busy machine makes neither of these runs another one.
describe.concurrent("against a real limiter", () => {
  test("a probe shows the limit, whether Retry-After is right, and that the other organization is not affected", async () => {
    const { result } = await run({ mode: "probe", seconds: 1, start: 80 });
    expect(result.rateLimit).toMatchObject({ mode: "probe", otherOrganization: { refused: 0 } });
    expect(result.rateLimit?.refusedShare).toBeGreaterThan(0.1);
    expect(result.rateLimit?.retryAfter?.tried).toBeGreaterThan(0);
    expect(result.rateLimit?.retryAfter?.refused).toBe(0);
    expect(result.retryAfter.withRetryAfter).toBe(result.retryAfter.refused);
    expect(result.rateLimit?.limit?.perSecond).toBeGreaterThan(0);
  });

  test("a polite run waits as Retry-After says, and sends nothing more where that is an hour", async () => {
    const known = { mode: "polite", seconds: 3, known: 40 } as const;
    const [{ result, earlyShare }, hour] = await Promise.all([
      run(known),
      run({ ...known, announce: () => 3600 }),
    ]);
    expect(result.rateLimit?.polite?.goodput).toBeGreaterThan(0);
    expect(result.rateLimit?.polite?.waits).toBeGreaterThan(0);
    expect(earlyShare).toBeLessThan(0.5);
    expect(hour.result.notes).toContainEqual(expect.objectContaining({ code: "wait-too-long" }));
  });
});
