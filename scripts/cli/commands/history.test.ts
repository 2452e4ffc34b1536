import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runHere } from "../../../test/support/command.ts";
import { exampleRun } from "../../../test/support/samples/example-run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { stackTrace } from "../../../test/support/workspace.ts";

const cwd = await temporaryFolder("history");
const other = { name: "other", baseUrl: "https://other.example/v1", keyFingerprint: "none" };

beforeAll(async () => {
  const runs = [
    exampleRun(1, { a: "pass" }, 10),
    exampleRun(2, { a: "fail" }, 11),
    exampleRun(3, { a: "pass" }, undefined, { target: other }),
    exampleRun(4, { a: "pass" }, 12),
  ];
  for (const { name, results } of runs) await writeRun(name, JSON.stringify(results));
  await writeRun("2026-11-21T05-cut", '{"schemaVersion": 1,');
  await writeRun("2026-11-21T06-foreign", '{"tests": 3}');
  await mkdir(join(cwd, "reports", "2026-11-21T07-empty"));
});

async function writeRun(name: string, text: string): Promise<void> {
  await mkdir(join(cwd, "reports", name), { recursive: true });
  await writeFile(join(cwd, "reports", name, "results.json"), text);
}

const run = (...argv: string[]) => runHere(["history", ...argv], { cwd });

describe.concurrent("history", () => {
  test("shows the runs of the newest run's target, and skips unreadable folders with a message", async () => {
    const { exitCode, stdout, stderr } = await run();
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(/^History of staging: 3 runs$/m);
    expect(stdout).toMatch(/04:00 +conformant.*\n {2}fixed: a$/m);
    expect(stderr).toContain(
      `skipped ${join("reports", "2026-11-21T05-cut")}: The results are not valid JSON`,
    );
    expect(stderr).toContain(`skipped ${join("reports", "2026-11-21T06-foreign")}: The results do not fit`);
    expect(stderr).toContain(`skipped ${join("reports", "2026-11-21T07-empty")}: It has no results.json`);
    expect(stderr).not.toMatch(stackTrace);
  });

  test("--last, --target and --json", async () => {
    const last = JSON.parse((await run("--last", "2", "--json")).stdout);
    expect(last).toMatchObject({ target: "staging", latency: [{ p95: [11, 12] }] });
    expect(last.runs.map(({ fixed }: { fixed: string[] }) => fixed)).toEqual([[], ["a"]]);
    const named = JSON.parse((await run("--target", "other", "--json")).stdout);
    expect(named.runs.length).toBe(1);
  });

  test("runs are sorted by start, not by the names of their folders", async () => {
    for (const [name, hour] of [
      ["a-later", 6],
      ["b-earlier", 5],
    ] as const) {
      const { results } = exampleRun(hour, { a: "pass" }, hour);
      await mkdir(join(cwd, "renamed", name), { recursive: true });
      await writeFile(join(cwd, "renamed", name, "results.json"), JSON.stringify(results));
    }
    const { runs } = JSON.parse((await run("--out", "renamed", "--json")).stdout);
    expect(runs.map((one: { name: string }) => one.name)).toEqual(["b-earlier", "a-later"]);
  });

  test("--html and --markdown write files into the reports folder", async () => {
    const { exitCode, stdout } = await run("--html", "--markdown");
    expect(exitCode).toBe(0);
    for (const name of ["history.html", "history.md"])
      expect(stdout).toContain(`Written: ${join("reports", name)}\n`);
    const summary = await readFile(join(cwd, "reports", "history.md"), "utf8");
    expect(summary).toMatch(/^## Conformant: history of `staging`\n/);
    const page = await readFile(join(cwd, "reports", "history.html"), "utf8");
    expect(page).toContain("<title>Conformant: history of staging (shelfcheck)</title>");
  });

  test.each([
    [["--target", "stagign"], "Did you mean staging?"],
    [["--out", "nowhere"], "There are no runs to show"],
    [["--last", "0"], "Expected a whole number from 1 to 1000."],
  ])("2: %j", async (argv, expected) => {
    const { exitCode, stdout, stderr } = await run(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(expected);
  });
});
