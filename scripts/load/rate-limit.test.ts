import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type LimiterRun, runAgainstLimiter } from "../../test/support/against-limiter.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { resolveK6 } from "./k6/resolve.ts";

let k6Path = "";
const folder = await temporaryFolder("limit");
beforeAll(async () => {
  k6Path = (await resolveK6({ env: process.env, progress: () => undefined })).path;
}, 300_000);

async function run(
  limits: Pick<LimiterRun, "limit" | "mode" | "seconds" | "start" | "known" | "banFactor" | "announce">,
) {
  const outDir = await mkdtemp(join(folder, "run-"));
  return runAgainstLimiter({ k6Path, env: process.env, limiter: "token bucket", outDir, ...limits });
}

describe.concurrent("against real limiters", () => {
  // A low limit and wide tolerances for a busy machine. scenarios/lib/rate-limit.test.ts tests the precision in simulated
  // time, and so does the bench.
  test("a probe finds the limit, whether Retry-After is right, and that the other organization is not affected", async () => {
    const { result } = await run({ limit: 10, mode: "probe", seconds: 3, start: 25 });
    expect(result.rateLimit).toMatchObject({ mode: "probe", otherOrganization: { refused: 0 } });
    expect(result.rateLimit?.refusedShare).toBeGreaterThan(0.1);
    expect(result.rateLimit?.retryAfter?.tried).toBeGreaterThan(0);
    expect(result.rateLimit?.retryAfter?.refused).toBe(0);
    expect(result.retryAfter.withRetryAfter).toBe(result.retryAfter.refused);
    // A refusal is no failure. On a very busy machine, requests run into their time limit, which is one.
    expect(result.notes.map(({ code }) => code)).not.toContain("failed-by-status");
    expect(result.rateLimit?.limit?.perSecond).toBeGreaterThan(5);
    expect(result.rateLimit?.limit?.perSecond).toBeLessThan(15);
  });

  test("a ban that lasts longer than Retry-After fails the run", async () => {
    const { result } = await run({ limit: 10, mode: "probe", seconds: 3, start: 25, banFactor: 5 });
    expect(result.verdict).toBe("fail");
    expect(result.findings).toContainEqual(expect.objectContaining({ code: "refused-after-waits" }));
  });

  test.each<[string, LimiterRun["mode"], (seconds: number) => number]>([
    ["milliseconds", "probe", (wait) => wait * 1000],
    ["an hour", "polite", () => 3600],
  ])(
    "a Retry-After of %s is named by a %s run, which does not wait for it",
    async (_what, mode, announce) => {
      const { result } = await run({
        ...{ mode, announce, banFactor: 0.002 },
        // A polite run sends twice the limit, which must be exceeded on a very busy machine too.
        ...(mode === "polite" ? { limit: 4, seconds: 6, known: 40 } : { limit: 10, seconds: 3, start: 25 }),
      });
      expect(result.notes).toContainEqual(expect.objectContaining({ code: "wait-too-long" }));
    },
  );

  test("a polite run is accepted and respects every Retry-After", async () => {
    const { result, earlyShare } = await run({ limit: 10, mode: "polite", seconds: 6, known: 10 });
    expect(result.rateLimit).toMatchObject({ mode: "polite" });
    // A very busy machine sends fewer requests than the limit accepts. That a polite run uses the limit is tested in simulated
    // time.
    expect(result.rateLimit?.polite?.goodput).toBeGreaterThan(0);
    expect(result.rateLimit?.polite?.goodput).toBeLessThan(14);
    expect(earlyShare).toBeLessThan(0.05);
  });

  test("a target without a limit has none up to the highest rate", async () => {
    // One step below the highest rate of a probe.
    const { result } = await run({ limit: 1_000_000, mode: "probe", seconds: 1, start: 2500 });
    expect(result.rateLimit).not.toHaveProperty("limit");
    expect(result.notes).toContainEqual(expect.objectContaining({ code: "rate-limit-not-found" }));
  });
});
