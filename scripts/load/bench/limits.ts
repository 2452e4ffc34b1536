import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { limiterNames } from "../../../scenarios/lib/limiters.ts";
import { runAgainstLimiter } from "../against-limiter.ts";
import type { Workplace } from "./workplace.ts";

const rates = [5, 50, 500];

/** Probe and polite runs against four limiters at three limits, each a real server. */
export async function benchLimits({ k6Path, folder, signal, print }: Workplace): Promise<void> {
  print("Limits: what a probe estimates, and what a polite client gets of it at twice the demand");
  for (const limit of rates) {
    for (const limiter of limiterNames) {
      const base = { k6Path, limiter, limit, signal };
      const probe = await runAgainstLimiter({
        ...base,
        mode: "probe",
        seconds: 10,
        outDir: await mkdtemp(join(folder, "probe-")),
      });
      const estimate = probe.result.rateLimit?.limit;
      const polite = await runAgainstLimiter({
        ...base,
        mode: "polite",
        seconds: 60,
        known: estimate?.perSecond ?? limit,
        outDir: await mkdtemp(join(folder, "polite-")),
      });
      const { goodput = 0, waits = 0 } = polite.result.rateLimit?.polite ?? {};
      const shown =
        estimate === undefined
          ? "no estimate"
          : `${estimate.perSecond.toFixed(1)} (${estimate.low.toFixed(1)} to ${estimate.high.toFixed(1)}), ${estimate.kind}`;
      print(
        `  ${limiter.padEnd(14)} ${String(limit).padStart(3)}/s  estimate ${shown}; goodput ${((goodput / limit) * 100).toFixed(1)} % of the limit, ${waits} waits, ${(polite.earlyShare * 100).toFixed(2)} % early`,
      );
    }
  }
}
