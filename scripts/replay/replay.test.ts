import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import type { CheckResult } from "../../schemas/types.ts";
import { type RunningService, startService } from "../../service/start.ts";
import { main } from "../main.ts";
import { judgeInProcess } from "../proof/suite-in-process.ts";
import { plainStyle } from "../report/style.ts";
import { exampleRequirement, exampleResults } from "../run/example.ts";
import { makeRunFolder } from "../run/folder.ts";
import { writeResults } from "../run/write.ts";
import { renderReplay } from "./render.ts";
import { replayFinding } from "./replay.ts";
import { requestAgain } from "./request-again.ts";
import { saidOf } from "./said.ts";

const bounds = { skip: [], maxRequests: 1000, signal: new AbortController().signal };

function targetOf({ baseUrl, keys, categories }: RunningService): Target {
  return { name: "test", baseUrl, keys, categories, dialect: {}, timeoutMilliseconds: 5000 };
}

/** What a run of these checks says, as its results would hold it. */
async function run(service: RunningService, only: readonly string[]): Promise<readonly CheckResult[]> {
  return (await judgeInProcess(targetOf(service), { ...bounds, only })).checks;
}

describe("a finding is asked again", () => {
  let honest: RunningService;
  let faulty: RunningService;
  beforeAll(async () => {
    honest = await startService({ products: 120 });
    faulty = await startService({ products: 120, faults: ["unknown-product-400", "null-field-in-batch"] });
  });
  afterAll(async () => {
    await honest.stop();
    await faulty.stop();
  });

  const replay = async (checks: readonly CheckResult[], on: RunningService, recordedAt: RunningService) => {
    const results = exampleResults({ requirements: [exampleRequirement({ id: "x", checks: [...checks] })] });
    const options = { target: targetOf(on), recordedBase: recordedAt.baseUrl, ...bounds };
    return await replayFinding(saidOf(results, "x"), options);
  };

  test("still failing where it still fails; fixed where it does not", async () => {
    const checks = await run(faulty, ["by-id.unknown-product"]);
    expect(checks.map(({ verdict }) => verdict)).toEqual(["fail"]);
    const again = await replay(checks, faulty, faulty);
    expect(again.verdict).toBe("still failing");
    expect(again.requests.map(({ before, now }) => [before, now])).toContainEqual([400, 400]);

    const fixed = await replay(checks, honest, faulty);
    expect(fixed.verdict).toBe("fixed");
    expect(fixed.requests.map(({ before, now }) => [before, now])).toContainEqual([400, 404]);
    expect(renderReplay(fixed, plainStyle())).toContain("400 then, 404 now");
  });

  test("a passive rule goes by the answers to its own evidence", async () => {
    const checks = await run(faulty, ["service.omitted-fields", "batch.lookup"]);
    const rule = checks.filter(({ id }) => id === "service.omitted-fields/every-product");
    expect(rule.map(({ verdict }) => verdict)).toEqual(["fail"]);
    expect((await replay(rule, faulty, faulty)).verdict).toBe("still failing");
    expect((await replay(rule, honest, faulty)).verdict).toBe("fixed");
  });

  test("it holds where it held", async () => {
    const checks = await run(honest, ["versioning"]);
    expect((await replay(checks, honest, honest)).verdict).toBe("holds");
  });

  test("it cannot be told when the evidence cannot be asked again", async () => {
    const checks = await run(faulty, ["service.omitted-fields", "batch.lookup"]);
    const rule = checks.filter(({ id }) => id.startsWith("service."));
    const options = { target: targetOf(honest), recordedBase: "http://127.0.0.1:1/v1", ...bounds };
    const found = await replayFinding({ id: "x", checks: [rule[0] as CheckResult] }, options);
    expect(found.verdict).toBe("could not tell");
    expect(found.requests[0]?.reason).toContain("another address");
  });

  test("keys go out in place of their variables, and come back as variables", async () => {
    const [check] = await run(honest, ["authentication.equivalent/both-good"]);
    const evidence = check?.evidence.at(-1);
    if (evidence === undefined) throw new Error("no evidence");
    const target = targetOf(honest);
    const again = requestAgain(evidence, honest.baseUrl, target);
    const key = target.keys.primary ?? "";
    expect(JSON.stringify(evidence)).not.toContain(key);
    expect(again).toMatchObject({ kind: "request", request: { caller: "primary" } });
    expect(JSON.stringify(again).split(key)).toHaveLength(3);
    const found = await replay([check as CheckResult], honest, honest);
    expect(redactionFor(target.keys).redact(JSON.stringify(found))).toBe(JSON.stringify(found));
    expect(requestAgain(evidence, honest.baseUrl, { ...target, keys: {} })).toMatchObject({
      reason: "SHELFCHECK_API_KEY is not set",
    });
  });
});

describe("what is not there is told, exit 2", () => {
  let out: string;
  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), "shelfcheck-replay-"));
    const folder = await makeRunFolder(out, "gate", new Date(0));
    await writeResults(exampleResults({ requirements: [exampleRequirement({ checks: [check] })] }), {
      out,
      folder,
      redaction: redactionFor({}),
    });
  });
  afterAll(() => rm(out, { recursive: true }));

  const check: CheckResult = {
    id: "errors.unknown-product/x",
    title: "x",
    verdict: "pass",
    reason: "",
    evidence: [],
  };

  test.each([
    [["latest", "errors.unknown-prodct"], "Did you mean errors.unknown-product?"],
    [["1999", "errors.unknown-product"], "The newest are: 1970-01-01T00-00-00-000Z-gate-"],
  ])("%s", async (argv, expected) => {
    let stderr = "";
    const exitCode = await main(["replay", ...argv, "--out", out], {
      env: {},
      cwd: tmpdir(),
      stdout: { write: () => undefined },
      stderr: { write: (text) => (stderr += text) },
      now: () => new Date(0),
      signal: new AbortController().signal,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(expected);
  });
});
