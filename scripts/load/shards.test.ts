import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { slices, summarize, trendStatistics } from "../../scenarios/lib/summary.ts";
import { uniform } from "../../scenarios/lib/traffic.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { exactPercentile } from "../../test/support/stub-pods.ts";
import { startStubService } from "../../test/support/stub-service.ts";
import { resolveK6 } from "./k6/resolve.ts";
import { mergedHistogram, mergeSummaries, percentilesOf } from "./merge.ts";
import { planLoad } from "./plan.ts";
import { segmentArguments } from "./processes.ts";
import { runLoad } from "./run.ts";

describe("merged histograms", () => {
  // Like real latencies: mostly about 5 ms, with a tail up to seconds. Each shard is slower than the one before.
  const shard = (place: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const u = uniform(place, index, 0);
      return (4 + place) * (1 + 0.4 * uniform(place, index, 1)) * (1 / (1 - u * 0.999)) ** 0.6;
    }).sort((a, b) => a - b);

  // Slices are denser than the samples, as dense as them, and less dense.
  test.each([
    [3, 300],
    [3, 975],
    [2, 3000],
    [10, 1500],
    [2, 25_000],
  ])(
    "of %d shards with %d samples each have all percentiles within 1 %% of the exact values",
    (shards, count) => {
      const samples = Array.from({ length: shards }, (_, place) => shard(place, count));
      const whole = samples.flat().sort((a, b) => a - b);
      const read = percentilesOf(
        mergedHistogram(
          samples.map((sorted) => ({ count, slices: slices().map((at) => exactPercentile(sorted, at)) })),
        ),
      );
      for (const at of [50, 90, 95, 99, 99.9]) {
        const exact = exactPercentile(whole, at);
        expect(Math.abs(read(at) - exact) / exact, `p${at}`).toBeLessThan(0.01);
      }
      const averaged =
        samples.reduce((sum, sorted) => sum + exactPercentile(sorted, 99.9), 0) / samples.length;
      const exact = exactPercentile(whole, 99.9);
      expect(Math.abs(averaged - exact)).toBeGreaterThan(Math.abs(read(99.9) - exact));
    },
  );
});

describe("merged summaries", () => {
  const metric = "http_req_duration{name:lookup-by-id,status:200}";
  const limits = [
    { metric, measure: "http_req_duration", statistic: "p95", bound: "most", limit: 50 },
    { metric, measure: "http_reqs", statistic: "count", bound: "least", limit: 3 },
  ] as const;
  const part = (values: number[], failed: number) => {
    const sorted = values.toSorted((a, b) => a - b);
    const statistic = (name: string) =>
      name.startsWith("p(") ? exactPercentile(sorted, Number(name.slice(2, -1))) : (sorted[0] ?? 0);
    const trend = Object.fromEntries(trendStatistics().map((name) => [name, statistic(name)]));
    const thresholds = { "p(95)<=50": { ok: true }, "count>=3": { ok: false } };
    return summarize(
      {
        state: { testRunDurationMs: 2000 },
        metrics: {
          http_req_failed: {
            type: "rate",
            contains: "",
            values: { rate: 0, passes: failed, fails: 4 - failed },
          },
          http_reqs: { type: "counter", contains: "", values: { count: sorted.length, rate: 1 } },
          [metric]: {
            type: "trend",
            contains: "time",
            values: { ...trend, count: sorted.length, avg: 0, max: sorted.at(-1) ?? 0 },
            thresholds,
          },
          target_responded_after: {
            type: "gauge",
            contains: "",
            values: { value: failed, min: failed, max: 1 },
          },
        },
      },
      limits,
      { scenario: "lookup", profile: "p", seed: 1, plannedIterations: 4 },
    );
  };

  test("add counts, keep minimum and maximum, and judge thresholds on the whole", () => {
    const merged = mergeSummaries([part([1, 2], 1), part([3, 90], 0)]);
    expect(merged.metrics.http_reqs).toEqual({ count: 4, rate: 2 });
    expect(merged.metrics.http_req_failed).toEqual({ rate: 1 / 8, passes: 1, fails: 7 });
    expect(merged.metrics[metric]).toMatchObject({ count: 4, min: 1, max: 90 });
    expect(merged.metrics.target_responded_after).toEqual({ value: 0, min: 0, max: 1 });
    expect(merged.thresholds).toEqual([
      { ...limits[0], met: false },
      { ...limits[1], met: true },
    ]);
  });
});

test("segments divide the run into equal parts", () => {
  expect(segmentArguments(0, 1)).toEqual([]);
  expect(segmentArguments(1, 3)).toEqual([
    "--execution-segment",
    "1/3:2/3",
    "--execution-segment-sequence",
    "0,1/3,2/3,1",
  ]);
});

describe("real shards", () => {
  let k6Path = "";
  let folder = "";
  beforeAll(async () => {
    k6Path = (await resolveK6({ env: process.env, progress: () => undefined })).path;
    folder = await mkdtemp(join(tmpdir(), "shelfcheck-shards-"));
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function run(shards: number): Promise<{ result: LoadResult; sent: string[]; outDir: string }> {
    const service = await startStubService();
    const outDir = await mkdtemp(join(folder, "run-"));
    const stages = [
      { seconds: 0, rate: 10 },
      { seconds: 1, rate: 30 },
    ];
    const thresholds = { ...profiles.smoke.thresholds, lagMilliseconds: 60_000, p95Milliseconds: 5000 };
    try {
      const result = await runLoad({
        env: process.env,
        k6: { path: k6Path },
        plan: planLoad({
          scenario: "lookup",
          profileName: "test",
          profile: { ...profiles.smoke, stages, thresholds, virtualUsers: 20 },
          shards,
        }),
        target: { baseUrl: service.baseUrl, keys: { primary: "some-key" } },
        fixtures: sampleFixtures(),
        outDir,
        progress: () => undefined,
      });
      return { result, sent: service.requests.map(({ path }) => path).sort(), outDir };
    } finally {
      await service.stop();
    }
  }

  test("send the same requests as one process, with one result", async () => {
    const [one, three] = await Promise.all([run(1), run(3)]);
    expect(one.result.findings).toEqual([]);
    expect(three.result.findings).toEqual([]);
    expect(one.sent).toHaveLength(20);
    expect(three.sent).toEqual(one.sent);
    expect(three.result.metrics.http_reqs?.count).toBe(20);
    expect(three.result.validated.answers).toBe(20);
    // The request to the barrier, with which the processes start together, is no failed request.
    const failedRate = three.result.series?.failedRate ?? [];
    expect(failedRate.length).toBeGreaterThan(0);
    expect(failedRate.filter((rate) => (rate ?? 0) > 0)).toEqual([]);
    const merged = await readFile(join(three.outDir, "load", "lookup", "summary.json"), "utf8");
    expect(JSON.parse(merged)).toHaveProperty("thresholds");
  });
});
