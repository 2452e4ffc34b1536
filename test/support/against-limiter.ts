import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { endpoints, errorCodes, retryAfterHeader } from "../../schemas/api.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { given } from "../../schemas/json.ts";
import { planLoad } from "../../scripts/load/plan.ts";
import { runLoad } from "../../scripts/load/run.ts";
import { type LimiterName, limiters } from "./limiters.ts";
import { refusal, startStubService } from "./stub-service.ts";

export interface LimiterRun {
  readonly k6Path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limiter: LimiterName;
  /** Requests per second that the server accepts. */
  readonly limit: number;
  /** Refuses for this many times Retry-After. Default: only as the limiter decides */
  readonly banFactor?: number;
  /** The Retry-After that is sent. Default: as the limiter decides */
  readonly announce?: (seconds: number) => number;
  readonly mode: "probe" | "polite";
  readonly seconds: number;
  /** Requests per second of a probe's first step. Default: 10 */
  readonly start?: number;
  /** The limit that a polite run assumes. Default: it probes first. */
  readonly known?: number;
  readonly outDir: string;
  readonly signal?: AbortSignal;
}

/** Runs one mode of the rate-limit scenario against a real server with a known limiter, for tests and the bench. */
export async function runAgainstLimiter(run: LimiterRun): Promise<{
  readonly result: LoadResult;
  /** Share of the requests that were sent before Retry-After had passed. */
  readonly earlyShare: number;
}> {
  const {
    k6Path,
    env,
    limit,
    mode,
    seconds,
    start = 10,
    known,
    banFactor = 0,
    announce = (wait) => wait,
    outDir,
    signal,
  } = run;
  const decide = limiters[run.limiter](limit);
  let early = 0;
  let promisedUntil = 0;
  let ban = { until: 0, retryAfter: 0 };
  const service = await startStubService(({ path }) => {
    if (path === endpoints.retailers.path) return undefined;
    const now = Date.now();
    if (now < promisedUntil) early += 1;
    const decision =
      now < ban.until ? ({ admitted: false, retryAfter: ban.retryAfter } as const) : decide(now);
    if (decision.admitted) return undefined;
    if (now >= ban.until) ban = { until: now + decision.retryAfter * banFactor * 1000, ...decision };
    promisedUntil = Math.max(promisedUntil, now + announce(decision.retryAfter) * 1000);
    return refusal(429, errorCodes[429], { [retryAfterHeader]: String(announce(decision.retryAfter)) });
  });
  try {
    const rate = mode === "polite" ? limit * 2 : start;
    const stages = constantRate(rate, seconds);
    const rateLimit = { mode, ...given({ perSecond: known }) };
    const result = await runLoad({
      env,
      k6: { path: k6Path },
      plan: planLoad({
        scenario: "rate-limit",
        profileName: mode,
        profile: { ...profiles[mode], stages, rateLimit },
      }),
      target: {
        baseUrl: service.baseUrl,
        keys: { primary: "one-key-of-the-bench", otherOrg: "other-key-of-the-bench" },
      },
      fixtures: sampleFixtures(),
      outDir,
      progress: () => undefined,
      signal,
    });
    return { result, earlyShare: early / Math.max(1, service.requests.length) };
  } finally {
    await service.stop();
  }
}
