import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Results } from "../schemas/types.ts";
import { resultsMistakes } from "./results/validate.ts";
import { environmentOf, type ReadyLine, runCommand, type Started, startCommand } from "./testing/command.ts";
import { commandLines } from "./testing/processes.ts";
import { deadBaseUrl, startRelay, startSilentStub, startStub } from "./testing/stub-target.ts";

// The real command line, as child processes, against services that really listen. One `serve` is shared by
// the tests that do not care for the limit; with its limit out of reach they do not hinder each other.
let cwd: string;
let served: Started;
let ready: ReadyLine;

// Each test waits for whole runs, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "shelfcheck-commandline-"));
  served = startCommand(["serve", "--rate", "1000", "--burst", "1000"], { cwd });
  ready = JSON.parse(await served.firstLine);
});

afterAll(async () => {
  served.kill("SIGTERM");
  const { exitCode } = await served.finished;
  await rm(cwd, { recursive: true });
  expect(exitCode).toBe(0);
});

/** A served service of a test's own, with the environment to meet it. */
async function serve(...flags: string[]) {
  const command = startCommand(["serve", ...flags], { cwd });
  const line: ReadyLine = JSON.parse(await command.firstLine);
  const end = () => command[Symbol.asyncDispose]();
  return { ready: line, env: environmentOf(line), [Symbol.asyncDispose]: end };
}

/** The results file of `--out out`, held against its schema. */
async function resultsIn(out: string): Promise<Results> {
  const results: Results = JSON.parse(await readFile(join(cwd, out, "latest", "results.json"), "utf8"));
  expect(resultsMistakes(results)).toEqual([]);
  return results;
}

function withBaseUrl(base_url: string): NodeJS.ProcessEnv {
  return environmentOf({ ...ready, base_url });
}

const stackTrace = /^\s+at .*:\d+/m;

