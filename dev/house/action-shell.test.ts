import { cp, mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { runProgram } from "../../test/support/command.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const home = await temporaryFolder("action");

const inputs = {
  ACTION_COMMAND: "gate",
  ACTION_TARGET: "",
  ACTION_BASE_URL: "",
  ACTION_CATEGORIES: "",
  ACTION_ARGS: "",
  ACTION_OUT: "reports",
};

/** The command line: it records its arguments, prints a line of a target, and may write results. */
const fakeCommandLine = `const fs = require("node:fs");
  console.log("::error::from the target");
  const run = process.env.FAKE_RUN;
  if (run) {
    fs.mkdirSync("reports/" + run, { recursive: true });
    fs.rmSync("reports/latest", { force: true });
    fs.symlinkSync(run, "reports/latest");
    if (process.env.FAKE_RESULTS) fs.writeFileSync("reports/latest/results.json", process.env.FAKE_RESULTS);
  }
  fs.writeFileSync("argv.json", JSON.stringify(process.argv.slice(2)));
  process.exitCode = Number(process.env.FAKE_EXIT ?? 0);`;

/** The scripts as a runner lays them out. */
async function runner() {
  const folder = await realpath(await mkdtemp(join(home, "runner-")));
  const action = join(folder, "action with space");
  const work = join(folder, "work");
  await mkdir(join(action, "scripts/cli"), { recursive: true });
  await mkdir(join(action, "dist"));
  await mkdir(work);
  await cp(join(root, "ci"), join(action, "ci"), { recursive: true });
  await cp(join(root, "package.json"), join(action, "package.json"));
  await writeFile(join(action, "scripts/cli/shelfcheck.cjs"), fakeCommandLine);
  for (const name of ["output", "summary"]) await writeFile(join(folder, name), "");

  async function runScript(name: string, env: NodeJS.ProcessEnv) {
    const { PATH = "", HOME } = process.env;
    const ended = await runProgram("bash", [join(action, "ci/github", name)], {
      cwd: work,
      env: {
        HOME,
        PATH: [dirname(process.execPath), PATH].join(delimiter),
        GITHUB_OUTPUT: join(folder, "output"),
        GITHUB_STEP_SUMMARY: join(folder, "summary"),
        ...env,
      },
    });
    // Outputs as the runner reads them from the file, in both formats.
    const forms = /^([\w-]+)(?:=(.*)|<<(.+)\n([\s\S]*?)\n?\3)$/gm;
    const written = (await readFile(join(folder, "output"), "utf8")).matchAll(forms);
    const outputs = Object.fromEntries([...written].map(([, key, line, , block]) => [key, line ?? block]));
    return { ...ended, outputs };
  }
  return {
    work,
    runScript,
    run: (env: NodeJS.ProcessEnv = {}) => runScript("run.sh", { ...inputs, ...env }),
    argv: async () => JSON.parse(await readFile(join(work, "argv.json"), "utf8")),
    summary: () => readFile(join(folder, "summary"), "utf8"),
    forget: () => writeFile(join(folder, "output"), ""),
  };
}

test.concurrent("without inputs, runs the gate; what a service says is no command to the runner", async () => {
  const { run, argv } = await runner();
  const { exitCode, stdout, stderr, outputs } = await run();
  expect([exitCode, stderr, outputs["exit-code"]]).toEqual([0, "", "0"]);
  expect(await argv()).toEqual(["gate", "--out=reports"]);
  const [, token] = stdout.match(/^::stop-commands::([0-9a-f-]{36})\n/) ?? [];
  expect(stdout).toBe(`::stop-commands::${token}\n::error::from the target\n::${token}::\n`);
});

test.concurrent("inputs become arguments unchanged, even with special characters", async () => {
  const { run, argv, work } = await runner();
  const hostile = "$(touch hacked) `touch hacked`; touch hacked \"' *";
  await run({
    ACTION_TARGET: "--help",
    ACTION_BASE_URL: hostile,
    ACTION_CATEGORIES: `shoes\r\nhats, caps\n${hostile}\n\n`,
    ACTION_ARGS: "--max-requests=500\n--only\nversioning",
  });
  expect(await argv()).toEqual([
    "gate",
    "--out=reports",
    "--target=--help",
    `--base-url=${hostile}`,
    "--category=shoes",
    "--category=hats, caps",
    `--category=${hostile}`,
    "--max-requests=500",
    "--only",
    "versioning",
  ]);
  await expect(readFile(join(work, "hacked"))).rejects.toThrow("ENOENT");
});

test.concurrent("the program of a client is one argument of bash, and has counts without load", async () => {
  const { run, argv } = await runner();
  const line = "FAST=1 node my-client.mjs | cat";
  const { stderr, outputs } = await run({
    ACTION_COMMAND: "client",
    ACTION_CLIENT: line,
    ACTION_ARGS: "--seed=2",
    FAKE_RUN: "run-1",
    FAKE_RESULTS: JSON.stringify({ verdict: "conformant", requirements: [] }),
  });
  expect(await argv()).toEqual(["client", "--out=reports", "--seed=2", "--", "bash", "-c", line]);
  expect(stderr).toBe("");
  expect(outputs).toMatchObject({ verdict: "conformant", failed: "0", "not-judged": "0" });
});

test.concurrent.each([
  ["a client without its program", "client", "The input client is missing"],
  ["an unknown command", "serve; touch hacked", "gate, conformance, load or client"],
])("%s is refused", async (_name, command, says) => {
  const { run, argv } = await runner();
  const { exitCode, stderr } = await run({ ACTION_COMMAND: command, ACTION_CLIENT: "" });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(says);
  await expect(argv()).rejects.toThrow("ENOENT");
});

test.concurrent("the exit code is kept; the folder of this run alone is an output", async () => {
  const { run, work, forget } = await runner();
  const { exitCode, outputs } = await run({ FAKE_EXIT: "130", FAKE_RUN: "run-1" });
  expect(exitCode).toBe(130);
  expect(outputs).toEqual({ "exit-code": "130", reports: join(work, "reports/run-1") });
  await forget();
  expect((await run({ FAKE_EXIT: "2" })).outputs).toEqual({ "exit-code": "2", reports: "" });
});

test.concurrent("counts are outputs, and failures at most ten annotations behind the block", async () => {
  const { run } = await runner();
  const failed = { verdict: "fail", level: "must", statement: "50 %\nx" };
  const requirements = [
    ...Array.from({ length: 11 }, (_, nth) => ({ id: `a.${nth}`, ...failed })),
    { id: "b", verdict: "inconclusive", level: "must", statement: "y" },
  ];
  const load = [{ scenario: "lookup", profile: "smoke", verdict: "fail" }];
  const results = JSON.stringify({ verdict: "violations", requirements, load });
  const { stdout, outputs } = await run({ FAKE_RUN: "run-1", FAKE_RESULTS: results });
  const [, token = ""] = stdout.match(/^::stop-commands::([0-9a-f-]{36})\n/) ?? [];
  const behind = stdout
    .slice(stdout.indexOf(`::${token}::`))
    .split("\n")
    .slice(1, -1);
  expect(behind).toHaveLength(10);
  expect(behind[0]).toBe("::error title=a.0::MUST: 50 %25%0Ax");
  expect(behind[9]).toBe("::notice title=shelfcheck::3 more in the summary of the job");
  expect(outputs).toMatchObject({ verdict: "violations", failed: "12", "not-judged": "1" });
});

test.concurrent("outputs the folder of the k6 cache and the version", async () => {
  const { outputs } = await (await runner()).runScript("prepare.sh", { XDG_CACHE_HOME: "/cache" });
  expect(outputs).toEqual({ cache: "/cache/shelfcheck", version: packageJson.version });
});

test.concurrent("the summary is cut to the size that GitHub accepts; without one, a line says so", async () => {
  const { runScript, work, summary } = await runner();
  const env = { ACTION_REPORTS: work };
  expect((await runScript("summary.sh", env)).exitCode).toBe(0);
  const without = await summary();
  expect(without).toContain("no summary");
  await writeFile(join(work, "summary.md"), "x".repeat(1_100_000));
  expect(await runScript("summary.sh", env)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await summary()).toBe(without + "x".repeat(1_000_000));
});
