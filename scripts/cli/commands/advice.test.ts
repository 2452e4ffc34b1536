import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleLoad, exampleResults, exampleWaiver } from "../../../test/support/samples/example.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";
import { reportOf } from "../../core/added.ts";
import { commandNames } from "../main.ts";

// Every command that a report names is run here, after a run that the cause decided, and does what its sentence promises.

const { cwd, shared, run, serve, resultsOf } = await openWorkspace();
const unlimited = ["--rate", "1000", "--burst", "1000"];

/** Runs a command line that a report shows, as it is. */
async function follow(command: string | undefined, env: NodeJS.ProcessEnv) {
  const [npx, name, ...argv] = (command ?? "").split(" ");
  expect([npx, name], command).toEqual(["npx", "shelfcheck"]);
  return run(argv, env);
}

/** Runs a command, and what the report of its run advises. */
async function advised(argv: readonly string[], env: NodeJS.ProcessEnv, out: string) {
  const finished = await run([...argv, "--out", out], env);
  const results = await resultsOf(out);
  const name = join(cwd, out, "latest");
  const { headline, suites } = reportOf(results, name);
  const [first] = suites.flatMap(({ items }) => items);
  // In the results of a command that was run in this process, its own command line is not known.
  return { ...finished, cause: results.cause, next: headline.next, commands: first?.commands ?? [] };
}

test.concurrent("requirement-failed: a replay that still fails, and a ticket", async () => {
  await using faulty = await serve(...unlimited, "--fault", "unknown-product-400");
  const argv = ["conformance", "--only", "by-id"];
  const { exitCode, cause, next, commands } = await advised(argv, faulty.env, "failed");
  expect([exitCode, cause]).toEqual([1, "requirement-failed"]);
  const [replay, ticket] = commands.map(({ command }) => command);
  expect(replay).toBe(next);
  expect((await follow(ticket, faulty.env)).stdout).toContain("**To send again**");
  const still = await follow(replay, faulty.env);
  expect([still.exitCode, still.stdout]).toEqual([1, expect.stringContaining("FAILING NOW")]);
});

test.concurrent("not-judged, for want of a category: doctor says so, and the run with it judges", async () => {
  const { SHELFCHECK_CATEGORIES: _, ...env } = shared.env;
  const argv = ["conformance", "--only", "by-id", "--only", "versioning"];
  const { exitCode, cause, next } = await advised(argv, env, "open");
  expect([exitCode, cause]).toEqual([4, "not-judged"]);
  expect((await follow(next, env)).stdout).toMatch(/categor/i);
  expect((await run(argv, shared.env)).exitCode).toBe(0);
});

test.concurrent("not-judged, for want of a part: with the check that gets the responses nothing is open", async () => {
  // A busy machine sends the burst at 30 requests a second: all of them reach this limit.
  await using limited = await serve("--rate", "5", "--burst", "50");
  const only = "conformance --only errors.rate-limited";
  const { cause, next } = await advised(only.split(" "), shared.env, "part");
  expect(cause).toMatch(/not-judged|nothing-judged/);
  const { exitCode, stdout } = await follow(next?.replace("conformance", only), limited.env);
  expect(exitCode, stdout).toBe(0);
});

test.concurrent("partial: the whole suite gives the verdict", async () => {
  const { cause, next } = await advised(["conformance", "--only", "by-id"], shared.env, "partial");
  expect(cause).toBe("partial");
  expect((await follow(`${next} --plan`, shared.env)).stdout).toContain("limits.rate");
});

test.concurrent("problem: doctor names it", async () => {
  const env = { ...shared.env, SHELFCHECK_API_KEY: "not-a-key-at-all" };
  const { exitCode, cause, next } = await advised(["conformance"], env, "problem");
  expect([exitCode, cause]).toEqual([3, "problem"]);
  const doctor = await follow(next, env);
  expect([doctor.exitCode, doctor.stdout]).toEqual([3, expect.stringMatching(/key/)]);
});

const ranBy = (commandLine: string) => ({ commandLine, host: "h", node: "26" });

describe.concurrent("a load run", () => {
  const nextOf = (change: Parameters<typeof exampleLoad>[0], commandLine: string) => {
    const load = { load: [exampleLoad(change)], environment: ranBy(commandLine) };
    return reportOf(exampleResults({ command: "load", requirements: [], ...load })).headline.next;
  };

  test("that passed, or was not generated as planned, has no command that would end in the same way", () => {
    for (const verdict of ["pass", "invalid"] as const)
      expect(nextOf({ verdict }, "shelfcheck load")).toBeUndefined();
  });
});

test.concurrent("waivers that are stale or expired are edited first: no command helps before", () => {
  for (const state of ["stale", "expired"] as const) {
    const waivers = [{ waiver: exampleWaiver(), state }];
    const { headline } = reportOf(exampleResults({ exitCode: 1, waivers }));
    expect([headline.next, headline.label]).toEqual([undefined, `waiver ${state}`]);
  }
});

test.concurrent("what was cut off is repeated by its own command", async () => {
  const commandLine = "shelfcheck conformance --only by-id";
  for (const cause of ["interrupted", "nothing-run"] as const) {
    const results = exampleResults({ cause, command: "conformance", environment: ranBy(commandLine) });
    expect(reportOf(results).headline.next, cause).toBe(`npx ${commandLine}`);
  }
  expect((await follow(`npx ${commandLine}`, shared.env)).exitCode).toBe(0);
});

test.concurrent("the command in every sentence of the words exists", async () => {
  const words = new URL("../../../schemas/words/index.snapshot.txt", import.meta.url);
  const all = await readFile(words, "utf8");
  const named = [...all.matchAll(/shelfcheck ([a-z]+)/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(5);
  const known = new Set<string | undefined>([...commandNames, "does", "reads"]);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
