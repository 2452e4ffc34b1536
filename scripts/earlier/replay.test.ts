import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyFingerprint } from "../../conformance/client/target.ts";
import { judgeService } from "../../conformance/engine/judge-service.ts";
import { changesOf } from "../../proof/table.ts";
import type { CheckResult, Results } from "../../schemas/contracts/results.ts";
import { type RunningService, type ServiceOptions, startService } from "../../service/start.ts";
import { finishedRun } from "../../test/support/finished-run.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleResults,
} from "../../test/support/samples/example.ts";
import { sendJson, serve, startRelay } from "../../test/support/server.ts";
import { stubTarget } from "../../test/support/stub-client.ts";
import { plainStyle } from "../report/terminal.ts";
import { checksToRun, recordedChecks, renderReplay, replayChecks } from "./replay.ts";

const bounds = { maxRequests: 3000, signal: new AbortController().signal };
type Place = Pick<RunningService, "baseUrl" | "keys" | "categories">;
const targetOf = ({ baseUrl, keys, categories }: Place) => stubTarget(baseUrl, { keys, categories });

async function serviceWith(options: ServiceOptions, ...faults: readonly string[]) {
  const service = await startService({ products: 120, ...options, ...changesOf({ faults }) });
  return { ...service, [Symbol.asyncDispose]: () => service.stop() };
}

/** A run of these requirements and checks. */
async function runOn(place: Place, ...only: readonly string[]): Promise<Results> {
  const { requirements } = await judgeService({
    ...bounds,
    target: targetOf(place),
    selection: { only, skip: [] },
  });
  return exampleResults({ requirements });
}

async function replay(results: Results, place: Place, id?: string) {
  const recorded = recordedChecks(results, id);
  const checks = checksToRun(recorded, results);
  return await replayChecks(recorded, checks, { ...bounds, target: targetOf(place) });
}

const fast = { rate: 1000, burst: 1000 };

describe("a failed check is run again", () => {
  let honest: RunningService;
  beforeAll(async () => {
    honest = await startService({ products: 120, ...fast });
  });
  afterAll(() => honest.stop());

  test("and shown with what it was, what it is and the recorded request", async () => {
    await using faulty = await serviceWith(fast, "unknown-product-400");
    const id = "by-id.unknown-product/unknown-id";
    const results = await runOn(faulty, id);
    const again = await replay(results, faulty, id);
    expect(again).toMatchObject({ verdict: "still failing", checks: [{ id, before: "fail", now: "fail" }] });
    const fixed = await replay(results, honest, id);
    expect(fixed).toMatchObject({ verdict: "passes now", checks: [{ id, before: "fail", now: "pass" }] });
    const text = renderReplay(fixed, id, plainStyle());
    expect(text).toContain(`PASSES NOW ${id}: failed before, passed now`);
    expect(text).toMatch(/400 before:\n {4}curl .*\$SHELFCHECK_API_KEY/);
  });

  test.each([
    ["url-unentitled-answered", ["authentication.entitlement", "service.own-response/in-turn"]],
    ["unentitled-retailer-answered", ["by-id.unentitled-slug", "authentication.entitlement/second-key"]],
    ["retailers-unscoped", ["retailers.scope", "query.gtin-mismatch"]],
    ["missing-key-accepted-for-cursors", ["authentication.required"]],
    ["nul-500", ["errors.hostile-input/category"]],
    // What the traffic of other checks showed under a rule.
    ["null-field-in-batch", ["service.omitted-fields", "batch.lookup"]],
  ])("%s: each finding still fails, and passes where the fault is not", async (fault, only) => {
    await using faulty = await serviceWith(fast, fault);
    const results = await runOn(faulty, ...only);
    expect(recordedChecks(results, undefined).length).toBeGreaterThan(0);
    const verdicts = async (place: Place) => {
      const { checks } = await replay(results, place);
      return [...new Set(checks.map(({ verdict }) => verdict))];
    };
    expect(await verdicts(faulty)).toEqual(["still failing"]);
    expect(await verdicts(honest)).toEqual(["passes now"]);
  });

  test("a finding of --fuzz, with the inputs of that run", async () => {
    await using faulty = await serviceWith(fast, "nul-500");
    const selection = { only: ["errors.hostile-input/drawn"], skip: [] };
    const fuzz = { runs: 300, seed: 7 };
    const { requirements } = await judgeService({ ...bounds, target: targetOf(faulty), selection, fuzz });
    const results = exampleResults({ requirements });
    expect(recordedChecks(results, undefined)).toHaveLength(1);
    expect((await replay(results, faulty)).verdict).toBe("still failing");
    expect((await replay(results, honest)).verdict).toBe("passes now");
  });

  test("could not tell, with the cause, when the target starts to return 999", async () => {
    const results = await runOn(honest, "errors.shape");
    const { keys, categories } = honest;
    await using bad = await startRelay(honest.baseUrl, ({ number }, response) => {
      if (number > 20) sendJson(response, 999, { error: { code: "odd", message: "on purpose" } });
      return number > 20;
    });
    const found = await replay(results, { baseUrl: bad.baseUrl, categories, keys }, "errors.shape");
    expect(found.verdict).toBe("could not tell");
    expect(found.problem?.what).toContain("999");
  });
});

