import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../schemas/words/format.ts";
import { runAgainstLimiter } from "../../test/support/against-limiter.ts";
import { type LimiterName, limiterNames } from "../../test/support/limiters.ts";
import type { PromiseResult } from "./bench.ts";
import type { Workplace } from "./measure.ts";

/** Low rates need almost no CPU and are measured concurrently, high ones alone. */
const lowRates = [5, 50];
const highRate = 500;

interface Measured {
  readonly title: string;
  /** Relative error of the estimate; 1 without an estimate. */
  readonly error: number;
  /** Share of the limit. */
  readonly goodput: number;
  readonly earlyShare: number;
}

/** Probe and polite runs against four limiters at three limits, each a real server. */
export async function benchLimits(work: Workplace): Promise<PromiseResult[]> {
  work.print("Limits: what a probe estimates, and what a polite client gets of it at twice the demand");
  const measured = await Promise.all(
    lowRates.flatMap((limit) => limiterNames.map((limiter) => measureLimiter(work, limiter, limit))),
  );
  for (const limiter of limiterNames) measured.push(await measureLimiter(work, limiter, highRate));
  const worst = (of: (each: Measured) => number) =>
    measured.reduce((found, each) => (of(each) > of(found) ? each : found));
  const estimate = worst(({ error }) => error);
  const goodput = worst((each) => -each.goodput);
  const early = worst(({ earlyShare }) => earlyShare);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    {
      promise: "a probe's estimate within 3 % on four limiters at three rates",
      measured: `${percent(estimate.error)} off at most (${estimate.title})`,
      holds: estimate.error <= 0.03,
    },
    {
      promise: "polite at twice the limit: at least 95 % of it as goodput",
      measured: `${percent(goodput.goodput)} at least (${goodput.title})`,
      holds: goodput.goodput >= 0.95,
    },
    {
      promise: "polite: at most 1 % of the requests before Retry-After has passed",
      measured: `${percent(early.earlyShare)} at most (${early.title})`,
      holds: early.earlyShare <= 0.01,
    },
  ];
}

async function measureLimiter(
  { k6Path, env, folder, signal, print }: Workplace,
  limiter: LimiterName,
  limit: number,
): Promise<Measured> {
  const base = { k6Path, env, limiter, limit, signal };
  const probe = await runAgainstLimiter({
    ...base,
    mode: "probe",
    seconds: 10,
    outDir: await mkdtemp(join(folder, "probe-")),
  });
  const estimate = probe.result.rateLimit?.limit;
  const { result, earlyShare } = await runAgainstLimiter({
    ...base,
    mode: "polite",
    seconds: 60,
    known: estimate?.perSecond ?? limit,
    outDir: await mkdtemp(join(folder, "polite-")),
  });
  const { goodput = 0, waits = 0 } = result.rateLimit?.polite ?? {};
  const shown =
    estimate === undefined
      ? `no estimate (${probe.result.findings[0]?.code ?? probe.result.verdict})`
      : `${estimate.perSecond.toFixed(1)} (${estimate.low.toFixed(1)} to ${estimate.high.toFixed(1)})`;
  print(
    `  ${limiter.padEnd(14)} ${String(limit).padStart(3)}/s  estimate ${shown}; goodput ${((goodput / limit) * 100).toFixed(1)} % of the limit, ${counted(waits, "wait")}, ${(earlyShare * 100).toFixed(2)} % early`,
  );
  return {
    title: `${limiter}, ${limit}/s`,
    error: estimate === undefined ? 1 : Math.abs(estimate.perSecond / limit - 1),
    goodput: goodput / limit,
    earlyShare,
  };
}
