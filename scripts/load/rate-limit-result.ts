import type { RunSummary } from "../../scenarios/lib/summary.ts";
import type { Finding, RateLimitResult } from "../../schemas/types.ts";

/** Reads what the rate-limit scenario learned from its metrics. */
export function rateLimitResult(mode: "probe" | "polite", { metrics }: RunSummary): RateLimitResult {
  const count = (name: string) => metrics[name]?.count ?? 0;
  const gauge = (name: string) => metrics[name]?.value;
  return mode === "probe"
    ? probeResult(count, gauge)
    : politeResult(count, gauge, metrics.polite_recovery?.med);
}

type Read<Value> = (name: string) => Value;

function probeResult(count: Read<number>, gauge: Read<number | undefined>): RateLimitResult {
  const perSecond = gauge("limit_estimate");
  const windowSeconds = gauge("limit_window_seconds") ?? 0;
  const requests = count("probe_requests");
  const highestRate = gauge("probe_rate");
  return {
    mode: "probe",
    ...(perSecond === undefined
      ? {}
      : {
          limit: {
            perSecond,
            low: gauge("limit_low") ?? perSecond,
            high: gauge("limit_high") ?? perSecond,
            burst: gauge("limit_burst") ?? 0,
            ...(windowSeconds === 0 ? { kind: "bucket" } : { kind: "window", windowSeconds }),
          },
        }),
    ...(highestRate === undefined ? {} : { highestRate }),
    ...(requests === 0 ? {} : { refusedShare: 1 - count("probe_admitted") / requests }),
    ...(count("probe_promises_tried") === 0
      ? {}
      : { promises: { tried: count("probe_promises_tried"), kept: count("probe_promises_kept") } }),
    ...(count("probe_other_requests") === 0
      ? {}
      : {
          otherOrganization: {
            requests: count("probe_other_requests"),
            refused: count("probe_other_refused"),
          },
        }),
  };
}

function politeResult(
  count: Read<number>,
  gauge: Read<number | undefined>,
  recovery: number | undefined,
): RateLimitResult {
  const seconds = gauge("polite_seconds") ?? 0;
  return {
    mode: "polite",
    polite: {
      goodput: seconds === 0 ? 0 : count("polite_admitted") / seconds,
      paced: gauge("polite_rate") ?? 0,
      unsent: count("polite_unsent"),
      waits: count("polite_waits"),
      waitSeconds: count("polite_wait_seconds"),
      refusedAgain: count("polite_refused_again"),
      ...(recovery === undefined || count("polite_waits") === 0 ? {} : { recoveryMilliseconds: recovery }),
    },
  };
}

/** What a person should know of it. */
export function rateLimitNotes({ mode, limit, highestRate, promises, polite }: RateLimitResult): Finding[] {
  if (mode === "polite") {
    if (polite === undefined) return [];
    const seen = { count: polite.refusedAgain, total: polite.waits, of: "attempts" } as const;
    return [{ code: "polite-result", actual: polite.goodput, unit: "requests/s", seen }];
  }
  const found: Finding =
    limit === undefined
      ? { code: "rate-limit-not-found", actual: highestRate ?? 0, unit: "requests/s" }
      : { code: "rate-limit-found", actual: limit.perSecond, unit: "requests/s", details: limit };
  if (promises === undefined) return [found];
  return [
    found,
    { code: "waits-kept", seen: { count: promises.kept, total: promises.tried, of: "attempts" } },
  ];
}
