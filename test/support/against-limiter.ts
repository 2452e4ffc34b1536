import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { endpoints, errorCodes, retryAfterHeader } from "../../schemas/api.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { given } from "../../schemas/json.ts";
import { resolveK6 } from "../../scripts/load/k6/resolve.ts";
import { planLoad } from "../../scripts/load/plan.ts";
import { runLoad } from "../../scripts/load/run.ts";
import { limiters } from "./limiters.ts";
import { refusal, startStubService } from "./stub-service.ts";

/** Requests per second that the server accepts. */
const limit = 10;

export interface LimiterRun {
  readonly mode: "probe" | "polite";
  readonly seconds: number;
  /** Requests per second of a probe's first step. */
  readonly start?: number;
  /** The limit that a polite run assumes. */
  readonly known?: number;
  /** The Retry-After that is sent. Default: as the limiter decides */
  readonly announce?: (seconds: number) => number;
}

/** Runs one mode of the rate-limit scenario against a real server with a token bucket. */
export async function runAgainstLimiter(
  { mode, seconds, start = limit, known, announce = (wait) => wait }: LimiterRun,
  outDir: string,
): Promise<{
  readonly result: LoadResult;
  /** Share of the requests that were sent before Retry-After had passed. */
  readonly earlyShare: number;
}> {
  const decide = limiters["token bucket"](limit);
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
  try {
    const { env } = process;
    const stages = constantRate(mode === "polite" ? limit * 4 : start, seconds);
    const rateLimit = { mode, ...given({ perSecond: known }) };
    const result = await runLoad({
      env,
      k6: { path: (await resolveK6({ env, progress: () => undefined })).path },
      plan: planLoad({
        scenario: "rate-limit",
        profileName: mode,
        profile: { ...profiles[mode], stages, rateLimit },
      }),
      target: {
        baseUrl: service.baseUrl,
        keys: { primary: "one-key-of-the-test", otherOrg: "other-key-of-the-test" },
      },
      fixtures: sampleFixtures(),
      outDir,
      progress: () => undefined,
    });
    return { result, earlyShare: early / Math.max(1, service.requests.length) };
  } finally {
    await service.stop();
  }
}
