import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { keyFingerprint } from "../../conformance/client/target.ts";
import { judgeService } from "../../conformance/engine/judge-service.ts";
import { changesOf } from "../../proof/table.ts";
import type { Evidence } from "../../schemas/contracts/evidence.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { CheckResult, Results } from "../../schemas/contracts/results.ts";
import { type RunningService, startService } from "../../service/start.ts";
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
import { restoreRequest } from "./recorded-request.ts";
import { renderReplay } from "./render-replay.ts";
import { isTestedLater, type Replay, recordedChecks, recordedFindings, replayChecks } from "./replay.ts";

const bounds = { skip: [], maxRequests: 1000, signal: new AbortController().signal };

const targetOf = ({ baseUrl, keys, categories }: RunningService) => stubTarget(baseUrl, { keys, categories });

async function stoppable(options: Parameters<typeof startService>[0]) {
  const service = await startService(options);
  return { ...service, [Symbol.asyncDispose]: () => service.stop() };
}

function verdictsOf({ checks }: Replay): string[] {
  return [...new Set(checks.map(({ verdict }) => verdict))];
}

/** The results of these checks in a run. */
async function run(service: RunningService, only: readonly string[]): Promise<readonly CheckResult[]> {
  const target = targetOf(service);
  const { requirements } = await judgeService({ ...bounds, target, selection: { only, skip: [] } });
  return requirements.flatMap(({ checks }) => checks);
}