// The replay exceeds the limit by itself, as the run did.
test.each([
  ["retry-after-missing", "errors.retry-after", "every-refusal"],
  ["retry-after-too-short", "limits.honest-wait", "accepted-again"],
])("%s: %s still fails, and passes where the fault is not", async (fault, id, failed) => {
  const limited = { rate: 100, burst: 60 };
  await using faulty = await serviceWith(limited, fault);
  const checks = [exampleCheck({ id: `${id}/${failed}`, verdict: "fail" })];
  const results = exampleResults({ requirements: [exampleRequirement({ id, checks })] });
  expect((await replay(results, faulty, id)).verdict).toBe("still failing");
  await using fixed = await serviceWith(limited);
  expect((await replay(results, fixed, id)).verdict).toBe("passes now");
});

test("checks that exceed the limit are run again for what 429 responses showed, even if the run met it by chance", () => {
  const runOf = (...ids: string[]) =>
    exampleResults({
      requirements: ids.map((id) =>
        exampleRequirement({ id, checks: [exampleCheck({ id, verdict: "fail" })] }),
      ),
    });
  const [rule, burst, other] = [
    "errors.retry-after/every-refusal",
    "limits.honest-wait/accepted-again",
    "by-id.product/known",
  ];
  const again = (results: Results) => checksToRun(recordedChecks(results, rule), results).map(({ id }) => id);
  expect(again(runOf(rule, burst, other))).toEqual([burst, rule]);
  expect(again(runOf(rule, other))).toEqual(expect.arrayContaining([burst, rule]));
  const limited = { ...exampleCheck({ id: "x", verdict: "fail" }), id: "service.json/every-response" };
  expect(checksToRun([limited], runOf(limited.id, burst)).map(({ id }) => id)).toEqual([limited.id]);
});

const check = exampleCheck({ id: "versioning.path/base-address" });

/** Creates a reports folder with a finished run, and runs `replay` on it. */
async function replayable(change: Partial<Results> = {}) {
  const requirements = [exampleRequirement({ checks: [check] })];
  const finished = await finishedRun(exampleResults({ requirements, ...change }));
  return {
    ...finished,
    replay: (argv: readonly string[], env: NodeJS.ProcessEnv = {}) => finished.run(["replay", ...argv], env),
  };
}

