import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../../test/support/workspace.ts";

// Runs that end with another code than 0 because nothing, or not all, was judged: never-green.test.ts. What an interruption
// leaves behind: test/acceptance/machine.acceptance.ts; a target that goes down: bad-targets.ts there.

const { cwd, shared, run, serve, resultsOf } = await openWorkspace();

// The whole suite on it: `npm run demo`, and the proof.
test.concurrent("0: a correct service; --json prints the results and nothing else on stdout", async () => {
  // The burst of 600 exceeds this limit on a busy machine too, even when it takes 20 s.
  await using honest = await serve("--rate", "20", "--burst", "150", "--products", "180");
  const argv = ["conformance", "--only", "retailers", "--only", "limits", "--json", "--out", "good"];
  const { exitCode, stdout, stderr } = await run(argv, honest.env);
  const results = await resultsOf("good");
  expect({ exitCode, verdict: results.verdict }, stdout).toEqual({ exitCode: 0, verdict: "partial" });
  expect(JSON.parse(stdout)).toEqual(results);
  expect(results.discovered.rateLimit.refused).toBeGreaterThan(0);
  expect(stderr).toContain("conformance of");
});

test.concurrent("1: a fault is found and shown with a curl line and the entry that would waive it, and nothing else fails", async () => {
  await using faulty = await serve("--fault", "gtin-other-retailer");
  const argv = ["conformance", "--only", "query", "--out", "faulty"];
  const { exitCode, stdout } = await run(argv, faulty.env);
  const { verdict, requirements } = await resultsOf("faulty");
  expect({ exitCode, verdict }, stdout).toEqual({ exitCode: 1, verdict: "violations" });
  const failed = requirements.filter((one) => one.verdict === "fail").map(({ id }) => id);
  expect(failed).toEqual(["query.gtin-mismatch"]);
  expect(stdout).toContain("FAILED query.gtin-mismatch");
  expect(stdout).toMatch(/^ {4}curl .*\$SHELFCHECK_API_KEY/m);
  const waived = /\{ id: "query\.gtin-mismatch[^"]*", reason: "", owner: "", ticket: "", expires: "" \},/;
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(waived);
});

test.concurrent("2: a usage error writes no report", async () => {
  for (const argv of [
    ["gate", "--tarket", "x"],
    ["conformance", "--only", "erors"],
  ])
    expect(await run([...argv, "--out", "usage"])).toMatchObject({ exitCode: 2, stdout: "" });
  expect(existsSync(join(cwd, "usage")) ? await readdir(join(cwd, "usage")) : []).toEqual([]);
});

test.concurrent("3: no k6; the fixes are shown, and the conformance results are kept", async () => {
  const nowhere = { PATH: cwd, XDG_CACHE_HOME: join(cwd, "cache"), K6_BIN: "", SHELFCHECK_K6_OFFLINE: "1" };
  const env = { ...shared.env, ...nowhere };
  const { exitCode, stdout } = await run(["gate", "--only", "retailers", "--out", "no-k6"], env);
  expect(exitCode, stdout).toBe(3);
  for (const fix of ["K6_BIN", "on PATH", "Go"]) expect(stdout).toContain(fix);
  const { summary, load } = await resultsOf("no-k6");
  expect(summary.pass).toBeGreaterThan(0);
  expect(load).toEqual([]);
});

test.concurrent("4: a slow service, of which only a part is judged in time", async () => {
  await using slow = await serve("--variant", "slow");
  const argv = ["conformance", "--max-time", "3", "--out", "slow"];
  const { exitCode, stdout } = await run(argv, slow.env);
  expect(exitCode, stdout).toBe(4);
  expect(stdout).toContain("The budget of this run is not enough: 3 seconds.");
});
