import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Target } from "../../../conformance/client/target.ts";
import { sampleFixtures } from "../../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../../scenarios/lib/schedule.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { Profile } from "../../../schemas/contracts/profile.ts";
import type { ScenarioId } from "../../../schemas/scenarios.ts";
import type { loadWords } from "../../../schemas/words/load.ts";
import { stubTarget } from "../../../test/support/stub-client.ts";
import { refusal, type StubBehaviour, startStubService } from "../../../test/support/stub-service.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { resolveK6 } from "../../load/k6/resolve.ts";
import { planLoad, type RequestedLoad } from "../../load/plan.ts";
import { type LoadRequest, missingFixtures, runLoad } from "./load-stage.ts";

type LoadCode = keyof typeof loadWords;

const key = "canary-key-5f1d";
const iterations = 20;
const profile: Profile = {
  description: "one second",
  stages: constantRate(iterations, 1),
  walkers: 1,
  // Wide limits for latency and lag, and a virtual user for each iteration, since this machine may be busy with other tests.
  virtualUsers: iterations,
  maxResponseSeconds: 10,
  thresholds: {
    p95Milliseconds: 60_000,
    failedShare: 0.01,
    invalidShare: 0,
    droppedShare: 1,
    lagMilliseconds: 60_000,
  },
};

const { path: k6Path } = await resolveK6({ env: process.env, progress: () => undefined });
const folder = await temporaryFolder("load");

type Changes = Partial<Omit<LoadRequest, "target"> & RequestedLoad> & { target?: Partial<Target> };

async function run(behaviour: StubBehaviour, { target, ...changes }: Changes = {}): Promise<LoadResult> {
  const service = await startStubService(behaviour);
  try {
    return await runLoad({
      env: process.env,
      k6: { path: k6Path },
      plan: planLoad({ scenario: "lookup", profileName: "test", profile, ...changes }),
      target: stubTarget(service.baseUrl, { keys: { primary: key }, ...target }),
      fixtures: sampleFixtures(),
      outDir: await mkdtemp(join(folder, "run-")),
      progress: () => undefined,
      ...changes,
    });
  } finally {
    await service.stop();
  }
}

const codesOf = ({ findings }: LoadResult) => findings.map(({ code }) => code);
const healthy: StubBehaviour = () => undefined;
const undecodable = { headers: { "content-encoding": "gzip" }, body: "no gzip" };
const onLookups =
  (answer: (index: number) => ReturnType<StubBehaviour>): StubBehaviour =>
  ({ path, index }) =>
    path === "/retailers" ? undefined : answer(index);

