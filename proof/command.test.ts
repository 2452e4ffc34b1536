import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../scripts/cli/main.ts";
import { startService } from "../service/start.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { tryAll } from "./pool.ts";
import { planTrials, proveService } from "./prove.ts";
import type { ProofReport } from "./report.ts";
import type { Trial } from "./trial.ts";

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
    { kind: "fault", name: "limit-one-too-many", seed: 5, scope, verdict: "caught", exitCode: 1 },
    { kind: "pair", name: "price-string+long-cursors", seed: 5, scope, verdict: "caught", exitCode: 1 },
  ]);
  expect(await readFile(join(out, "own", run, "proof.txt"), "utf8")).toContain("limit-one-too-many");
});

test("a set by its name, with the whole suite", async () => {
  const argv = ["--only", "compressed+fine-prices", "--seed", "5", "--full", "--json"];
  const { exitCode, stdout, stderr } = await proof("together", ...argv);
  expect(exitCode, stdout + stderr).toBe(0);
  const { trials }: ProofReport = JSON.parse(stdout);
  expect(trials).toMatchObject([{ kind: "set", verdict: "clean", scope: "whole suite", exitCode: 0 }]);
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
  expect(report).toMatchObject({ exitCode: 130, planned: 3, trials: [] });
});

describe("second attempts", () => {
  /** The verdicts of the first and the second attempt of each trial. */
  const verdicts = {
    "gtin-other-retailer": ["missed", "caught"],
    "long-cursors": ["clean", "clean"],
    "price-string": ["unproven", "unproven"],
  } as const satisfies Record<string, readonly Trial["verdict"][]>;
  const only = Object.keys(verdicts) as (keyof typeof verdicts)[];
  const selection = { only, faults: false, variants: false, pairs: 0, sets: 0 };
  const planned = planTrials(selection, [5], { full: false });

  function createAttempt() {
    const attempts: string[][] = [];
    const attempt: typeof tryAll = async (variations, { signal, done }) => {
      if (signal.aborted) return;
      attempts.push(variations.map(({ name }) => name).toSorted());
      for (const one of variations) {
        const verdict = verdicts[one.name as keyof typeof verdicts][attempts.length === 1 ? 0 : 1];
        done({ ...one, verdict, failed: [], findings: [], requests: 1, milliseconds: 1 });
      }
    };
    return { attempts, attempt };
  }

  test("are made of trials with an unexpected or unproven outcome, count, and are marked", async () => {
    const { attempts, attempt } = createAttempt();
    const reported: Trial[] = [];
    const progress: Trial[] = [];
    const trials = await proveService(planned, {
      signal: new AbortController().signal,
      progress: (trial) => progress.push(trial),
      onFirstAttempts: async (first) => void reported.push(...first),
      attempt,
    });
    expect(attempts).toEqual([only, ["gtin-other-retailer", "price-string"]]);
    const outcomes = (made: readonly Trial[]) =>
      made.map(({ name, verdict, attempts: count = 1 }) => `${name} ${verdict} ${count}`).toSorted();
    expect(outcomes(reported)).toEqual([
      "gtin-other-retailer missed 1",
      "long-cursors clean 1",
      "price-string unproven 1",
    ]);
    expect(outcomes(trials)).toEqual([
      "gtin-other-retailer caught 2",
      "long-cursors clean 1",
      "price-string unproven 2",
    ]);
    expect(progress).toHaveLength(5);
  });

  test("that are interrupted leave the first ones, which are reported before", async () => {
    const interruption = new AbortController();
    const { attempts, attempt } = createAttempt();
    const reported: Trial[] = [];
    const trials = await proveService(planned, {
      signal: interruption.signal,
      progress: () => undefined,
      onFirstAttempts: async (first) => {
        reported.push(...first);
        interruption.abort();
      },
      attempt,
    });
    expect(attempts).toHaveLength(1);
    expect(reported.map(({ name }) => name).toSorted()).toEqual(only);
    expect(trials).toEqual(reported);
  });

  test("are not begun after an interruption", async () => {
    const done = () => expect.unreachable("no trial is made");
    await tryAll(planned, { threads: 1, trialsInThread: 1, signal: AbortSignal.abort(), done });
  });
});

test.each([
  [["--only", "limit-ignord"], "Did you mean limit-ignored?"],
  [["--only", "long-cursors", "--faults"], "Nothing is selected: --only long-cursors --faults"],
  [
    ["--target", "embedded", "--only", "long-cursors"],
    "only on the built-in reference service: --only long-cursors",
  ],
  [["--only", "price-string+long-cursor"], "There is no fault or variant with this name"],
  [["--target", "embedded", "--only", "price-string+long-cursors"], "only on the built-in reference service"],
  [
    ["--target", "embedded", "--pairs", "2"],
    "Pairs and sets can be tried only on the built-in reference service",
  ],
  [["--seed", "one"], "whole number"],
  [["--seed", "3-1"], "range"],
])("%s is refused with the reason, exit 2", async (argv, expected) => {
  const { exitCode, stderr } = await proof("wrong", ...argv);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(expected) });
});
