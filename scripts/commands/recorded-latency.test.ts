import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Baseline } from "../../schemas/types.ts";
import { openWorkspace } from "../testing/workspace.ts";

// Each waits for a whole gate by the real command line, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const workspace = await openWorkspace();
const { cwd, run, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

type Recorded = NonNullable<Baseline["load"]>["runs"][number];
const file = join(cwd, "shelfcheck-baseline/embedded.json");

beforeAll(async () => {
  await writeFile(
    join(cwd, "shelfcheck.config.ts"),
    `const thresholds = { p95Milliseconds: 60_000, failedShare: 0.5, invalidShare: 0, droppedShare: 1, lagMilliseconds: 60_000 };
     export default { profiles: { smoke: { description: "short", stages: [{ seconds: 0, rate: 30 }, { seconds: 1, rate: 30 }],
       walkers: 1, maxResponseSeconds: 5, thresholds } } };`,
  );
  const first = await run(["gate"]);
  expect(first.exitCode, first.stdout).toBe(0);
  const accepted = await run(["baseline", "accept", "latest"]);
  expect(accepted.exitCode, accepted.stderr).toBe(0);
});

/** Records three runs of lookups that were like the one that was made, but for the change. */
async function record(change: (run: Recorded) => Recorded): Promise<void> {
  const baseline: Baseline = JSON.parse(await readFile(file, "utf8"));
  const lookup = baseline.load?.runs.find(({ scenario }) => scenario === "lookup");
  if (lookup === undefined) throw new Error("accept recorded no lookups");
  const runs = [1, 2, 3].map((day) => ({
    ...change(lookup),
    run: `run-${day}`,
    startedAt: `2026-01-0${day}T00:00:00Z`,
  }));
  await writeFile(file, JSON.stringify({ ...baseline, load: { runs } }));
}

test("a gate that is slower than the recorded runs fails, and says by how much", async () => {
  const original = await readFile(file, "utf8");
  await record((lookup) => ({
    ...lookup,
    curves: lookup.curves.map((curve) => ({
      ...curve,
      count: 10_000,
      milliseconds: curve.milliseconds.map((_, place) => 0.01 + place * 1e-6),
    })),
  }));
  const { exitCode, stdout } = await run(["gate"]);
  expect(exitCode, stdout).toBe(1);
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/Lookup by id, p50: .* times against .* in 3 recorded runs/);
  const { load, verdict } = await resultsOf("reports");
  expect(verdict).toBe("violations");
  expect(load[0]).toMatchObject({
    verdict: "slower",
    comparison: { answer: "slower", runs: { before: 3, after: 1 } },
  });
  await writeFile(file, original);
});

test("runs of another machine are not compared, and that is shown and no failure", async () => {
  await record((lookup) => {
    const { hash, parts } = lookup.comparability;
    return { ...lookup, comparability: { hash: `${hash}0`, parts: { ...parts, host: "another machine" } } };
  });
  const { exitCode, stdout } = await run(["gate"]);
  expect(exitCode, stdout).toBe(0);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("The runs differ in host: another machine in run-1, ");
  const { load } = await resultsOf("reports");
  expect(load[0]).toMatchObject({ verdict: "pass", comparison: { answer: "refused", endpoints: [] } });
});

test("a baseline whose load is not as it was written ends with 2 before anything is sent", async () => {
  const baseline: Baseline = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...baseline, load: { runs: [{ run: "by hand" }] } }));
  const { exitCode, stderr } = await run(["gate"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("does not fit its schema (/load/runs/0");
});
