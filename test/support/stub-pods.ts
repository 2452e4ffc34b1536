import { gzipSync } from "node:zlib";
import { framesOf, type PodName, type PodResult } from "../../scenarios/lib/pod-result.ts";
import { type RunFacts, summarize, trendStatistics } from "../../scenarios/lib/summary.ts";
import { uniform } from "../../scenarios/lib/traffic.ts";
import { profiles } from "../../scenarios/profiles.ts";

const kinds = ["lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch"] as const;

const facts: RunFacts = { scenario: "mixed", profile: "average", seed: 1, plannedIterations: 100 };

/** Sorted latencies in milliseconds: most are about 5, with a tail up to seconds. */
export function latencies(pod: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const u = uniform(pod, index, 0);
    return 4 * (1 + 0.4 * uniform(pod, index, 1)) * (1 / (1 - u * 0.995)) ** 0.6;
  }).sort((a, b) => a - b);
}

/** A percentile as k6 computes it: interpolated between the two nearest samples. */
export function exactPercentile(sorted: readonly number[], at: number): number {
  const place = (at / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** The result of one of `count` pods, with the same latencies for each kind of request. */
export function podResult(
  place: number,
  count: number,
  samples: readonly number[] = latencies(place, 500),
): PodName & PodResult {
  const border = (at: number) => (at === 0 ? "0" : at === count ? "1" : `${at}/${count}`);
  const metrics = Object.fromEntries(
    kinds.flatMap((name, kind) => [
      [`http_req_duration{name:${name},status:200}`, trendOf(samples)],
      // Each kind has another distribution, so that a result takes several frames.
      [`http_req_duration{name:${name},status:404}`, trendOf(latencies(place + count * kind, 300))],
      [`http_req_duration{name:${name},status:400}`, trendOf(latencies(place + count * kind, 200))],
      [`http_req_failed{name:${name}}`, rate(0, samples.length)],
      [`invalid_responses{name:${name}}`, rate(0, samples.length)],
    ]),
  );
  return {
    run: "run-1",
    process: `${place}`,
    segment: `${border(place)}:${border(place + 1)}`,
    sequence: Array.from({ length: count + 1 }, (_, at) => border(at)).join(","),
    baseUrl: "http://catalog.example/v1",
    profile: profiles.average,
    finishedAt: Date.UTC(2026, 0, 1) + place,
    summary: { ...summarize({ state: { testRunDurationMs: 60_000 }, metrics }, facts), thresholds: [] },
  };
}

function trendOf(sorted: readonly number[]) {
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  const avg = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const known: Record<string, number> = {
    count: sorted.length,
    min,
    max,
    avg,
    med: exactPercentile(sorted, 50),
  };
  const values = Object.fromEntries(
    trendStatistics().map((name) => [
      name,
      known[name] ?? exactPercentile(sorted, Number(name.slice(2, -1))),
    ]),
  );
  return { type: "trend", contains: "time", values };
}

function rate(passes: number, fails: number) {
  return { type: "rate", contains: "", values: { rate: passes / (passes + fails), passes, fails } };
}

/** The log of a pod. */
export function podLog({ run, process, segment, ...result }: PodName & PodResult): string[] {
  const pack = (text: string) => gzipSync(text).toString("base64");
  return ["some line of k6", ...framesOf({ run, process, segment }, result, pack), ""];
}