describe("replaying a finding", () => {
  let honest: RunningService;
  let faulty: RunningService;
  beforeAll(async () => {
    honest = await startService({ products: 120 });
    faulty = await startService({
      products: 120,
      ...changesOf({ faults: ["unknown-product-400", "null-field-in-batch"] }),
    });
  });
  afterAll(async () => {
    await honest.stop();
    await faulty.stop();
  });

  const replay = (
    checks: readonly CheckResult[],
    on: Pick<RunningService, "baseUrl" | "keys" | "categories">,
    { baseUrl: recordedBase }: Pick<RunningService, "baseUrl">,
  ) => {
    const results = exampleResults({ requirements: [exampleRequirement({ id: "x", checks: [...checks] })] });
    const target = stubTarget(on.baseUrl, { keys: on.keys, categories: on.categories });
    return replayChecks(recordedChecks(results, "x"), { target, recordedBase, ...bounds });
  };

  test("is still failing, or fixed", async () => {
    const checks = await run(faulty, ["by-id.unknown-product/unknown-id"]);
    expect(checks.map(({ verdict }) => verdict)).toEqual(["fail"]);
    const again = await replay(checks, faulty, faulty);
    expect(again.verdict).toBe("still failing");
    expect(again.requests).toContainEqual(expect.objectContaining({ before: 400, now: 400 }));

    const fixed = await replay(checks, honest, faulty);
    expect(fixed.verdict).toBe("fixed");
    expect(fixed.requests).toContainEqual(expect.objectContaining({ before: 400, now: 404 }));
    expect(renderReplay(fixed, plainStyle())).toContain("400 before, 404 now");
  });

  test.each([
    ["url-unentitled-answered", ["authentication.entitlement", "service.own-response/in-turn"], 5],
    ["batch-unentitled-answered", ["authentication.entitlement", "errors.unentitled-retailer"], 4],
    ["gtin-unentitled-answered", ["service.own-response/in-turn"], 1],
    ["unentitled-retailer-answered", ["by-id.unentitled-slug", "authentication.entitlement/second-key"], 3],
    ["retailers-unscoped", ["retailers.scope", "query.gtin-mismatch"], 3],
    ["gtin-other-retailer", ["query.gtin-mismatch"], 1],
    ["other-organization-404", ["by-id.unentitled-slug"], 1],
    ["missing-key-accepted-for-batch", ["authentication.required"], 1],
    ["bearer-refused-in-category", ["authentication.equivalent/by-category"], 1],
    ["nul-500", ["errors.hostile-input/category"], 1],
  ])("%s: each finding still fails, and is fixed where the fault is not", async (fault, only, count) => {
    await using service = await stoppable({ products: 120, ...changesOf({ faults: [fault] }) });
    const checks = (await run(service, only)).filter(({ verdict }) => verdict === "fail");
    expect(checks).toHaveLength(count);
    expect(verdictsOf(await replay(checks, service, service))).toEqual(["still failing"]);
    expect(verdictsOf(await replay(checks, honest, service))).toEqual(["fixed"]);
  });

  describe("a leak of a product that the check does not use now", () => {
    const id = "authentication.entitlement/other-organization";
    const refused = { 403: "forbidden", 404: "not_found", 500: "internal_error" } as const;
    test.each([
      ["refused, and its control not", 403, 200, undefined],
      ["not found, and its control found", 404, 200, undefined],
      ["gone: its control is not found either", 404, 404, "different responses"],
      ["500", 500, 200, "different responses"],
      ["leaked as before", 200, 200, "same status"],
    ] as const)("%s", async (_title, status, control, unclear) => {
      await using service = await stoppable({
        products: 120,
        ...changesOf({ faults: ["url-unentitled-answered"] }),
      });
      const [check] = (await run(service, [id])).filter((one) => one.id === id);
      if (check === undefined) throw new Error("no check");
      const path = "/products?url=https%3A%2F%2Fgone.example%2F1";
      const evidence = check.evidence.map(({ request, ...rest }) => ({
        ...rest,
        request: { ...request, url: service.baseUrl + path },
      }));
      const product = { retailer: check.findings[0]?.actual, title: "Mug" };
      const { keys, categories } = honest;
      await using later = await startRelay(honest.baseUrl, ({ url, headers }, response) => {
        if (!url.endsWith(path)) return false;
        const now = headers.authorization === `Bearer ${keys.otherOrg}` ? status : control;
        const error = now === 200 ? undefined : { code: refused[now], message: "no" };
        sendJson(response, now, error === undefined ? product : { error });
        return true;
      });
      const on = { baseUrl: later.baseUrl, categories: [...categories], keys };
      // The rule failed then, too.
      const rule = {
        ...exampleCheck({ id: "authentication.entitlement/every-product" }),
        verdict: "fail" as const,
      };
      const { checks } = await replay(
        [
          { ...check, evidence },
          { ...rule, evidence: [] },
        ],
        on,
        service,
      );
      const found = checks.find((one) => one.id === id);
      expect([found?.verdict, found?.unclear]).toEqual([
        unclear === undefined ? "fixed" : "could not tell",
        unclear,
      ]);
    });
  });

  test("judges a passive rule by the responses to its own evidence", async () => {
    const checks = await run(faulty, ["service.omitted-fields", "batch.lookup"]);
    const rule = checks.filter(({ id }) => id === "service.omitted-fields/every-product");
    expect(rule.map(({ verdict }) => verdict)).toEqual(["fail"]);
    expect((await replay(rule, faulty, faulty)).verdict).toBe("still failing");
    expect((await replay(rule, honest, faulty)).verdict).toBe("fixed");
  });

  test("could not tell when the failure came and went before", async () => {
    const checks = await run(faulty, ["by-id.unknown-product/unknown-id"]);
    const [check] = checks.map((one) => ({ ...one, attempts: { failed: 1, total: 3 } }));
    if (check === undefined) throw new Error("no check");
    const found = await replay([check], honest, faulty);
    expect(found.checks[0]).toMatchObject({ verdict: "could not tell", unclear: "came and went" });
    expect((await replay([check], faulty, faulty)).verdict).toBe("still failing");
  });

  test("sends the evidence of a rule again until a failure of that share would show", async () => {
    const checks = await run(faulty, ["service.omitted-fields", "batch.lookup"]);
    const [rule] = checks.filter(({ id }) => id === "service.omitted-fields/every-product");
    if (rule === undefined) throw new Error("no check");
    const findings = rule.findings.map((finding) => ({
      ...finding,
      seen: { count: 1, total: 4, of: "responses" as const },
    }));
    const [shown] = rule.evidence;
    let arrived = 0;
    const { keys, categories } = honest;
    await using flaky = await startRelay(honest.baseUrl, ({ body }, response) => {
      const isLater = body !== "" && body === shown?.request.body && ++arrived % 4 === 0;
      const products = [{ retailer: "a", product_id: "b", title: null }];
      const meta = { total: 1, found: 1, not_found: 0, other_errors: 0 };
      if (isLater) sendJson(response, 200, { products, errors: [], meta });
      return isLater;
    });
    const on = { baseUrl: flaky.baseUrl, categories: [...categories], keys };
    const found = await replay([{ ...rule, findings }], on, faulty);
    expect(found.verdict).toBe("still failing");
  });

  test("passes where it passed", async () => {
    const checks = await run(honest, ["versioning"]);
    expect((await replay(checks, honest, honest)).verdict).toBe("passed");
  });

  test("could not tell when what comes now breaks another rule", async () => {
    const checks = await run(faulty, ["by-id.unknown-product/unknown-id"]);
    const rule = { ...exampleCheck({ id: "service.json/every-response" }), verdict: "pass" as const };
    const { keys, categories } = honest;
    const wrong = checks.flatMap(({ evidence }) => evidence).find(({ response }) => response.status === 400);
    await using odd = await startRelay(honest.baseUrl, ({ url }, response) => {
      const isShown = wrong?.request.url.endsWith(url) === true;
      if (isShown) response.writeHead(404, { "content-type": "application/json" }).end("\ufeff{}");
      return isShown;
    });
    const on = { baseUrl: odd.baseUrl, categories: [...categories], keys };
    // The rule passed then, or the run did not judge it.
    for (const others of [[rule], []]) {
      const { checks: replayed } = await replay([...checks, ...others], on, faulty);
      expect(replayed.map(({ verdict, unclear }) => [verdict, unclear])).toEqual([
        ["could not tell", "other fault"],
      ]);
    }
    const found = await replay(checks, on, faulty);
    expect(renderReplay(found, plainStyle())).toContain("violate a rule that they met before");
  });

  test("could not tell, with the cause, when the target starts to return 999", async () => {
    const checks = await run(honest, ["errors.shape"]);
    const { keys, categories } = honest;
    await using bad = await startRelay(honest.baseUrl, ({ number }, response) => {
      if (number > 20) sendJson(response, 999, { error: { code: "odd", message: "on purpose" } });
      return number > 20;
    });
    const found = await replay(checks, { baseUrl: bad.baseUrl, categories: [...categories], keys }, honest);
    expect(found.verdict).toBe("could not tell");
    expect(found.checks.map(({ unclear }) => unclear)).toContain("target gone");
    expect(found.problem?.what).toContain("999");
  });

  test("could not tell when the evidence cannot be sent again", async () => {
    const checks = await run(faulty, ["service.omitted-fields", "batch.lookup"]);
    const rule = checks.filter(({ id }) => id.startsWith("service."));
    const found = await replay(rule.slice(0, 1), honest, { baseUrl: "http://127.0.0.1:1/v1" });
    expect(found.verdict).toBe("could not tell");
    expect(found.checks[0]).toMatchObject({ now: "inconclusive", unclear: "different responses" });
    expect(found.requests[0]).toMatchObject({ notSent: "other address" });
    expect(renderReplay(found, plainStyle())).toContain("as its address differs from");
  });

  test("sends keys in place of their variables, and redacts them again", async () => {
    const [check] = await run(honest, ["authentication.equivalent/both-good"]);
    const evidence = check?.evidence[0];
    if (evidence === undefined) throw new Error("no evidence");
    const target = targetOf(honest);
    const again = restoreRequest(evidence, honest.baseUrl, target);
    const key = target.keys.primary ?? "";
    expect(JSON.stringify(evidence)).not.toContain(key);
    expect(again).toMatchObject({ caller: "primary" });
    expect(JSON.stringify(again).split(key)).toHaveLength(3);
    const found = await replay([check as CheckResult], honest, honest);
    expect(redactionFor(target).redact(JSON.stringify(found))).toBe(JSON.stringify(found));
    expect(restoreRequest(evidence, honest.baseUrl, { ...target, keys: {} })).toMatchObject({
      notSent: "key not set",
      variable: "SHELFCHECK_API_KEY",
    });
  });
});

