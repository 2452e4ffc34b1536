import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import { runHere } from "../../../test/support/command.ts";
import { failingRun } from "../../../test/support/samples/runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { stackTrace } from "../../../test/support/workspace.ts";
import { makeRunFolder, writeResults } from "../../runs/write-run.ts";

const cwd = await temporaryFolder("report");
const out = join(cwd, "reports");
const folder = await makeRunFolder(out, "gate", new Date("2026-11-21T08:00:00Z"));
const { name } = folder;
await writeResults(() => failingRun(), { out, folder, run: "latest", redaction: redactionFor({ keys: {} }) });

const runWith = (env: NodeJS.ProcessEnv, ...argv: string[]) => runHere(["report", ...argv], { cwd, env });
const run = (...argv: string[]) => runWith({}, ...argv);

describe.concurrent("report RUN", () => {
  test("writes the reports of a run again, with its own exit code", async () => {
    const file = join(cwd, "reports", name, "junit.xml");
    const before = await readFile(file, "utf8");
    await rm(file);
    const { exitCode, stdout } = await run("latest");
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain("NOT CONFORMANT: gate of staging");
    expect(stdout).toContain("\nThe run ended with exit code 1: ");
    expect(stdout).toContain(join("reports", "latest", "junit.xml"));
    expect(await readFile(file, "utf8")).toBe(before);
  });

  test("redacts a key that the file contains and the environment holds", async () => {
    const folder = join(cwd, "leaky");
    await mkdir(folder);
    const key = "canary-key-5f1d";
    const text = JSON.stringify(failingRun()).replaceAll("staging", `staging ${key}`);
    await writeFile(join(folder, "results.json"), text);
    const { exitCode, stdout } = await runWith({ SHELFCHECK_API_KEY: key }, "leaky", "--json");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("staging $SHELFCHECK_API_KEY");
    for (const file of (await readdir(folder)).filter((name) => name !== "results.json")) {
      expect(await readFile(join(folder, file), "utf8"), file).not.toContain(key);
    }
  });

  test("a run is found by the path of its results.json, and its reports are written beside it", async () => {
    const folder = join("copied", "third");
    await mkdir(join(cwd, folder), { recursive: true });
    await writeFile(join(cwd, folder, "results.json"), JSON.stringify(failingRun()));
    const { exitCode, stdout } = await run(join(folder, "results.json"), "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).target.name).toBe("staging");
    const files = ["junit.xml", "report.html", "results.json", "summary.md"];
    expect((await readdir(join(cwd, folder))).sort()).toEqual(files);
  });

  test.each([
    ["of another reports folder", "my runs/first", ["first", "--out", "my runs"], "'my runs/first'"],
    ["named by its path", "copied/second", ["copied/second"], "copied/second"],
  ])("the next command finds a run %s", async (_way, folder, argv, named) => {
    await mkdir(join(cwd, folder), { recursive: true });
    await writeFile(join(cwd, folder, "results.json"), JSON.stringify(failingRun()));
    const { stdout } = await run(...argv);
    expect(stdout).toContain(`Next: npx shelfcheck replay ${named} `);
  });

  test("the next command says `latest`, and in a file the run, because `latest` is another one later", async () => {
    const { stdout } = await run("latest");
    expect(stdout).toContain("Next: npx shelfcheck replay latest ");
    const file = await readFile(join(cwd, "reports", "latest", "summary.md"), "utf8");
    expect(file).toContain(`npx shelfcheck replay ${name} `);
    expect(file).not.toContain("latest");
  });

  test("2: an unknown run", async () => {
    const [unknown, part] = [await run(`${name}x`), await run(name.slice(-6))];
    expect([unknown.exitCode, unknown.stdout, part.exitCode]).toEqual([2, "", 2]);
    expect(unknown.stderr).toContain(`There is no such run: ${join(cwd, "reports", `${name}x`)}`);
    expect(unknown.stderr).toContain("the newest one is latest");
  });

  test.each([
    ["newer", JSON.stringify({ ...failingRun(), schemaVersion: 6 }), "schemaVersion 6, and this version"],
    ["older", JSON.stringify({ ...failingRun(), schemaVersion: 4 }), "schemaVersion 4, and this version"],
    ["cut", '{"schemaVersion": 1, ', "may have been changed or cut off"],
    ["foreign", '{"tests": 3}', "does not hold the results of a run"],
    ["another tool's", '{"schemaVersion": 5, "requirements": []}', "does not hold the results of a run"],
  ])("2: results that are %s", async (folder, text, expected) => {
    await mkdir(join(cwd, "odd", folder), { recursive: true });
    await writeFile(join(cwd, "odd", folder, "results.json"), text);
    const { exitCode, stderr } = await run(folder, "--out", "odd");
    expect(exitCode).toBe(2);
    expect(stderr).toContain(expected);
    expect(stderr).toContain(join("odd", folder, "results.json"));
    expect(stderr).not.toMatch(stackTrace);
  });

  test("3: what could not be written is named, and only what was written is listed", async () => {
    await mkdir(join(cwd, "blocked", "junit.xml", "in the way"), { recursive: true });
    await writeFile(join(cwd, "blocked", "results.json"), JSON.stringify(failingRun()));
    const { exitCode, stdout, stderr } = await run("blocked");
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^shelfcheck: .*junit\.xml$/m);
    expect(stderr).not.toMatch(stackTrace);
    const [, listed = ""] = stdout.split("\nWritten:\n");
    expect(listed).toBe(`  ${join("blocked", "report.html")}\n  ${join("blocked", "summary.md")}\n`);
  });

  test("2: results that cannot be read", async () => {
    await mkdir(join(cwd, "odd", "unreadable", "results.json"), { recursive: true });
    const { exitCode, stderr } = await run("unreadable", "--out", "odd");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("The results cannot be read");
    expect(stderr).not.toContain("Did you mean");
  });
});