describe.concurrent("verdicts of real runs", () => {
  // Lookups, pages and batches. Each alone: below, and in plain-k6.test.ts.
  test("a healthy target passes", async () => {
    const result = await run(healthy, { scenario: "mixed" });
    expect(result).toMatchObject({ verdict: "pass", findings: [], retryAfter: { refused: 0 } });
    expect(result.validated.answers).toBe(result.metrics.http_reqs?.count);
    expect(result.validated.undetectedShareBound).toBeCloseTo(Math.min(1, 3 / result.validated.answers), 9);
    const requests = result.series?.requestRate.reduce<number>((sum, rate) => sum + (rate ?? 0), 0) ?? 0;
    // Includes requests before and after the run, but not those of the last, unfinished period.
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThanOrEqual((result.metrics.http_reqs?.count ?? 0) + 2);
    expect(result.series?.latency.p99.some((value) => value !== null && value > 0)).toBe(true);
    const walks = (result.metrics.chain_duration?.count ?? 0) > 0;
    // On a busy machine, a walk may not end within its second.
    const ended = !result.notes.some(({ code }) => code === "no-walk-ended");
    expect(walks).toBe(ended);
  });

  test("a list of retailers without entries is named", async () => {
    let lists = 0;
    // One lookup in eighty asks for the list; a busy machine may not begin all of the first eighty.
    const whole = { ...profile, stages: constantRate(80, 2) };
    const result = await run(
      ({ path }) => (path !== "/retailers" || lists++ === 0 ? undefined : { body: { retailers: [] } }),
      { profile: whole },
    );
    expect(result.evidence?.map(({ finding }) => finding.code)).toContain("retailer-not-listed");
    expect(result.verdict).toBe("fail");
  });

  test("a batch loses items that it finds when they are sent again, or they have left the catalog", async () => {
    const without =
      (isLost: (id: string, place: number) => boolean): StubBehaviour =>
      ({ method, body }) => {
        if (method !== "POST") return undefined;
        const { items } = JSON.parse(body) as { items: { product_id: string }[] };
        const errors = items.filter(({ product_id: id }, at) => id === "no-such-product" || isLost(id, at));
        const found = items.filter((one) => !errors.includes(one));
        const counters = { total: items.length, found: found.length };
        const [not_found, other_errors] = found.length === 0 ? [0, errors.length] : [errors.length, 0];
        return { body: { found, errors, meta: { ...counters, not_found, other_errors } } };
      };
    const batches = { scenario: "batch", profile: { ...profile, stages: constantRate(100, 1) } } as const;
    const lossy = await run(
      without((_id, place) => place > 20),
      batches,
    );
    expect(codesOf(lossy)).toContain("invalid-responses");
    expect(lossy.evidence?.map(({ finding }) => finding.code)).toContain("items-lost");
    const changed = await run(
      without((id) => id < "id/2"),
      batches,
    );
    expect(changed).toMatchObject({ verdict: "pass", findings: [] });
    const unserved = await run(
      without(() => true),
      batches,
    );
    expect(unserved.notes).toContainEqual(expect.objectContaining({ code: "batches-unserved" }));
  });

  test("an error body with 200, a null field, HTML, an undecodable body, a redirect and 500, also among valid responses", async () => {
    const answers: readonly [ReturnType<StubBehaviour>, ...LoadCode[]][] = [
      [undefined],
      [{ body: { error: { code: "x", message: "" } } }, "failed-requests", "invalid-responses"],
      [{ body: { title: null } }, "invalid-responses"],
      [{ body: "<html></html>" }, "invalid-responses"],
      [undecodable, "invalid-responses"],
      [refusal(500, "internal_error"), "failed-requests"],
      [
        { status: 302, headers: { location: "/v1/elsewhere" }, body: "" },
        "failed-requests",
        "invalid-responses",
      ],
    ];
    const sent: LoadCode[] = [];
    let followed = 0;
    const result = await run(({ path, index }) => {
      if (path === "/retailers") return undefined;
      if (path === "/elsewhere") followed += 1;
      const [answer, ...codes] = answers[index % answers.length] ?? [];
      sent.push(...codes);
      return answer;
    });
    expect(result.verdict).toBe("fail");
    expect(followed).toBe(0);
    expect(codesOf(result)).not.toContain("target-gone-under-load");
    const metrics = { "failed-requests": "http_req_failed", "invalid-responses": "invalid_responses" };
    for (const [code, metric] of Object.entries(metrics)) {
      expect(codesOf(result)).toContain(code);
      // Not by the findings: a failure in very few requests of a kind may be chance.
      const counts = Object.entries(result.metrics).filter(([name]) => name.startsWith(`${metric}{name:`));
      const found = counts.reduce((sum, [, { passes = 0 }]) => sum + passes, 0);
      // Requests that are under way at the end, several on a busy machine, are in no metric.
      expect(sent.filter((one) => one === code).length - found).toBeOneOf([0, 1, 2, 3]);
    }
    const kinds = result.evidence?.map(({ finding: { code, path = "" } }) => `${code} ${path}`);
    const [empty, nothing] = ["empty-string /error/message", "null-value /title"];
    expect(new Set(kinds)).toEqual(
      new Set([empty, "not-json ", nothing, "undecodable-body ", "wrong-status "]),
    );
  });

  // Before and after the load, one lost request does not make the target gone, nor a mistake in the list another service.
  test("429 for half of the requests is counted and waited for, and is no failure", async () => {
    const seen = new Set<string>();
    let asked = 0;
    const result = await run(({ path }) => {
      if (path === "/retailers") {
        asked += 1;
        return asked % 2 === 1 ? "hang up" : { body: { retailers: [{ slug: "north", domains: null }] } };
      }
      if (seen.has(path)) return undefined;
      seen.add(path);
      return refusal(429, "rate_limited", { "retry-after": seen.size === 1 ? "0" : "1" });
    });
    expect(result).toMatchObject({ verdict: "pass", findings: [], retryAfter: { longestSeconds: 1 } });
    expect(result.retryAfter).toMatchObject({ refused: seen.size, withRetryAfter: seen.size });
    expect(result.metrics.http_reqs?.count).toBe(iterations + seen.size);
    expect(result.validated.answers).toBe(iterations);
    expect(result.metrics.http_req_failed?.rate).toBe(0);
    expect(result.series?.refusedRate.some((rate) => (rate ?? 0) > 0)).toBe(true);
    expect(asked).toBe(4);
  });

  test("an abort ends k6 gracefully, and keeps the results", async () => {
    const abort = new AbortController();
    const stopAfterTen: StubBehaviour = ({ index }) => {
      if (index === 10) abort.abort();
      return undefined;
    };
    const long = { ...profile, stages: constantRate(40, 60) };
    const result = await run(stopAfterTen, { profile: long, signal: abort.signal });
    expect(result).toMatchObject({ verdict: "invalid", findings: [{ code: "load-interrupted" }] });
    expect(result.metrics.http_reqs?.count).toBeGreaterThan(0);
  });

  test("a cut summary and a killed k6 are reported as such", async () => {
    const fake = async (lines: string) => {
      const path = join(await mkdtemp(join(folder, "fake-k6-")), "k6");
      await writeFile(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
      return run(healthy, { k6: { path } });
    };
    expect(await fake(`[ "$1" = version ] || echo '{' > "$SHELFCHECK_SUMMARY"`)).toMatchObject({
      verdict: "invalid",
      findings: [{ code: "no-summary" }],
    });
    const recorded = [
      { event: "metric", data: { http_req_failed: {}, http_reqs: {}, time: {} } },
      { event: "start", data: [[], [], [1000]] },
      { event: "snapshot", data: [[0.25], [40, 40], [2000]] },
      { event: "cumulative", data: [[0.25], [41, 20], [2000]] },
    ];
    const write = recorded.map((line) => `echo '${JSON.stringify(line)}' >> "$K6_WEB_DASHBOARD_RECORD"`);
    expect(await fake(`${write.join("\n")}\nkill -9 $$`)).toMatchObject({
      verdict: "invalid",
      findings: [{ code: "k6-killed", subject: "SIGKILL" }],
      // What was recorded up to that point is kept.
      metrics: { http_reqs: { count: 40 }, http_req_failed: { rate: 0.25 } },
      series: { requestRate: [40], failedRate: [10] },
    });
  });

  test("an unknown argument for k6 is no verdict on the target", async () => {
    await expect(run(healthy, { k6Args: ["--no-such-flag"] })).rejects.toThrow(
      "k6 could not run the scenario",
    );
    await expect(run(healthy, { k6: { path: join(folder, "no-k6") } })).rejects.toThrow(
      "k6 could not be started",
    );
  });

  test("the key is in no file, even when the target echoes it, and no part of it where k6 cuts off a text", async () => {
    const outDir = await mkdtemp(join(folder, "echo-"));
    const sameOrg = "canary-key-of-the-same-organization";
    const echo = (text: string, at: number) => `${"~".repeat(at)}${text} and ${"~".repeat(2000)}`;
    const bodies = (index: number): ReturnType<StubBehaviour>[] => [
      { body: echo(key.toUpperCase(), 999 - (index % key.length)) },
      { body: echo(sameOrg, 980) },
      { status: 400, body: { error: { code: echo(key, 265), message: "x" } } },
      { body: { title: key, price: "x" } },
    ];
    const keyVariables = { primary: "STAGING_API_KEY", sameOrg: "SECOND_KEY", otherOrg: "OTHER_KEY" };
    const result = await run(
      onLookups((index) => bodies(index)[index % 4]),
      {
        outDir,
        target: { keys: { primary: key, sameOrg }, keyVariables },
        profile: { ...profile, stages: constantRate(60, 1) },
      },
    );
    const files = await filesIn(outDir);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(["k6.log", "lookup.js", "summary.json", "time-series.ndjson"]),
    );
    expect(JSON.stringify([files, result]).toLowerCase()).not.toContain("canar");
    expect(files["k6.log"]).toContain("~~… (");
    expect(files["k6.log"]).toContain("shelfcheck-evidence");
    // Ten are kept of all: which kinds of lookup they are of depends on the order of responses.
    const kept = (result.evidence ?? []).filter(({ finding }) => finding.path === "/price");
    expect(kept[0]?.exchange.curl).toContain(`'Authorization: Bearer '"$STAGING_API_KEY"`);
    expect(kept[0]?.exchange.response.body).toContain('"title":"$STAGING_API_KEY"');
    expect(kept[0]?.finding).toMatchObject({ code: "wrong-type", endpoint: kept[0]?.request, actual: "x" });
  });
});