describe("an unknown run or id: exit 2", () => {
  test.each([
    [["latest", "errors.unknown-prodct"], "Did you mean errors.unknown-product?"],
    [["1999", "errors.unknown-product"], "The newest runs are: 1970-01-01T00-00-00-000Z-gate-"],
  ])("%s", async (argv, expected) => {
    await using run = await replayable();
    const { exitCode, stderr } = await run.replay(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(expected);
  });
});

describe("a results file never decides where a key is sent", () => {
  const key = "the-key-of-staging";
  const fingerprint = keyFingerprint(key);
  const elsewhere = "http://127.0.0.1:9/v1";
  const argv = ["latest", check.id];
  const config = (baseUrl: string) =>
    `export default { targets: { staging: { baseUrl: "${baseUrl}", keys: { primary: "STAGING_KEY" } } } };`;

  /** A run whose results file names the address of a server that counts requests. */
  async function doctoredRun(name: string, keyFingerprint = fingerprint) {
    let requests = 0;
    const server = await serve((_request, response) => {
      requests += 1;
      response.writeHead(401).end();
    });
    const run = await replayable({ target: { name, baseUrl: server.baseUrl, keyFingerprint } });
    return {
      ...run,
      baseUrl: server.baseUrl,
      requests: () => requests,
      async [Symbol.asyncDispose]() {
        await run[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  const other = `, and the configured address is ${elsewhere}`;
  test.each([
    ["no other source names an address", {}, "", "No target is named; only the results file names"],
    ["the environment names another address", { SHELFCHECK_BASE_URL: elsewhere }, "", other],
    ["the config names another address for the target", {}, config(elsewhere), other],
  ])("%s", async (_name, env, file, expected) => {
    await using run = await doctoredRun("staging");
    if (file !== "") await writeFile(join(run.cwd, "shelfcheck.config.mjs"), file);
    const keys = { SHELFCHECK_API_KEY: key, STAGING_KEY: key };
    const { exitCode, stderr } = await run.replay(argv, { ...keys, ...env });
    expect({ exitCode, requests: run.requests() }).toEqual({ exitCode: 2, requests: 0 });
    for (const text of [expected, run.baseUrl, "--base-url"]) expect(stderr).toContain(text);
  });

  test("a key with another fingerprint is sent only with --changed-key", async () => {
    await using run = await doctoredRun("staging", "0123456789ab");
    await writeFile(join(run.cwd, "shelfcheck.config.mjs"), config(run.baseUrl));
    const { exitCode, stderr } = await run.replay(argv, { STAGING_KEY: key });
    expect({ exitCode, requests: run.requests() }).toEqual({ exitCode: 2, requests: 0 });
    expect(stderr).toContain(`its fingerprint is ${fingerprint}, and was 0123456789ab`);
    expect(stderr).toContain("--changed-key");
    const asked = await run.replay([...argv, "--changed-key"], { STAGING_KEY: key });
    expect(asked.exitCode).toBe(3);
    expect(run.requests()).toBeGreaterThan(0);
  });

  test.each(["config", "environment", "flag"])(
    "is replayed when the %s names the same address",
    async (way) => {
      await using run = await doctoredRun(way === "config" ? "staging" : "127.0.0.1");
      const { baseUrl } = run;
      if (way === "config") await writeFile(join(run.cwd, "shelfcheck.config.mjs"), config(baseUrl));
      const flags = way === "flag" ? ["--base-url", baseUrl] : [];
      const env = {
        [way === "config" ? "STAGING_KEY" : "SHELFCHECK_API_KEY"]: key,
        ...(way === "environment" ? { SHELFCHECK_BASE_URL: baseUrl } : {}),
      };
      // The stub rejects the key. Only the request matters.
      expect((await run.replay([...argv, ...flags], env)).exitCode).toBe(3);
      expect(run.requests()).toBeGreaterThan(0);
    },
  );
});

describe("all failures of a run", () => {
  test("one line each, the worst first, without what passed or was not judged; as JSON too", async () => {
    await using faulty = await serviceWith(fast, "unknown-product-400");
    const { baseUrl, keys, categories } = faulty;
    const primary = keys.primary ?? "";
    const failed = (id: string, verdict: CheckResult["verdict"] = "fail") =>
      exampleRequirement({ id: id.split("/")[0] ?? "", verdict, checks: [exampleCheck({ id, verdict })] });
    await using run = await replayable({
      target: { name: "127.0.0.1", baseUrl, keyFingerprint: keyFingerprint(primary) },
      requirements: [
        failed("errors.shape/unknown-route"),
        failed("by-id.unknown-product/unknown-id"),
        failed("versioning.path/base-address", "pass"),
        failed("query.gtin/known", "inconclusive"),
      ],
    });
    const env = {
      SHELFCHECK_BASE_URL: baseUrl,
      SHELFCHECK_API_KEY: primary,
      SHELFCHECK_CATEGORIES: categories.join(","),
    };
    const { exitCode, stdout } = await run.replay(["latest"], env);
    expect(exitCode, stdout).toBe(1);
    expect(stdout).toBe(
      [
        "2 checks: 1 still failing, 1 passes now",
        "STILL FAILING by-id.unknown-product/unknown-id: failed before, failed now",
        "PASSES NOW errors.shape/unknown-route: failed before, passed now",
        "",
      ].join("\n"),
    );
    expect((await run.replay(["latest", "errors.shape"], env)).exitCode).toBe(0);
    const json = JSON.parse((await run.replay(["latest", "--json"], env)).stdout);
    expect(json).toMatchObject({ verdict: "still failing", checks: [{ now: "fail" }, { now: "pass" }] });
  });

  test.each<[string, Partial<Results>, 0 | 4, string]>([
    ["in which nothing failed", {}, 0, "In the run, no check failed."],
    ["without requirements", { requirements: [] }, 4, "The run judged nothing"],
    [
      "that could judge nothing",
      { requirements: [exampleRequirement({ verdict: "inconclusive" })] },
      4,
      "The run judged nothing",
    ],
    [
      "whose load failed",
      { load: [exampleLoad({ verdict: "fail", findings: [{ code: "invalid-responses" }] })] },
      4,
      "To send it again: npx shelfcheck load --scenario lookup",
    ],
  ])("a run %s: no request", async (_name, change, code, text) => {
    await using run = await replayable(change);
    const { exitCode, stdout } = await run.replay(["latest"]);
    expect(exitCode).toBe(code);
    expect(stdout).toContain(text);
  });
});

test("one id and the whole run repeat the same checks: those that failed, and not what was not judged", () => {
  const checks = [
    exampleCheck({ id: "a/one", verdict: "inconclusive" }),
    exampleCheck({ id: "a/two", verdict: "fail" }),
  ];
  const results = exampleResults({
    requirements: [exampleRequirement({ id: "a", verdict: "fail", checks })],
  });
  const repeated = [recordedChecks(results, "a"), recordedChecks(results, undefined)];
  expect(repeated.map((all) => all.map(({ id }) => id))).toEqual([["a/two"], ["a/two"]]);
});