const check = exampleCheck({ id: "versioning.path/base-address" });

const evidenceOf = (url: string, headers: Readonly<Record<string, string>> = {}, status = 200): Evidence => ({
  request: { method: "GET", url, headers },
  response: { status, headers: {}, body: "", milliseconds: 1 },
  curl: "",
});

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

describe("keys replace the variables that the config of the run named", () => {
  const keyVariables = { primary: "KEY", sameOrg: "KEY_2", otherOrg: "OTHER" };
  const restored = (
    headers: Readonly<Record<string, string>>,
    keys: { readonly primary: string; readonly sameOrg: string },
  ) => {
    const target = stubTarget("http://a.example/v1", { keys });
    return restoreRequest(evidenceOf(`${target.baseUrl}/x`, headers), target.baseUrl, target, keyVariables);
  };

  test("whole keys", () => {
    const keys = { primary: "first-key", sameOrg: "second-key" };
    expect(restored({ "X-Api-Key": "$KEY_2", "X-Note": "$KEY $PATH" }, keys)).toMatchObject({
      keyHeader: "X-Api-Key",
      headers: { "X-Api-Key": "second-key", "X-Note": "first-key $PATH" },
    });
  });

  test.each([
    ["0123456789abcdef", "0123456789ab"],
    ["012345678", "01234567"],
  ])("%s without its last characters, however many were cut off then", (primary, cut) => {
    const recorded = `Bearer \${KEY%???}x`;
    expect(restored({ authorization: recorded }, { primary, sameOrg: "second-key" })).toMatchObject({
      keyHeader: "Authorization",
      headers: { authorization: `Bearer ${cut}x` },
    });
  });

  test("a key that is too short to be cut is not sent", () => {
    const keys = { primary: "8-letter", sameOrg: "second-key" };
    expect(restored({ authorization: `Bearer \${KEY%????}` }, keys)).toEqual({
      notSent: "key not cut",
      variable: "KEY",
    });
  });
});

