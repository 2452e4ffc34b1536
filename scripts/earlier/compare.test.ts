import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
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
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { comparisonReport } from "./compare.ts";
import { compareRuns } from "./comparison.ts";

const judged = (id: string, verdict: "pass" | "fail" | "inconclusive", ...findings: Finding[]) =>
  exampleRequirement({ id, verdict, checks: [exampleCheck({ id: `${id}/one`, verdict, findings })] });
const load = (values: readonly [number, number, number, number], limit: number, value: number) => [
  exampleLoad({
    profile: "average",
    // Too few lookups by URL for p99.
    metrics: timed({ "lookup-by-id": values, "lookup-by-url": [60, 18, 30, 31] }),
    thresholds: [exampleThreshold({ limit, value, met: value <= limit })],
    conditions: { scenario: "lookup", k6: "1.8.1" },
  }),
];
const discovered = (fields: Record<string, number>) => ({
  ...exampleResults().discovered,
  fields,
  fieldsByRetailer: { acme: { products: 200, fields } },
});
const isNull: Finding = { code: "recorded", subject: "`products[9]`: `mpn` is null" };

const machine = { host: "AMD EPYC 7763, 4 cores, 16 GiB, linux x64", node: "26.10.0" };
/** Everything changed: slower, newly failing, fixed, no longer judged, a crossed limit, a missing field. */
const before: Partial<Results<Finding>> = {
  environment: { ...machine, commit: "4b8d02c771aa", branch: "main" },
  requirements: [judged("a.null", "pass"), judged("b.unknown", "fail"), judged("c.other", "pass")],
  discovered: discovered({ title: 200, gtin: 196 }),
  load: load([3000, 10, 20, 24], 25, 21.9),
};
const after: Partial<Results<Finding>> = {
  environment: { ...machine, commit: "9f3c1de5b7a2", branch: "faster-search" },
  requirements: [
    judged("a.null", "fail", isNull),
    judged("b.unknown", "pass"),
    judged("c.other", "inconclusive", { code: "no-other-org-key" }),
  ],
  discovered: discovered({ title: 200 }),
  load: load([3000, 12, 26, 36], 25, 27.8),
};

// As people read them, whole. Update with `vitest run -u`.
test.each<[string, Partial<Results<Finding>>, Partial<Results<Finding>>]>([
  ["worse", before, after],
  ["same", {}, {}],
  [
    "of-load",
    { command: "load", requirements: [], load: load([3000, 10, 20, 24], 25, 21.9) },
    { command: "load", requirements: [], load: load([3000, 12, 26, 24], 25, 21.9) },
  ],
])("a comparison: %s", async (name, one, other) => {
  const run = (of: string, hour: number, change: Partial<Results<Finding>>) => {
    const results = exampleResults({ startedAt: `2026-11-21T0${hour}:00:00.000Z`, ...change });
    return { name: of, path: "", results };
  };
  const runs = [run("before", 8, one), run("after", 9, other)] as const;
  const report = comparisonReport(compareRuns(...runs), ...runs);
  const text = writeConsole(report, { style: plainStyle(100) });
  await expect(text).toMatchFileSnapshot(`faces/comparison-${name}.console.txt`);
});

const cwd = await temporaryFolder("compare");
const key = "k9Zt-4Qv7-w1Lm";
const compare = (...argv: string[]) =>
  runHere(["compare", ...argv], { cwd, env: { SHELFCHECK_API_KEY: key } });

for (const [minute, verdict] of (["pass", "fail"] as const).entries()) {
  const startedAt = new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();
  await mkdir(join(cwd, "reports", verdict), { recursive: true });
  const seen = { ...discovered({}), retailers: verdict === "pass" ? ["acme", key] : ["acme"] };
  const requirements = [judged("errors.shape", verdict)];
  const results = exampleResults({ startedAt, requirements, discovered: seen });
  await writeFile(join(cwd, "reports", verdict, "results.json"), JSON.stringify(results));
}

test("shows what changed between two runs: as text, as JSON, as Markdown", async () => {
  const worse = await compare("pass", "fail");
  expect([worse.exitCode, worse.stdout]).toEqual([1, expect.stringContaining("newly failing")]);
  const better = await compare("fail", "pass");
  expect([better.exitCode, better.stdout]).toEqual([0, expect.stringContaining("longer failing: errors.")]);
  expect((await compare("fail", "pass", "--markdown")).stdout).toMatch(/^## Same: comparison of/);
  const json = JSON.parse((await compare("pass", "fail", "--json")).stdout);
  // A key in a file that comes from elsewhere is hidden.
  const differences = [{ name: "retailer-gone/$SHELFCHECK_API_KEY" }];
  expect(json).toMatchObject({ verdict: "worse", before: "pass", after: "fail", differences });
  await symlink("fail", join(cwd, "reports", "latest"), "dir");
  expect((await compare("pass", "latest")).stdout).toContain("After: fail,");
});

test.each([
  ["an unknown run", ["pass", "nowhere"], "There is no such run"],
  ["one run", ["pass"], "Missing required argument"],
  ["a run twice", ["pass", "pass"], "named twice"],
])("%s: exit 2", async (_title, argv, text) => {
  const { exitCode, stdout, stderr } = await compare(...argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(text);
});