describe.concurrent("each exit code", () => {
  test("0: a conformant service; --json prints the results and nothing else on stdout", async () => {
    await using honest = await serve();
    const argv = ["conformance", "--json", "--out", "good"];
    const { exitCode, stdout, stderr } = await runCommand(argv, { cwd, env: honest.env });
    const results = await resultsIn("good");
    expect({ exitCode, verdict: results.verdict }, stdout).toEqual({ exitCode: 0, verdict: "conformant" });
    expect(JSON.parse(stdout)).toEqual(results);
    expect(stderr).toContain("conformance of");
  });

  test("1: a fault is found, shown with a curl line, and nothing else is blamed", async () => {
    await using faulty = await serve("--fault", "gtin-other-retailer");
    const { env } = faulty;
    const { exitCode, stdout } = await runCommand(["conformance", "--only", "query", "--out", "faulty"], {
      cwd,
      env,
    });
    const { verdict, requirements } = await resultsIn("faulty");
    expect({ exitCode, verdict }, stdout).toEqual({ exitCode: 1, verdict: "violations" });
    expect(requirements.filter((one) => one.verdict === "fail").map(({ id }) => id)).toEqual([
      "query.gtin-mismatch",
    ]);
    expect(stdout).toContain("FAIL query.gtin-mismatch");
    expect(stdout).toMatch(/^ {4}curl .*\$SHELFCHECK_API_KEY/m);
  });

  test("2: wrong usage leaves no report", async () => {
    const { exitCode, stdout, stderr } = await runCommand(["gate", "--tarket", "x", "--out", "usage"], {
      cwd,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Did you mean --target?");
    const unknown = await runCommand(["conformance", "--only", "erors", "--out", "usage"], { cwd });
    expect(unknown.exitCode).toBe(2);
    expect(existsSync(join(cwd, "usage")) ? await readdir(join(cwd, "usage")) : []).toEqual([]);
  });

  test("3: nothing listens", async () => {
    const baseUrl = await deadBaseUrl();
    const { exitCode, stdout, stderr } = await runCommand(["gate", "--out", "dead"], {
      cwd,
      env: withBaseUrl(baseUrl),
    });
    expect(exitCode, stdout).toBe(3);
    expect(stdout).toContain(baseUrl);
    expect(stdout + stderr).not.toMatch(stackTrace);
    expect((await resultsIn("dead")).problem?.where).toContain(baseUrl);
  });

  test("3: connections are accepted and never answered; within 30 s", async () => {
    await using silent = await startSilentStub();
    const env = withBaseUrl(silent.baseUrl);
    const { exitCode, stdout, stderr } = await runCommand(["conformance", "--out", "silent"], { cwd, env });
    expect(exitCode, stdout).toBe(3);
    expect(stdout + stderr).not.toMatch(stackTrace);
    const { problem, startedAt, finishedAt } = await resultsIn("silent");
    expect(problem?.where).toContain(silent.baseUrl);
    expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBeLessThan(30_000);
  });

  test("3 or 1: HTML for everything", async () => {
    await using html = await startStub((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Welcome");
    });
    const env = withBaseUrl(html.baseUrl);
    const { exitCode, stdout, stderr } = await runCommand(["conformance", "--out", "html"], { cwd, env });
    expect([1, 3]).toContain(exitCode);
    expect(stdout).toContain(html.baseUrl);
    expect(stdout + stderr).not.toMatch(stackTrace);
    expect((await resultsIn("html")).exitCode).toBe(exitCode);
  });

  test("3: the key is refused", async () => {
    const env = { ...environmentOf(ready), SHELFCHECK_API_KEY: "not-a-key-of-this-service" };
    const { exitCode, stdout } = await runCommand(["conformance", "--out", "refused"], { cwd, env });
    expect(exitCode, stdout).toBe(3);
    expect(stdout).not.toContain("not-a-key-of-this-service");
  });

  test("3: no k6 is to be had; the three mends are named and what conformance learned is kept", async () => {
    const nowhere = { PATH: cwd, XDG_CACHE_HOME: join(cwd, "cache"), K6_BIN: "", SHELFCHECK_K6_OFFLINE: "1" };
    const env = { ...environmentOf(ready), ...nowhere };
    const { exitCode, stdout } = await runCommand(["gate", "--out", "no-k6"], { cwd, env });
    expect(exitCode, stdout).toBe(3);
    for (const mend of ["K6_BIN", "on PATH", "Go"]) expect(stdout).toContain(mend);
    const { summary, load } = await resultsIn("no-k6");
    expect(summary.pass).toBeGreaterThan(0);
    expect(load).toEqual([]);
  });

  test("2: a K6_BIN that will not do is told before anything is asked", async () => {
    const env = { ...environmentOf(ready), K6_BIN: join(cwd, "no-such-k6") };
    const { exitCode, stderr } = await runCommand(["gate", "--out", "bad-k6"], { cwd, env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("K6_BIN names no k6 that will do");
    expect(await readdir(join(cwd, "bad-k6"))).toEqual([]);
  });

  test("4: with the primary key alone, what is missing is named", async () => {
    const { SHELFCHECK_BASE_URL, SHELFCHECK_API_KEY } = environmentOf(ready);
    const env = { SHELFCHECK_BASE_URL, SHELFCHECK_API_KEY };
    const { exitCode, stdout } = await runCommand(["conformance", "--out", "alone"], { cwd, env });
    expect({ exitCode, verdict: (await resultsIn("alone")).verdict }, stdout).toEqual({
      exitCode: 4,
      verdict: "incomplete",
    });
    expect(stdout).toContain("SHELFCHECK_OTHER_ORG_API_KEY");
  });

  test("130: Ctrl-C in the middle of the suite; what was learned is written", async () => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    await using relay = await startRelay({
      upstream: ready.base_url,
      decide: (_request, number) => {
        if (number < 40) return "pass";
        resolve();
        return "hold";
      },
    });
    await using command = startCommand(["conformance", "--out", "interrupted"], {
      cwd,
      env: withBaseUrl(relay.baseUrl),
    });
    await reached;
    command.kill("SIGINT");
    const { exitCode, stdout, stderr } = await command.finished;
    expect(exitCode, stdout + stderr).toBe(130);
    const results = await resultsIn("interrupted");
    expect(results).toMatchObject({ exitCode: 130, verdict: "incomplete" });
    expect(results.discovered.retailers.length).toBeGreaterThan(0);
    expect(stdout + stderr).not.toMatch(stackTrace);
  });
});

describe("what a run leaves behind", () => {
  test("a target that dies in the middle: what was learned is written", async () => {
    await using relay = await startRelay({
      upstream: ready.base_url,
      decide: (_request, number) => (number < 50 ? "pass" : "cut"),
    });
    const env = withBaseUrl(relay.baseUrl);
    const { exitCode, stdout } = await runCommand(["gate", "--out", "died"], { cwd, env });
    const { problem, summary, discovered, requests } = await resultsIn("died");
    expect(exitCode, stdout).toBe(3);
    expect(problem?.where).toContain(relay.baseUrl);
    expect(discovered.retailers.length).toBeGreaterThan(0);
    expect(summary.pass).toBeGreaterThan(0);
    expect(summary.fail).toBe(0);
    expect(requests.total).toBeGreaterThanOrEqual(50);
  });

  test("Ctrl-C while k6 runs: no process stays", async () => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    await using relay = await startRelay({
      upstream: ready.base_url,
      decide: ({ headers }) => {
        if (headers["user-agent"]?.toLowerCase().includes("k6")) resolve();
        return "pass";
      },
    });
    const argv = ["load", "--scenario", "lookup", "--duration", "60s", "--out", "load-interrupted"];
    await using command = startCommand(argv, { cwd, env: withBaseUrl(relay.baseUrl) });
    await Promise.race([reached, command.finished]);
    const ours = [...commandLines().values()].filter((line) => line.includes(cwd));
    expect(
      ours.some((line) => line.includes("k6")),
      ours.join("\n"),
    ).toBe(true);
    command.kill("SIGINT");
    const { exitCode, stdout, stderr } = await command.finished;
    expect(exitCode, stdout + stderr).toBe(130);
    expect((await resultsIn("load-interrupted")).exitCode).toBe(130);
    expect([...commandLines().values()].filter((line) => line.includes(cwd))).toEqual([]);
  });

  test("a gate leaves no key in any file, output or argument of a process, even if the target echoes it", async () => {
    const canaries = {
      primary: "canary+primary/5f1c9a77d2==",
      same_org: "canary+same-org/8b2d4e6f10==",
      other_org: "canary+other-org/c3a5970e42==",
    };
    const exposed: string[] = [];
    await using honest = await serve();
    const { base_url, keys } = honest.ready;
    await using relay = await startRelay({
      upstream: base_url,
      echo: true,
      keys: {
        [canaries.primary]: keys.primary,
        [canaries.same_org]: keys.same_org,
        [canaries.other_org]: keys.other_org,
      },
      decide: (_request, number) => {
        if (number % 20 === 0)
          exposed.push(...[...commandLines().values()].filter((line) => line.includes("canary+")));
        return "pass";
      },
    });
    const env = environmentOf({ ...honest.ready, base_url: relay.baseUrl, keys: canaries });
    const { exitCode, stdout, stderr } = await runCommand(["gate", "--out", "canary"], { cwd, env });
    expect(exitCode, stdout + stderr).toBe(0);
    expect(exposed).toEqual([]);

    const folder = join(cwd, "canary");
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(files.some((file) => file.endsWith("results.json"))).toBe(true);
    expect(files.some((file) => file.includes("load"))).toBe(true);
    const texts = new Map([["output", stdout + stderr]]);
    for (const file of files) texts.set(file, await readFile(file, "latin1"));
    const spellings = Object.values(canaries).flatMap((key) => [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString("base64"),
    ]);
    const leaks = [...texts].filter(([, text]) => spellings.some((spelling) => text.includes(spelling)));
    expect(leaks.map(([name]) => name)).toEqual([]);
  });
});

describe("a config file", () => {
  test("its target is met, in a folder whose package.json says nothing of modules, without a warning", async () => {
    const folder = join(cwd, "configured");
    await mkdir(folder);
    await writeFile(join(folder, "package.json"), "{}");
    const source = `const baseUrl: string = "${ready.base_url}";
      export default { out: "from-file", targets: { own: {
        baseUrl, categories: ${JSON.stringify(ready.categories)}, keys: { primary: "OWN_KEY" } } } };`;
    await writeFile(join(folder, "shelfcheck.config.ts"), source);
    const env = { OWN_KEY: ready.keys.primary };
    const argv = ["conformance", "--target", "own", "--only", "by-id.unknown-product"];
    const { exitCode, stdout, stderr } = await runCommand(argv, { cwd: folder, env });
    expect(exitCode, stdout + stderr).toBe(0);
    expect(stderr).not.toContain("Warning");
    expect((await resultsIn("configured/from-file")).target.name).toBe("own");
  });

  test("2: what is wrong is told with file, key and mend", async () => {
    await writeFile(
      join(cwd, "wrong.ts"),
      "export default { targets: { own: { baseURL: 'https://h/v1' } } };",
    );
    const { exitCode, stderr } = await runCommand(["gate", "--config", "wrong.ts"], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('wrong.ts, targets.own.baseURL: Unknown key "baseURL". Did you mean baseUrl?');
    expect(stderr).not.toMatch(stackTrace);
  });

  test("2: a syntax error is told with file and line, without a stack trace", async () => {
    await writeFile(join(cwd, "syntax.ts"), "export default {\n  out: = 1,\n};");
    const { exitCode, stderr } = await runCommand(["gate", "--config", "syntax.ts"], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("The configuration file cannot be run: syntax.ts\nLine 2:");
    expect(stderr).not.toMatch(stackTrace);
  });
});

describe("the other commands", () => {
  test("discover prints what the target shows, and JSON when asked", async () => {
    const { exitCode, stdout } = await runCommand(["discover", "--json"], { cwd, env: environmentOf(ready) });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ dialect: { batchFoundField: expect.any(String) } });
  });

  test("doctor: all is well", async () => {
    const { exitCode, stdout } = await runCommand(["doctor"], { cwd, env: environmentOf(ready) });
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain(`ok      target                        ${ready.base_url} answers`);
  });

  test("doctor: a key that is not set and one that is refused are problems with a mend", async () => {
    const base = { SHELFCHECK_BASE_URL: ready.base_url };
    const unset = await runCommand(["doctor", "--json"], { cwd, env: base });
    expect(unset.exitCode).toBe(3);
    const finding = { about: "key", status: "problem", found: "SHELFCHECK_API_KEY is not set" };
    expect(JSON.parse(unset.stdout)).toContainEqual({ ...finding, mend: "Set SHELFCHECK_API_KEY." });
    const refused = await runCommand(["doctor"], { cwd, env: { ...base, SHELFCHECK_API_KEY: "wrong-key" } });
    expect(refused.exitCode).toBe(3);
    expect(refused.stdout).toContain("refused with 401");
  });

  test("doctor: nothing listens", async () => {
    const baseUrl = await deadBaseUrl();
    const { exitCode, stdout } = await runCommand(["doctor"], { cwd, env: withBaseUrl(baseUrl) });
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(new RegExp(`^problem target +refused: ${RegExp.escape(baseUrl)}$`, "m"));
  });

  test("serve: a port in use is a problem with a mend", async () => {
    const { port } = new URL(ready.base_url);
    const { exitCode, stdout, stderr } = await runCommand(["serve", "--port", port], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" });
    expect(stderr).toContain(`The port is in use: --port ${port}\nName another`);
  });

  test("serve: a file that is no database is named with the mend", async () => {
    const file = join(cwd, "notes.txt");
    await writeFile(file, "not a database, but long enough to look like the head of one".repeat(10));
    const { exitCode, stderr } = await runCommand(["serve", "--db", file], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr).not.toMatch(stackTrace);
  });

  test("serve stops cleanly on Ctrl-C too", async () => {
    await using command = startCommand(["serve", "--products", "20"], { cwd });
    await command.firstLine;
    command.kill("SIGINT");
    expect((await command.finished).exitCode).toBe(0);
  });
});
