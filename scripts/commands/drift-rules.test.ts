import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Contract, LoadResult, Results } from "../../schemas/types.ts";
import { driftExamples, usual } from "../earlier/drift-examples.ts";
import { driftRules } from "../earlier/drift-rules.ts";
import { exampleLoad, exampleResults } from "../run/example.ts";
import { resultsMistakes } from "../run/validate.ts";
import { runCommand } from "../testing/command.ts";

vi.setConfig({ testTimeout: 180_000, maxConcurrency: 3 });

const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-drift-"));
afterAll(() => rm(cwd, { recursive: true }));

/** Writes a run that met this contract. */
async function writeRun(
  name: string,
  startedAt: string,
  contract: Contract,
  change: Partial<Results> = {},
): Promise<void> {
  const { keyFingerprint, accepted, refused, limit, ...discovered } = contract;
  const rateLimit = { refused, ...(accepted === undefined ? {} : { accepted }) };
  const example = exampleResults();
  const results: Results = {
    ...example,
    startedAt,
    target: { ...example.target, keyFingerprint },
    discovered: { ...example.discovered, ...discovered, rateLimit },
    load: limit === undefined ? [] : [probeOf(limit)],
    ...change,
  };
  expect(resultsMistakes(results)).toEqual([]);
  await mkdir(join(cwd, "reports", name), { recursive: true });
  await writeFile(join(cwd, "reports", name, "results.json"), JSON.stringify(results));
}

function probeOf(limit: NonNullable<Contract["limit"]>): LoadResult {
  return exampleLoad({
    scenario: "rate-limit",
    rateLimit: { mode: "probe", limit: { ...limit, burst: 10, kind: "bucket" } },
  });
}

// The first example of each rule.
const examples = Object.keys(driftRules).map((rule) => {
  const [, , after = {}, before = {}] = driftExamples.find(([, id]) => id === rule) ?? [];
  return { rule, after, before, ...driftRules[rule as keyof typeof driftRules] };
});

describe.concurrent("compare finds drift, and fails for what breaks clients", () => {
  test.each(examples)("$rule is $rank", async ({ rule, rank, after, before }) => {
    await writeRun(`${rule}-before`, "2026-11-01T00:00:00.000Z", { ...usual, ...before });
    await writeRun(`${rule}-after`, "2026-11-02T00:00:00.000Z", { ...usual, ...after });
    const argv = ["compare", `${rule}-before`, `${rule}-after`, "--json"];
    const { exitCode, stdout, stderr } = await runCommand(argv, { cwd });
    expect(exitCode, stdout + stderr).toBe(rank === "breaking" ? 1 : 0);
    const drift: { rule: string; rank: string }[] = JSON.parse(stdout).drift;
    expect(drift.map((change) => ({ rule: change.rule, rank: change.rank }))).toEqual([{ rule, rank }]);
  });
});

test.each([
  [20, 1],
  [40, 0],
])("two runs of rate-limit alone, 40 and then %i requests a second: exit %i", async (perSecond, expected) => {
  const limitOf = (rate: number) => ({ perSecond: rate, low: rate * 0.9, high: rate * 1.1 });
  const alone: Partial<Results> = { command: "load", requirements: [] };
  const [before, after] = [`probe-before-${perSecond}`, `probe-after-${perSecond}`];
  await writeRun(before, "2026-11-01T00:00:00.000Z", { ...usual, limit: limitOf(40) }, alone);
  await writeRun(after, "2026-11-02T00:00:00.000Z", { ...usual, limit: limitOf(perSecond) }, alone);
  const { exitCode, stdout, stderr } = await runCommand(["compare", before, after], { cwd });
  expect(exitCode, stdout + stderr).toBe(expected);
});

test("baseline rules prints each rule with its rank and reason", async () => {
  const { exitCode, stdout } = await runCommand(["baseline", "rules", "--json"], { cwd });
  expect({ exitCode, rules: JSON.parse(stdout) }).toEqual({ exitCode: 0, rules: driftRules });
  const text = await runCommand(["baseline", "rules"], { cwd });
  for (const rule of Object.keys(driftRules)) expect(text.stdout).toContain(`\n  ${rule}\n`);
});
