import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyFingerprint } from "../../conformance/client/target.ts";
import { changesOf } from "../../proof/table.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import type { CheckResult, Results } from "../../schemas/contracts/results.ts";
import { type Verdict, verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { type ServiceOptions, startService } from "../../service/start.ts";
import { environmentFor } from "../../test/support/command.ts";
import { finishedRun } from "../../test/support/finished-run.ts";
import {
  exampleCheck,
  exampleExchange,
  exampleRequirement,
  exampleResults,
} from "../../test/support/samples/example.ts";
import { serve } from "../../test/support/server.ts";
import { stubTarget } from "../../test/support/stub-client.ts";
import { plainStyle } from "../report/terminal.ts";
import { checksToRun, fuzzOf, recordedChecks, renderReplay, replayOf } from "./replay.ts";

const checkOf = (id: string, verdict: Verdict = "fail") =>
  exampleRequirement({ id: id.split("/")[0] ?? "", verdict, checks: [exampleCheck({ id, verdict })] });
const runOf = (...ids: readonly string[]) => exampleResults({ requirements: ids.map((id) => checkOf(id)) });

const [rule, ofLimit, burst, known] = [
  "service.json/every-response",
  "errors.retry-after/every-refusal",
  "limits.honest-wait/accepted-again",
  "by-id.unknown-product/unknown-id",
];

test.each<[string, id: string, judged: string[], again: string[]]>([
  ["a check is run alone", known, [known, rule, burst], [known]],
  ["a rule judges what the other checks send", rule, [known, rule, burst], [known, rule]],
  ["what 429 responses showed needs the burst", ofLimit, [known, ofLimit], [ofLimit, burst]],
])("%s", (_name, id, judged, again) => {
  const results = runOf(...judged);
  const ids = checksToRun(recordedChecks(results, id), results).map((one) => one.id);
  expect(ids).toEqual(expect.arrayContaining(again));
  for (const other of judged) expect(ids.includes(other as never), other).toBe(again.includes(other));
});

test("what the burst showed needs it, too", () => {
  const ofBurst = exampleCheck({ id: rule, evidence: [{ ...exampleExchange(), burst: true }] });
  expect(checksToRun([ofBurst], runOf(rule)).map(({ id }) => id)).toContain(burst);
});

test("a finding of --fuzz is looked for with the inputs of that run", () => {
  const details = { runs: 300, seed: 7 };
  const findings = [
    { code: "recorded", subject: "" },
    { code: "recorded", subject: "", details },
  ] as unknown as CheckResult["findings"];
  expect(fuzzOf([exampleCheck({ findings })])).toEqual(details);
  expect(fuzzOf([exampleCheck()])).toBeUndefined();
});

const gone: FindingOf<"no-answer"> = { code: "no-answer", subject: "refused", details: { url: "http://a" } };

const keyVariables = { primary: "A", sameOrg: "B", otherOrg: "SHELFCHECK_API_KEY" };

test.each<[before: "fail" | "warn", now: Verdict | undefined, typeof gone | undefined, string, string?]>([
  ["fail", "fail", undefined, "failing now"],
  ["fail", "fail", gone, "failing now"],
  ["fail", "warn", undefined, "could not tell"],
  ["warn", "warn", undefined, "warned again"],
  ["fail", "pass", undefined, "passes now"],
  ["fail", "notApplicable", undefined, "could not tell"],
  // What passed may be no response of the service.
  ["fail", "pass", gone, "could not tell"],
  // The burst that showed it was avoided.
  ["fail", "pass", undefined, "could not tell", "burst"],
  ["fail", "pass", undefined, "could not tell", "category"],
  ["fail", "pass", undefined, "could not tell", "key"],
  ["fail", "inconclusive", undefined, "could not tell"],
  ["fail", undefined, undefined, "could not tell"],
])("what is %s before and %s now, with %j: %s", (earlier, now, why, verdict, lack) => {
  const isOfBurst = lack === "burst" || undefined;
  const requirements = now === undefined ? [] : [checkOf(known, now)];
  const evidence = [404, 410].map((status) => ({ ...exampleExchange({ status }), burst: isOfBurst }));
  const findings: Finding[] = [{ code: "recorded", subject: "", exchange: 1 }];
  const before = [exampleCheck({ id: known, verdict: earlier, evidence, findings })];
  const traffic = { requests: { total: 0 }, rateLimit: { refused: 0 }, gone: why };
  const target = stubTarget("http://a.example/v1", lack === "key" ? { keys: {}, keyVariables } : {});
  const browsed = lack === "category" ? ["a"] : [];
  const lacks = lack === "key" ? ["$SHELFCHECK_API_KEY"] : browsed;
  const replay = replayOf(before, { requirements, ...traffic }, target, browsed);
  const told = isOfBurst ? "inconclusive" : (now ?? "inconclusive");
  expect(replay).toMatchObject({ verdict, checks: [{ before: earlier, now: told, lacks }] });
  expect(replay.problem !== undefined).toBe(why !== undefined);
  const text = renderReplay(replay, plainStyle());
  expect(text.includes("The run also used")).toBe(lacks.length > 0);
  expect(text).toContain(`${verdict.toUpperCase()} ${known}: ${verdictLabels[earlier]} before`);
  expect(/^ {2}410 before:\n {4}curl .*\$SHELFCHECK_API_KEY/m.test(text)).toBe(verdict !== "passes now");
  expect(text.includes("to be sure, run conformance")).toBe(told === "pass");
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

test.each([
  [["latest", "errors.unknown-prodct"], "Did you mean errors.unknown-product?"],
  [["1999", "errors.unknown-product"], "the newest one is latest"],
])("an unknown run or id: exit 2: %s", async (argv, expected) => {
  await using run = await replayable();
  const { exitCode, stderr } = await run.replay(argv);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(expected);
});

const key = "the-key-of-staging";
const elsewhere = "http://127.0.0.1:9/v1";
const config = (baseUrl: string) =>
  `export default { targets: { staging: { baseUrl: "${baseUrl}", keys: { primary: "STAGING_KEY" } } } };`;
const other = `, and the configured address is ${elsewhere}`;

/** `replay` of a run whose results file names the address of a server that counts requests and rejects the key. */
async function replayElsewhere(name: string, setUp: (baseUrl: string) => { env?: object; file?: string }) {
  let requests = 0;
  await using server = await serve((_request, response) => {
    requests += 1;
    response.writeHead(401).end();
  });
  const { baseUrl } = server;
  await using run = await replayable({ target: { name, baseUrl, keyFingerprint: "0123456789ab" } });
  const { env = {}, file } = setUp(baseUrl);
  if (file !== undefined) await writeFile(join(run.cwd, "shelfcheck.config.mjs"), file);
  const keys = { SHELFCHECK_API_KEY: key, STAGING_KEY: key };
  return { ...(await run.replay(["latest", check.id], { ...keys, ...env })), baseUrl, isAsked: requests > 0 };
}

test.each([
  ["no other source names an address", () => ({}), "No target is named; only the results file names"],
  ["the environment names another", () => ({ env: { SHELFCHECK_BASE_URL: elsewhere } }), other],
  ["the config names another for the target", () => ({ file: config(elsewhere) }), other],
])("a results file never decides where a key is sent: %s", async (_name, setUp, expected) => {
  const { exitCode, isAsked, stderr, baseUrl } = await replayElsewhere("staging", setUp);
  expect({ exitCode, isAsked }).toEqual({ exitCode: 2, isAsked: false });
  for (const text of [expected, baseUrl, "--base-url"]) expect(stderr).toContain(text);
});

test.each([
  ["config", "staging", (baseUrl: string) => ({ file: config(baseUrl) })],
  ["environment", "127.0.0.1", (baseUrl: string) => ({ env: { SHELFCHECK_BASE_URL: baseUrl } })],
])("the %s names the same address: it is asked, and another key is announced", async (_way, name, setUp) => {
  const { exitCode, isAsked, stderr } = await replayElsewhere(name, setUp);
  expect({ exitCode, isAsked }).toEqual({ exitCode: 3, isAsked: true });
  expect(stderr).toContain("The primary key is not the one of that run: it may see other products.");
});

/** `replay` of a run on a service with a fault. */
async function replayOn(options: ServiceOptions, fault: string, ...requirements: Results["requirements"]) {
  const service = await startService({ products: 60, ...options, ...changesOf({ faults: [fault] }) });
  const { baseUrl, keys } = service;
  const target = { name: "127.0.0.1", baseUrl, keyFingerprint: keyFingerprint(keys.primary) };
  const run = await replayable({ target, requirements });
  const env = environmentFor(service);
  return {
    replay: (...argv: string[]) => run.replay(["latest", ...argv], env),
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await service.stop();
    },
  };
}

test("all failures of a run, the worst first, without what passed or was not judged", async () => {
  await using run = await replayOn(
    { rate: 1000, burst: 1000 },
    "unknown-product-400",
    checkOf("errors.shape/unknown-route"),
    checkOf("by-id.unknown-product/unknown-id"),
    checkOf("versioning.path/base-address", "pass"),
    checkOf("query.gtin/known", "inconclusive"),
  );
  const { exitCode, stdout } = await run.replay();
  expect(exitCode, stdout).toBe(1);
  expect(stdout.match(/^\S.*/gm)).toEqual([
    "2 checks: 1 failing now, 1 passes now",
    "FAILING NOW by-id.unknown-product/unknown-id: failed before, failed now",
    "PASSES NOW errors.shape/unknown-route: failed before, passed now",
  ]);
  const fixed = await run.replay("errors.shape", "--json");
  expect(fixed.exitCode).toBe(0);
  expect(JSON.parse(fixed.stdout)).toMatchObject({ verdict: "passes now", checks: [{ now: "pass" }] });
});

test("a replay exceeds the limit by itself, as the run did", async () => {
  // A busy machine sends 30 requests a second: they reach this limit.
  const limited = { rate: 10, burst: 50 };
  await using run = await replayOn(limited, "retry-after-missing", checkOf(ofLimit));
  expect((await run.replay("errors.retry-after")).stdout).toContain(`FAILING NOW ${ofLimit}`);
});

test.each([0, 4] as const)(
  "without a failed check, no request is sent, and the run's exit code %i decides",
  async (code) => {
    await using run = await replayable({ exitCode: code });
    const { exitCode, stdout } = await run.replay(["latest"]);
    expect([exitCode, stdout]).toEqual([code, "The run has no failed check to repeat.\n"]);
  },
);
