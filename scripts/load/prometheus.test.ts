import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { freePort } from "../../test/support/server.ts";
import { refusal, startStubService } from "../../test/support/stub-service.ts";
import { resolveK6 } from "./k6/resolve.ts";
import { planLoad } from "./plan.ts";
import { runLoad } from "./run.ts";

// With a real Prometheus, if one is installed (Debian: prometheus).
const binary = process.env.PROMETHEUS_BIN ?? "prometheus";
const isThere = spawnSync(binary, ["--version"]).error === undefined;

describe.skipIf(!isThere)("a run with the Prometheus output", () => {
  let prometheus: ChildProcess;
  let address = "";
  let folder = "";
  let result: LoadResult;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shelfcheck-prometheus-"));
    address = `http://127.0.0.1:${await freePort()}`;
    await writeFile(join(folder, "prometheus.yml"), "global: {}\n");
    prometheus = spawn(
      binary,
      [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=${address.slice("http://".length)}`,
        "--web.enable-remote-write-receiver",
        "--log.level=error",
      ],
      { stdio: "ignore" },
    );
    await ready();
    result = await run("self-test");
  }, 300_000);

  afterAll(async () => {
    const ended = new Promise((resolve) => prometheus.once("close", resolve));
    prometheus.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  /** Repeats a query until it has a result, or until the test times out. */
  async function ready(): Promise<void> {
    for (;;) {
      const answer = await fetch(`${address}/-/ready`).catch(() => undefined);
      if (answer?.ok === true) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function run(testid: string): Promise<LoadResult> {
    const service = await startStubService(({ path, index }) =>
      path !== "/retailers" && index === 7 ? refusal(429, "rate_limited", { "retry-after": "1" }) : undefined,
    );
    const stages = constantRate(50, 2);
    try {
      return await runLoad({
        k6: await resolveK6({ env: process.env, progress: () => undefined }),
        plan: planLoad({
          scenario: "lookup",
          profileName: "test",
          profile: { ...profiles.smoke, stages, virtualUsers: 20 },
          k6Args: ["--out", "experimental-prometheus-rw", "--tag", `testid=${testid}`],
        }),
        target: { baseUrl: service.baseUrl, keys: { primary: "some-key" } },
        fixtures: sampleFixtures(),
        outDir: join(folder, testid),
        env: {
          ...process.env,
          K6_PROMETHEUS_RW_SERVER_URL: `${address}/api/v1/write`,
          K6_PROMETHEUS_RW_TREND_STATS: "avg,p(95),p(99),max",
          K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s",
        },
        progress: () => undefined,
      });
    } finally {
      await service.stop();
    }
  }

  async function query(expression: string): Promise<number> {
    const answer = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
    return Number(data.result[0]?.value[1]);
  }

  const byId = "{name:lookup-by-id,status:200}";
  test.each([
    [
      "requests",
      'sum(k6_http_reqs_total{name=~"lookup.*|retailers",testid="self-test"})',
      () => result.metrics.http_reqs?.count,
    ],
    ["refusals", 'sum(k6_refusals_total{testid="self-test"})', () => result.retryAfter.refused],
    [
      "mean latency",
      '1000 * k6_http_req_duration_avg{name="lookup-by-id",status="200",testid="self-test"}',
      () => result.metrics[`http_req_duration${byId}`]?.avg,
    ],
    [
      "95th percentile of the latency",
      '1000 * k6_http_req_duration_p95{name="lookup-by-id",status="200",testid="self-test"}',
      () => result.metrics[`http_req_duration${byId}`]?.["p(95)"],
    ],
  ])("has the %s of the summary, within 1 %%", async (_title, expression, expected) => {
    const value = expected() ?? Number.NaN;
    expect(value).toBeGreaterThan(0);
    expect(Math.abs((await query(expression)) - value) / value).toBeLessThan(0.01);
  });

  test("feeds every panel of the Grafana dashboard", async () => {
    const text = await readFile(join(import.meta.dirname, "../../scenarios/grafana-dashboard.json"), "utf8");
    const dashboard = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(10);
    for (const metric of new Set(expressions.flatMap((expr) => expr.match(/\bk6_\w+/g) ?? []))) {
      // Metrics that count nothing in a good run have no samples.
      if (/dropped_iterations|exceptions|refusals_malformed|invalid_responses/.test(metric)) continue;
      expect(await query(`count(${metric}{testid="self-test"})`), metric).toBeGreaterThan(0);
    }
  });
});
