import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startService } from "../../../service/start.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { ProofReport } from "../../report/proof.ts";
import { main } from "../main.ts";

const out = await temporaryFolder("proof");

const proof = (folder: string, ...argv: string[]) => run(folder, { argv });

interface Run {
  readonly argv: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Whether the command is interrupted when it prints the number of trials. */
  readonly interrupt?: boolean;
}

async function run(folder: string, { argv, env = {}, cwd = tmpdir(), interrupt = false }: Run) {
  const interruption = new AbortController();
  let stdout = "";
  let stderr = "";
  const exitCode = await main(["proof", "--out", join(out, folder), ...argv], {
    env,
    cwd,
    stdout: { write: (text) => (stdout += text) },
    stderr: {
      write: (text) => {
        stderr += text;
        if (interrupt) interruption.abort();
      },
    },
    nodeVersion: process.versions.node,
    now: () => new Date(0),
    signal: interruption.signal,
  });
  return { exitCode, stdout, stderr };
}

test("a fault and a pair in threads of their own; the table is in the run's folder", async () => {
  const names = ["limit-one-too-many", "price-string+long-cursors"];
  const only = names.flatMap((name) => ["--only", name]);
  const { exitCode, stdout, stderr } = await proof("own", ...only, "--seed", "5");
  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ {2}limit-one-too-many +caught +query\.limit: 1/m);
  const [run = ""] = await readdir(join(out, "own"));
  const report: ProofReport = JSON.parse(await readFile(join(out, "own", run, "proof.json"), "utf8"));
  const scope = "without the rate limit";
  expect(report.trials).toMatchObject([
    { kind: "fault", name: "limit-one-too-many", seed: 5, scope, verdict: "caught" },
    { kind: "pair", name: "price-string+long-cursors", seed: 5, scope, verdict: "caught" },
  ]);
  expect(await readFile(join(out, "own", run, "proof.txt"), "utf8")).toContain("limit-one-too-many");
});

test("through the proxy, where a flag names the target", async () => {
  const names = ["odd-limit-500", "price-string", "gtin-mismatch-400", "second-key-lists-less"];
  const only = names.flatMap((name) => ["--only", name]);
  const service = await startService({ products: 60, rate: 100_000, burst: 100_000 });
  const { baseUrl, categories, keys } = service;
  // None of these faults concerns the rate limit, which takes longer to exceed than all the rest.
  const config = { targets: { own: { baseUrl, categories, avoid: ["burst"] } } };
  const cwd = join(out, "config");
  await mkdir(cwd);
  await writeFile(join(cwd, "shelfcheck.config.ts"), `export default ${JSON.stringify(config)};`);
  const { exitCode, stdout, stderr } = await run("proxy", {
    argv: ["--target", "own", ...only, "--json"],
    cwd,
    env: {
      SHELFCHECK_API_KEY: keys.primary,
      SHELFCHECK_SAME_ORG_API_KEY: keys.sameOrg,
      SHELFCHECK_OTHER_ORG_API_KEY: keys.otherOrg,
    },
  }).finally(() => service.stop());
  expect(exitCode, stdout + stderr).toBe(0);
  const { trials }: ProofReport = JSON.parse(stdout);
  expect(trials.map(({ name }) => name)).toEqual(names.toSorted());
  for (const trial of trials) {
    expect(trial).toMatchObject({ kind: "fault", verdict: "caught", findings: [], scope: "selected checks" });
  }
});

test("an interruption ends it, and the trials so far are written, exit 130", async () => {
  const { exitCode } = await run("cut", { argv: ["--only", "slow"], interrupt: true });
  expect(exitCode).toBe(130);
  const [folder = ""] = await readdir(join(out, "cut"));
  const report: ProofReport = JSON.parse(await readFile(join(out, "cut", folder, "proof.json"), "utf8"));
  expect(report).toMatchObject({ exitCode: 130, planned: 2, trials: [] });
});

test.each([
  [["--only", "limit-ignord"], "Did you mean limit-ignored?"],
  [["--only", "long-cursors", "--faults"], "Nothing is selected: --only long-cursors --faults"],
  [
    ["--target", "embedded", "--only", "long-cursors"],
    "only on the built-in reference service: --only long-cursors",
  ],
  [["--target", "embedded", "--variants"], "Nothing is selected"],
  [["--target", "embedded", "--only", "category-unfiltered"], "only on the built-in reference service"],
  [["--only", "price-string+long-cursor"], "There is no fault or variant with this name"],
  [["--target", "embedded", "--only", "price-string+long-cursors"], "only on the built-in reference service"],
  [["--target", "embedded", "--pairs", "2"], "Pairs can be tried only on the built-in reference service"],
  [["--update", "--seed", "3"], "The snapshot has only the seeds 1 and 2: --update --seed 3"],
  [["--seed", "one"], "whole number"],
  [["--seed", "3-1"], "range"],
])("%s is refused with the reason, exit 2", async (argv, expected) => {
  const { exitCode, stderr } = await proof("wrong", ...argv);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(expected) });
});