test.each([
  { refused: 2300, wait: 1, accepted: 3600, isLater: true },
  { refused: 2300, wait: 1, accepted: 2200, isLater: false },
  { refused: 2300, wait: 3, accepted: 4200, isLater: false },
])(
  "a wait of $wait s shows no fix if $accepted ms after the first refusal, $refused ms before: $isLater",
  ({ refused, wait: actual, accepted, isLater }) => {
    const checkWith = (finding: Pick<Finding, "code" | "actual">, milliseconds: number): CheckResult => {
      const check = exampleCheck({ findings: [{ ...finding, exchange: 0, comparedWith: 1 } as Finding] });
      const evidence = [milliseconds, 0].map((at) => ({
        ...(check.evidence[0] as Evidence),
        startedAt: new Date(at).toISOString(),
      }));
      return { ...check, evidence };
    };
    const before = checkWith({ code: "refused-after-wait" }, refused);
    expect(isTestedLater(before, checkWith({ code: "accepted-after-wait", actual }, accepted))).toBe(isLater);
  },
);

test("a recorded request outside its base URL is not sent", () => {
  const evidence = evidenceOf("http://a.example@b.example/v1/x");
  const target = stubTarget("http://c.example/v1", { keys: {} });
  for (const recordedBase of ["http://a.example", "http", "http://b.example/v1"]) {
    expect(restoreRequest(evidence, recordedBase, target)).toMatchObject({ notSent: "other address" });
  }
});

