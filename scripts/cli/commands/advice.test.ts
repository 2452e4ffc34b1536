import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Results } from "../../../schemas/contracts/results.ts";
import { exampleLoad, exampleRequirement, exampleResults } from "../../../test/support/samples/example.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";
import { reportOf } from "../../core/report-of.ts";

// Every command that a report names is run here, after a run that the cause decided, and does what its sentence promises.

const workspace = await openWorkspace();
const { cwd, shared, run, serve, resultsOf } = workspace;
const unlimited = ["--rate", "1000", "--burst", "1000"];
afterAll(() => workspace[Symbol.asyncDispose]());

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
  const failed = await advised(["conformance", "--only", "by-id"], faulty.env, "failed");
  expect({ exitCode: failed.exitCode, cause: failed.cause }).toEqual({
    exitCode: 1,
    cause: "requirement-failed",
  });
  const [replay, ticket] = failed.commands.map(({ command }) => command);
  expect(replay).toBe(failed.next);
  expect((await follow(ticket, faulty.env)).stdout).toContain("**How to reproduce**");
  const still = await follow(replay, faulty.env);
  expect(still.exitCode).toBe(1);
  expect(still.stdout).toContain("STILL FAILING");
});

test.concurrent("not-judged, for want of a category: doctor says what is missing, and the run with it judges", async () => {
  const { SHELFCHECK_CATEGORIES: _, ...env } = shared.env;
  const argv = ["conformance", "--only", "by-id", "--only", "versioning"];
  const open = await advised(argv, env, "open");
  expect({ exitCode: open.exitCode, cause: open.cause }).toEqual({ exitCode: 4, cause: "not-judged" });
  expect((await follow(open.next, env)).stdout).toMatch(/categor/i);
  expect((await run(argv, shared.env)).exitCode).toBe(0);
});

test.concurrent("not-judged, because a part was selected: with the check that gets the responses nothing is open", async () => {
  // A busy machine sends the burst at 30 requests a second: all of them reach this limit.
  await using limited = await serve("--rate", "5", "--burst", "50");
  const part = await advised(["conformance", "--only", "errors.rate-limited"], shared.env, "part");
  expect(part.cause).toMatch(/not-judged|nothing-judged/);
  const { exitCode, stdout } = await follow(
    part.next?.replace(
      /^npx shelfcheck conformance/,
      "npx shelfcheck conformance --only errors.rate-limited",
    ),
    limited.env,
  );
  expect(exitCode, stdout).toBe(0);
});

test.concurrent("partial: the whole suite gives the verdict", async () => {
  const part = await advised(["conformance", "--only", "by-id"], shared.env, "partial");
  expect(part.cause).toBe("partial");
  expect((await follow(`${part.next} --plan`, shared.env)).stdout).toContain("limits.rate");
});

test.concurrent("problem: doctor names it", async () => {
  const env = { ...shared.env, SHELFCHECK_API_KEY: "not-a-key-at-all" };
  const refused = await advised(["conformance"], env, "problem");
  expect({ exitCode: refused.exitCode, cause: refused.cause }).toEqual({ exitCode: 3, cause: "problem" });
  const { exitCode, stdout } = await follow(refused.next, env);
  expect(exitCode).not.toBe(0);
  expect(stdout).toMatch(/key/);
});

describe.concurrent("a load run", () => {
  const limit = { code: "rate-limit-reached", expected: 50, actual: 25, unit: "requests/s" } as const;
  const loadOf = (change: Parameters<typeof exampleLoad>[0], commandLine: string): Results =>
    exampleResults({
      command: "load",
      requirements: [],
      load: [exampleLoad(change)],
      environment: { commandLine, host: "h", node: "26" },
    });

  test("that a rate limit refused is repeated below it", async () => {
    const results = loadOf(
      { verdict: "fail", findings: [limit] },
      "shelfcheck load --rate 50 --duration 60s",
    );
    const { next } = reportOf(results).headline;
    expect(next).toBe("npx shelfcheck load --scenario lookup --profile smoke --rate 22");
    const { exitCode, stdout } = await follow(`${next} --print`, shared.env);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain("22");
  });

  test("that failed otherwise is repeated as it was", async () => {
    const results = loadOf({ verdict: "fail" }, "shelfcheck load --rate 50");
    expect((await follow(`${reportOf(results).headline.next} --print`, shared.env)).exitCode).toBe(0);
  });

  test("that passed, or was not generated as planned, has no command that would end in the same way", () => {
    for (const verdict of ["pass", "invalid"] as const) {
      const { next } = reportOf(loadOf({ verdict }, "shelfcheck load")).headline;
      expect(next).toBeUndefined();
    }
  });
});

test.concurrent("waivers that are stale or expired are edited first: no command helps before", () => {
  const waiver = { id: "a", reason: "r", owner: "o", ticket: "t", expires: "2026-01-31" };
  for (const state of ["stale", "expired"] as const) {
    const { headline } = reportOf(exampleResults({ exitCode: 1, waivers: [{ waiver, state }] }));
    expect([headline.next, headline.label]).toEqual([undefined, `waiver ${state}`]);
  }
});

test.concurrent("a run that was cut off, slower than the old deployment, or had too many failures is repeated by its own command", async () => {
  const commandLine = "shelfcheck conformance --only by-id";
  for (const cause of ["interrupted", "nothing-run", "latency-slower", "requests-failed"] as const) {
    const results = exampleResults({
      cause,
      command: "conformance",
      requirements: [exampleRequirement()],
      environment: { commandLine, host: "h", node: "26" },
    });
    expect(reportOf(results).headline.next, cause).toBe(`npx ${commandLine}`);
  }
  expect((await follow(`npx ${commandLine}`, shared.env)).exitCode).toBe(0);
});

test.concurrent("the command in every sentence of the words exists", async () => {
  const { exitCode, stdout } = await run(["--help"]);
  expect(exitCode).toBe(0);
  const known = new Set([...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name));
  const words = ["conformance", "load"].map((name) =>
    readFile(new URL(`../../../schemas/words/${name}.snapshot.txt`, import.meta.url), "utf8"),
  );
  const named = [...(await Promise.all(words)).join("\n").matchAll(/shelfcheck ([a-z]+)/g)].map(
    ([, name]) => name,
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.has(name) && name !== "does" && name !== "reads")).toEqual([]);
});
