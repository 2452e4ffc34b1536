import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { serveSockets, startRelay } from "../../../test/support/server.ts";
import { openWorkspace, stackTrace } from "../../../test/support/workspace.ts";

// Runs that end with another code than 0 because nothing, or not all, was judged: never-green.test.ts.

const workspace = await openWorkspace();
const { cwd, shared, through, run, runProcess, start, serve, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

describe.concurrent("each exit code", () => {
  test("0: a conformant service; --json prints the results and nothing else on stdout", async () => {
    // The burst of 600 exceeds this limit on a busy machine too, even when half of it falls into the next 10 s.
    await using honest = await serve("--rate", "40", "--burst", "250");
    const argv = ["conformance", "--json", "--out", "good"];
    const { exitCode, stdout, stderr } = await runProcess(argv, honest.env);
    const results = await resultsOf("good");
    expect({ exitCode, verdict: results.verdict }, stdout).toEqual({ exitCode: 0, verdict: "conformant" });
    expect(JSON.parse(stdout)).toEqual(results);
    expect(results.discovered.rateLimit.refused).toBeGreaterThan(0);
    expect(stderr).toContain("conformance of");
  });

  test("1: a fault is found and shown with a curl line, and nothing else fails", async () => {
    await using faulty = await serve("--fault", "gtin-other-retailer");
    const { env } = faulty;
    const argv = ["conformance", "--only", "query", "--out", "faulty"];
    const { exitCode, stdout } = await run(argv, env);
    const { verdict, requirements } = await resultsOf("faulty");
    expect({ exitCode, verdict }, stdout).toEqual({ exitCode: 1, verdict: "violations" });
    expect(requirements.filter((one) => one.verdict === "fail").map(({ id }) => id)).toEqual([
      "query.gtin-mismatch",
    ]);
    expect(stdout).toContain("FAILED query.gtin-mismatch");
    expect(stdout).toMatch(/^ {4}curl .*\$SHELFCHECK_API_KEY/m);
  });

  test("the built-in service is never mistaken for the user's own", async () => {
    const argv = ["conformance", "--only", "versioning", "--out", "default"];
    const byDefault = await run(argv);
    expect(byDefault.stderr).toContain("your own service is not tested. To test yours, name it");
    expect((await resultsOf("default")).target.builtIn).toBe(true);
  });

  test("2: a usage error writes no report", async () => {
    const { exitCode, stdout, stderr } = await run(["gate", "--tarket", "x", "--out", "usage"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Did you mean --target?");
    const unknown = await run(["conformance", "--only", "erors", "--out", "usage"]);
    expect(unknown.exitCode).toBe(2);
    expect(existsSync(join(cwd, "usage")) ? await readdir(join(cwd, "usage")) : []).toEqual([]);
  });

  test("3: connections are accepted but get no response; after a few time-outs", async () => {
    await using silent = await serveSockets();
    const target = {
      baseUrl: silent.baseUrl,
      timeoutMilliseconds: 1000,
      categories: shared.ready.categories,
    };
    const config = { defaultTarget: "silent", targets: { silent: target } };
    await writeFile(join(cwd, "silent.config.mjs"), `export default ${JSON.stringify(config)};`);
    const { SHELFCHECK_BASE_URL: _, ...env } = shared.env;
    const argv = ["conformance", "--config", "silent.config.mjs", "--out", "silent"];
    const { exitCode, stdout, stderr } = await run(argv, env);
    expect(exitCode, stdout).toBe(3);
    expect(stdout + stderr).not.toMatch(stackTrace);
    const { problem, requests } = await resultsOf("silent");
    expect(problem?.where).toContain(silent.baseUrl);
    // Each takes the whole time-out.
    expect(requests.total).toBeLessThanOrEqual(3);
  });

  test("3: no k6; the fixes are shown, and the conformance results are kept", async () => {
    const nowhere = { PATH: cwd, XDG_CACHE_HOME: join(cwd, "cache"), K6_BIN: "", SHELFCHECK_K6_OFFLINE: "1" };
    const env = { ...shared.env, ...nowhere };
    const { exitCode, stdout } = await run(["gate", "--only", "retailers", "--out", "no-k6"], env);
    expect(exitCode, stdout).toBe(3);
    for (const fix of ["K6_BIN", "on PATH", "Go"]) expect(stdout).toContain(fix);
    const { summary, load } = await resultsOf("no-k6");
    expect(summary.pass).toBeGreaterThan(0);
    expect(load).toEqual([]);
  });

  test("4: a slow service, of which only a part is judged in time", async () => {
    await using slow = await serve("--variant", "slow");
    const argv = ["conformance", "--max-time", "3", "--out", "slow"];
    const { exitCode, stdout } = await run(argv, slow.env);
    expect(exitCode, stdout).toBe(4);
    expect(stdout).toContain("The budget of this run is used up: 3 seconds.");
  });

  test("130: Ctrl-C in the middle of the suite; results up to that point are written", async () => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    await using relay = await startRelay(shared.ready.base_url, ({ number }) => {
      if (number < 40) return false;
      resolve();
      return true;
    });
    await using command = start(["conformance", "--out", "interrupted"], through(relay.baseUrl));
    await reached;
    command.kill("SIGINT");
    const { exitCode, stdout, stderr } = await command.finished;
    expect(exitCode, stdout + stderr).toBe(130);
    const results = await resultsOf("interrupted");
    expect(results).toMatchObject({ exitCode: 130, verdict: "incomplete" });
    expect(results.discovered.retailers.length).toBeGreaterThan(0);
    expect(stdout + stderr).not.toMatch(stackTrace);
  });
});