describe("all findings of a run", () => {
  const finding = (id: string, verdict: CheckResult["verdict"], change: Partial<CheckResult> = {}) =>
    exampleRequirement({
      id: id.split("/")[0] ?? "",
      verdict,
      checks: [{ ...check, id, verdict, ...change }],
    });
  const statusFinding = (actual: number, url: string, status = actual): Partial<CheckResult> => ({
    findings: [{ code: "wrong-status", expected: [404], actual, exchange: 0 }],
    evidence: [evidenceOf(url, { "X-Api-Key": "$SHELFCHECK_API_KEY" }, status)],
  });

  /** Replays results with these findings on a correct reference service. */
  async function replayAll(...argv: readonly string[]) {
    const service = await startService({ products: 120 });
    try {
      const { baseUrl, keys, categories } = service;
      const primary = keys.primary ?? "";
      const target = { name: "127.0.0.1", baseUrl, keyFingerprint: keyFingerprint(primary) };
      const requirements = [
        // The slug no longer exists: 400 then and now, although the check passes with a current product.
        finding(
          "by-id.unknown-product/unknown-id",
          "fail",
          statusFinding(400, `${baseUrl}/products/gone-slug/1`),
        ),
        finding("errors.shape/unknown-route", "fail", statusFinding(500, `${baseUrl}/nothing-here`)),
        finding("versioning.path/base-address", "pass"),
        finding("query.gtin/known", "inconclusive"),
      ];
      await using run = await replayable({ target, requirements });
      const env = {
        SHELFCHECK_BASE_URL: baseUrl,
        SHELFCHECK_API_KEY: primary,
        SHELFCHECK_CATEGORIES: categories.join(","),
      };
      return await run.replay(["latest", ...argv], env);
    } finally {
      await service.stop();
    }
  }

  test("one line each, the worst first, without what passed or was not judged", async () => {
    const { exitCode, stdout } = await replayAll();
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/^2 checks of latest: 1 could not tell, 1 fixed\n/);
    expect(stdout).toMatch(
      /\n {2}could not tell {2}by-id\.unknown-product\/unknown-id +failed before, same status now\n/,
    );
    expect(stdout).toMatch(/\n {2}fixed {11}errors\.shape\/unknown-route +failed before, passed now\n/);
    expect(stdout).not.toContain("query.gtin/known");
  });

  test("as JSON", async () => {
    const { stdout } = await replayAll("--json");
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: "could not tell",
      checks: [
        { id: "by-id.unknown-product/unknown-id", verdict: "could not tell", unclear: "same status" },
        { id: "errors.shape/unknown-route", verdict: "fixed" },
      ],
    });
  });

  test("a run without findings: exit 0, without requests", async () => {
    await using run = await replayable();
    expect(await run.replay(["latest"])).toMatchObject({ exitCode: 0, stdout: "The run has no findings.\n" });
  });

  test.each([
    ["without requirements", [], [], "The run judged nothing, so there is nothing to replay.\n"],
    [
      "that could judge nothing",
      [exampleRequirement({ verdict: "inconclusive" })],
      [],
      "The run judged nothing, so there is nothing to replay.\n",
    ],
    [
      "of load that failed",
      [],
      [exampleLoad({ verdict: "fail", findings: [{ code: "invalid-responses" }] })],
      expect.stringContaining("findings of load only"),
    ],
  ])("a run %s: could not tell, exit 4", async (_name, requirements, load, stdout) => {
    await using run = await replayable({ requirements, load });
    expect(await run.replay(["latest"])).toMatchObject({ exitCode: 4, stdout });
  });
});

test("one id and the whole run repeat the same checks: those with findings, and not what was not judged", () => {
  const checks = [
    exampleCheck({ id: "a/one", verdict: "inconclusive" }),
    exampleCheck({ id: "a/two", verdict: "fail" }),
  ];
  const results = exampleResults({
    requirements: [exampleRequirement({ id: "a", verdict: "fail", checks })],
  });
  const repeated = [recordedChecks(results, "a"), recordedFindings(results, "latest")];
  expect(repeated.map((one) => one?.checks.map(({ id }) => id))).toEqual([["a/two"], ["a/two"]]);
});