/** What a run of lookups wrote, by the name of the file. */
async function filesIn(outDir: string): Promise<Record<string, string>> {
  const lookup = join(outDir, "load", "lookup");
  const names = await readdir(lookup);
  const texts = names.map(async (name) => [name, await readFile(join(lookup, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

const { products, ...fixtures } = sampleFixtures();
const noProduct: Finding = { code: "no-product", details: { categories: ["hats"], unlisted: 7 } };
const noBatch: Finding = { code: "no-answer", subject: "silent" };
test.each<[ScenarioId, Partial<Parameters<typeof missingFixtures>[0]>, ...Finding[]]>([
  [
    "lookup",
    { fixtures: { ...fixtures, products: [] }, noProduct },
    { code: "no-products-to-load" },
    noProduct,
  ],
  [
    "batch",
    { fixtures: { ...fixtures, products, dialect: {} }, noBatch },
    { code: "no-batch-field" },
    noBatch,
  ],
  ["lookup", { fixtures: { ...fixtures, products, dialect: {} } }],
])("what %s needs and discovery did not find: %#", (scenario, found, ...missing) => {
  const plan = planLoad({ scenario, profileName: "test", profile });
  expect(missingFixtures({ plan, fixtures: sampleFixtures(), ...found })).toEqual(missing);
});
