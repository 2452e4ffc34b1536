import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { runHere } from "../../test/support/command.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  timed,
} from "../../test/support/samples/example.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { stackTrace } from "../../test/support/workspace.ts";

const cwd = await temporaryFolder("compare");
beforeAll(async () => {
  await mkdir(join(cwd, "reports"));
  const fast = timed({ "lookup-by-id": [1000, 10, 20, 30] });
  const onlyLoad: Partial<Results<Finding>> = { command: "load", requirements: [] };
  await writeRun("fast", { ...onlyLoad, load: [loadOf(fast)] });
  await writeRun("slow", { ...onlyLoad, load: [loadOf(timed({ "lookup-by-id": [1000, 15, 30, 45] }))] });
  const conditions = { profile: "abc", host: "another machine" };
  await writeRun("elsewhere", { ...onlyLoad, load: [{ ...loadOf(fast), conditions }] });
  await writeRun("broken-run", { ...onlyLoad, load: [{ ...loadOf({}), verdict: "invalid", findings: [] }] });
  const loadWith = (met: boolean) => [{ ...loadOf({}), thresholds: [exampleThreshold({ met })] }];
  await writeRun("holding", { load: loadWith(true) });
  await writeRun("crossing", { load: loadWith(false) });
  await writeRun("without-load", { load: [] });
  await writeRun("good", { requirements: [exampleRequirement()] });
  await writeRun("bad", {
    requirements: [
      exampleRequirement({
        verdict: "fail",
        checks: [exampleCheck({ verdict: "fail", says: "404 was 200" })],
      }),
    ],
  });
  await writeRun("open", { requirements: [exampleRequirement({ verdict: "inconclusive" })] });
  await writeRun("fewer-retailers", {
    requirements: [exampleRequirement()],
    discovered: { ...exampleResults().discovered, retailers: [] },
  });
});

function loadOf(metrics: LoadResult["metrics"]): LoadResult {
  const conditions = { profile: "abc", host: "a machine" };
  return exampleLoad({ profile: "average", metrics, conditions, thresholds: [exampleThreshold()] });
}

let minutes = 0;
async function writeRun(name: string, change: Partial<Results<Finding>>): Promise<void> {
  minutes += 1;
  const started = new Date(Date.UTC(2026, 2, 1, 0, minutes)).toISOString();
  const results = exampleResults({ startedAt: started, finishedAt: started, ...change });
  await mkdir(join(cwd, "reports", name));
  await writeFile(join(cwd, "reports", name, "results.json"), JSON.stringify(results));
}

const compare = (...argv: string[]) => runHere(["compare", ...argv], { cwd });

describe.concurrent("two runs", () => {
  test("the same verdicts: exit 0", async () => {
    expect(await compare("good", "good-again-missing")).toMatchObject({ exitCode: 2 });
    const { exitCode, stdout } = await compare("bad", "good");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Fixed: errors.unknown-product.");
  });

  test("a requirement that newly fails: exit 1", async () => {
    const { exitCode, stdout } = await compare("good", "bad");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("Newly failing: errors.unknown-product.");
    expect(stdout).toContain("404 was 200");
  });

  test("a MUST that is no longer judged, or a failure that was not judged before: exit 4", async () => {
    const lost = await compare("good", "open");
    expect(lost).toMatchObject({ exitCode: 4, stdout: expect.stringContaining("no longer judged") });
    const found = await compare("open", "bad");
    expect(found).toMatchObject({ exitCode: 4, stdout: expect.stringContaining("not judged before") });
  });

  test("a threshold that is newly crossed: exit 1", async () => {
    const { exitCode, stdout } = await compare("holding", "crossing");
    expect(exitCode, stdout).toBe(1);
    expect(stdout).toContain("Lookup: limit newly exceeded: Lookup by id, p95, at most 500 ms.");
  });

  test("a load that is no longer measured: exit 4", async () => {
    const { exitCode, stdout } = await compare("holding", "without-load");
    expect(exitCode, stdout).toBe(4);
    expect(stdout).toContain("Lookup: no longer measured.");
  });

  test("a breaking change of the contract: exit 1", async () => {
    const { exitCode, stdout } = await compare("good", "fewer-retailers");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/may no longer use the retailer acme/);
  });

  test("their latency is shown and decides nothing", async () => {
    const { exitCode, stdout } = await compare("fast", "slow");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Latency is shown, not judged");
    expect(stdout).toMatch(/Lookup by id +p50 +10 ms +15 ms +\+50 %/);
    const data = JSON.parse((await compare("--json", "fast", "slow")).stdout);
    expect(data).toMatchObject({ verdict: "same", before: "fast", after: "slow" });
    expect(data.load[0].latency).toHaveLength(3);
  });

  test("what else differs between them is named", async () => {
    const { stdout } = await compare("fast", "elsewhere");
    expect(stdout).toContain("Lookup: the runs differ in host (a machine before, another machine after)");
  });
});

test("--markdown writes a file into the reports folder", async () => {
  const { exitCode, stdout } = await compare("--markdown", "good", "bad");
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`Written: ${join("reports", "compare.md")}\n`);
  const summary = await readFile(join(cwd, "reports", "compare.md"), "utf8");
  expect(summary).toMatch(/^## Worse: comparison of/);
});

test("the load of an invalid run is not shown", async () => {
  const { exitCode, stdout } = await compare("fast", "broken-run");
  expect(exitCode).toBe(4);
  expect(stdout).toContain("run broken-run measured no latency: its verdict is invalid");
  expect(stdout).not.toMatch(/Lookup by id +p50/);
});

describe.concurrent("errors with exit 2 and a fix", () => {
  test.each([
    ["an unknown run", ["good", "nowhere"], ["There is no such run", "nowhere"]],
    ["three runs", ["good", "bad", "open"], ["Too many arguments", "compare"]],
    ["one run", ["good"], ["Missing required argument"]],
    ["a run twice", ["good", "good"], ["named twice", "good"]],
  ])("%s", async (_title, argv, texts) => {
    const { exitCode, stdout, stderr } = await compare(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    for (const text of texts) expect(stderr).toContain(text);
    expect(stderr).not.toMatch(stackTrace);
  });
});
