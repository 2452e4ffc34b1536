import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { runHere } from "../../../test/support/command.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
} from "../../../test/support/samples/example.ts";
import { type Noise, syntheticRuns } from "../../../test/support/samples/synthetic-runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { stackTrace } from "../../../test/support/workspace.ts";
import type { Curve } from "../../runs/compare/curve.ts";
import { resultsMistakes } from "../../runs/results-schema.ts";

const cwd = await temporaryFolder("compare");
beforeAll(async () => {
  await mkdir(join(cwd, "reports"));
  const plenty: Noise = { within: 0.1, samples: 1500, run: (place) => 1 + 0.001 * (place % 3) };
  const few: Noise = { within: 0.6, samples: 60, run: (place) => 1 + 0.3 * (place % 3) };
  await writeRuns("same", plenty, 1);
  await writeRuns("slow", plenty, 1.25);
  await writeRuns("fast", plenty, 0.75);
  await writeRuns("vague", few, 1);
  await writeRun("broken-run", { load: [{ ...loadOf([]), verdict: "invalid", findings: [] }] });
  const loadWith = (met: boolean) => [{ ...loadOf([]), thresholds: [exampleThreshold({ met })] }];
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

/** Names of three alternating runs before and after: `<name>-before-0` and so on. */
async function writeRuns(name: string, noise: Noise, factor: number): Promise<void> {
  const sides = syntheticRuns(3, noise, 5, factor);
  for (const [side, runs] of Object.entries(sides)) {
    for (const [place, run] of runs.entries()) {
      const load = [loadOf(run.curves)];
      await writeRun(`${name}-${side}-${place}`, { command: "load", requirements: [], load }, run.startedAt);
    }
  }
}

const parts = { scenario: "lookup", profile: "abc", host: "a machine" };

function loadOf(curves: readonly Curve[]): LoadResult {
  return exampleLoad({
    profile: "average",
    percentiles: [...curves],
    comparability: { hash: "1", parts },
  });
}

let minutes = 0;
async function writeRun(name: string, change: Partial<Results>, startedAt?: string): Promise<void> {
  minutes += 1;
  const started = startedAt ?? new Date(Date.UTC(2026, 2, 1, 0, minutes)).toISOString();
  const results = exampleResults({ startedAt: started, finishedAt: started, ...change });
  expect(resultsMistakes(results)).toEqual([]);
  await mkdir(join(cwd, "reports", name));
  await writeFile(join(cwd, "reports", name, "results.json"), JSON.stringify(results));
}

const three = (name: string) => [0, 1, 2].map((place) => `${name}-${place}`);
const beforeAndAfter = (name: string) => [...three(`${name}-before`), "--", ...three(`${name}-after`)];
const compare = (...argv: string[]) => runHere(["compare", ...argv], { cwd });

describe.concurrent("latency of three runs before and three after", () => {
  test.each([
    ["slow", 1, "slower", "worse"],
    ["same", 0, "same", "same"],
    ["fast", 0, "faster", "same"],
    ["vague", 4, "inconclusive", "not judged"],
  ])("%s: exit %i, %s", async (name, exitCode, answer, verdict) => {
    const { stdout, ...ended } = await compare("--json", ...beforeAndAfter(name));
    expect(ended).toEqual({ exitCode, stderr: "" });
    const comparison = JSON.parse(stdout);
    expect(comparison).toMatchObject({ exitCode, verdict, load: [{ comparison: { answer } }] });
    expect(comparison.before).toEqual(three(`${name}-before`));
    expect(comparison.after).toEqual(three(`${name}-after`));
  });

  test("as text: the answer, the reason, and each endpoint", async () => {
    const { exitCode, stdout } = await compare(...beforeAndAfter("slow"));
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^WORSE\n {2}Lookup: slower than before: all requests, p50 \+2\d(\.\d)? %/);
    expect(stdout).toMatch(/Lookup by id +p95 .* slower/);
    expect(stdout).toContain("Exit 1: something got worse.");
  });

  test("--json has the calculation", async () => {
    const { stdout } = await compare("--json", ...beforeAndAfter("slow"));
    const [{ arithmetic, rule }] = JSON.parse(stdout).load;
    expect(rule).toMatchObject({ minimumEffect: 0.1, falseAlarms: 0.05 });
    expect(arithmetic[0]).toMatchObject({
      endpoint: "all",
      change: { spread: { degreesOfFreedom: 4 } },
    });
    expect(arithmetic[0].before).toHaveLength(3);
  });

  test("a larger --minimum-effect ignores a smaller change", async () => {
    const { exitCode, stdout } = await compare("--minimum-effect", "60", ...beforeAndAfter("slow"));
    expect({ exitCode, same: stdout.includes("same") }).toEqual({ exitCode: 0, same: true });
  });

  test("so does a larger --minimum-milliseconds", async () => {
    const { exitCode } = await compare("--minimum-milliseconds", "50", ...beforeAndAfter("slow"));
    expect(exitCode).toBe(0);
  });
});

describe.concurrent("two runs", () => {
  test("the same verdicts: exit 0", async () => {
    expect(await compare("good", "good-again-missing")).toMatchObject({ exitCode: 2 });
    const { exitCode, stdout } = await compare("bad", "good");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("FIXED errors.unknown-product: MUST, failed before, passed after");
  });

  test("a requirement that newly fails: exit 1", async () => {
    const { exitCode, stdout } = await compare("good", "bad");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("Newly failing: errors.unknown-product.");
    expect(stdout).toContain("404 was 200");
  });

  test("a MUST that is no longer judged, or a failure that was not judged before: exit 4", async () => {
    const lost = await compare("good", "open");
    expect(lost).toMatchObject({ exitCode: 4, stdout: expect.stringContaining("NO LONGER JUDGED") });
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

  test("breaking drift of the contract: exit 1", async () => {
    const { exitCode, stdout } = await compare("good", "fewer-retailers");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/breaking: .*acme/);
  });

  test("their latency is shown but not judged: exit 4 if there is nothing else", async () => {
    const { exitCode, stdout } = await compare("slow-before-0", "slow-after-0");
    expect(exitCode).toBe(4);
    expect(stdout).toContain("latency is shown but not judged");
    expect(stdout).toMatch(/Lookup by id +p50 +[\d.]+ ms +[\d.]+ ms +\+\d+(\.\d)? %/);
  });
});

test("--html and --markdown write files into the reports folder", async () => {
  const { exitCode, stdout } = await compare("--html", "--markdown", "good", "bad");
  expect(exitCode).toBe(1);
  for (const name of ["compare.html", "compare.md"]) {
    expect(stdout).toContain(`Written: ${join("reports", name)}\n`);
  }
  const [page, summary] = await Promise.all(
    ["compare.html", "compare.md"].map((name) => readFile(join(cwd, "reports", name), "utf8")),
  );
  expect(page).toContain("<title>Worse: comparison of");
  expect(summary).toMatch(/^## Worse: comparison of/);
});

test("the load of an invalid run is not shown", async () => {
  const { exitCode, stdout } = await compare("same-before-0", "broken-run");
  expect(exitCode).toBe(4);
  expect(stdout).toContain("run broken-run measured nothing: its verdict is invalid");
  expect(stdout).not.toMatch(/Lookup by id +p50/);
});

describe.concurrent("errors with exit 2 and a fix", () => {
  test.each([
    ["an unknown run", ["good", "nowhere"], ["There is no such run", "nowhere"]],
    [
      "too few before and after",
      ["same-before-0", "same-before-1", "--", "same-after-0"],
      ["Too few runs", "3 or more"],
    ],
    ["three runs without --", three("same-before"), ["which runs are before", "compare A B C -- D E F"]],
    ["nothing after --", ["good", "bad", "--"], ["which runs are before"]],
    ["a flag after --", [...beforeAndAfter("same"), "--json"], ["A flag follows --", "Flags come first"]],
    ["a run twice", ["good", "good"], ["named twice", "good"]],
    [
      "a run without measurements",
      ["same-before-0", "same-before-1", "broken-run", "--", ...three("same-after")],
      ["has no latency to compare", "broken-run", "or repeat it"],
    ],
    ["a minimum effect of 0", ["--minimum-effect", "0", "good", "bad"], ["Expected a number above 0"]],
  ])("%s", async (_title, argv, texts) => {
    const { exitCode, stdout, stderr } = await compare(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    for (const text of texts) expect(stderr).toContain(text);
    expect(stderr).not.toMatch(stackTrace);
  });

  test("runs with different conditions: the differences, and how to compare anyway", async () => {
    const sides = syntheticRuns(3, { within: 0.1, samples: 1500, run: () => 1 }, 5);
    for (const [place, run] of sides.after.entries()) {
      const comparability = { hash: "2", parts: { ...parts, profile: "def", host: "another machine" } };
      const load = [{ ...loadOf(run.curves), comparability }];
      await writeRun(`elsewhere-${place}`, { command: "load", requirements: [], load }, run.startedAt);
    }
    const argv = [...three("same-before"), "--", ...three("elsewhere")];
    const { exitCode, stderr } = await compare(...argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("host: a machine in same-before-0, another machine in elsewhere-0");
    expect(stderr).toContain("profile: abc in same-before-0, def in elsewhere-0");
    expect(stderr).toContain("--allow-different profile --allow-different host");
    const allow = ["profile", "host"].flatMap((part) => ["--allow-different", part]);
    const allowed = await compare(...allow, ...argv);
    expect(allowed.exitCode).toBe(0);
    expect(allowed.stdout).toMatch(/Compared although the runs differ in profile: abc/);
    const pair = await compare("same-before-0", "elsewhere-0");
    expect(pair).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("differ in host: a machine") });
  });
});
