import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../..", import.meta.url));

let folder: string;
let action: string;
let work: string;

// The scripts as a runner lays them out, with a fake command line that records its arguments.
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "shelfcheck-action-")));
  action = join(folder, "action with space");
  work = join(folder, "work");
  await mkdir(join(action, "scripts/cli"), { recursive: true });
  await mkdir(join(action, "dist"));
  await mkdir(work);
  await cp(join(root, "ci"), join(action, "ci"), { recursive: true });
  await cp(join(root, "package.json"), join(action, "package.json"));
  await writeFile(
    join(action, "scripts/cli/shelfcheck.cjs"),
    `const fs = require("node:fs");
     console.log("::error::from the target");
     const run = process.env.FAKE_RUN;
     if (run) {
       fs.mkdirSync("reports/" + run, { recursive: true });
       fs.rmSync("reports/latest", { force: true });
       fs.symlinkSync(run, "reports/latest");
       if (process.env.FAKE_RESULTS) fs.writeFileSync("reports/latest/results.json", process.env.FAKE_RESULTS);
     }
     fs.writeFileSync("argv.json", JSON.stringify(process.argv.slice(2)));
     process.exitCode = Number(process.env.FAKE_EXIT ?? 0);`,
  );
  await writeFile(join(folder, "output"), "");
  await writeFile(join(folder, "summary"), "");
});

afterEach(() => rm(folder, { recursive: true }));

const inputs = {
  ACTION_COMMAND: "gate",
  ACTION_TARGET: "",
  ACTION_BASE_URL: "",
  ACTION_CATEGORIES: "",
  ACTION_ARGS: "",
  ACTION_OUT: "reports",
};

async function runScript(name: string, env: NodeJS.ProcessEnv) {
  const { PATH = "", HOME } = process.env;
  const child = spawn("bash", [join(action, "ci/github", name)], {
    cwd: work,
    env: {
      HOME,
      PATH: [dirname(process.execPath), PATH].join(delimiter),
      GITHUB_OUTPUT: join(folder, "output"),
      GITHUB_STEP_SUMMARY: join(folder, "summary"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => (stdout += data));
  child.stderr.on("data", (data) => (stderr += data));
  const [exitCode] = await once(child, "close");
  return { exitCode, stdout, stderr };
}

const argv = async () => JSON.parse(await readFile(join(work, "argv.json"), "utf8"));

/** Outputs as the runner reads them from the file, in both formats. */
async function outputs(): Promise<Record<string, string>> {
  const text = await readFile(join(folder, "output"), "utf8");
  const forms = /^([\w-]+)(?:=(.*)|<<(.+)\n([\s\S]*?)\n?\3)$/gm;
  return Object.fromEntries(
    [...text.matchAll(forms)].map(([, name, line, , block]) => [name, line ?? block]),
  );
}

test("without inputs, runs the gate with the settings of the config", async () => {
  expect(await runScript("run.sh", inputs)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await argv()).toEqual(["gate", "--out=reports"]);
});

test("inputs become arguments unchanged, even with special characters", async () => {
  const hostile = "$(touch hacked) `touch hacked`; touch hacked \"' *";
  await runScript("run.sh", {
    ...inputs,
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

test("the program of a client is one argument of bash", async () => {
  await runScript("run.sh", {
    ...inputs,
    ACTION_COMMAND: "client",
    ACTION_CLIENT: "FAST=1 node my-client.mjs | cat",
    ACTION_ARGS: "--seed=2",
  });
  const line = "FAST=1 node my-client.mjs | cat";
  expect(await argv()).toEqual(["client", "--out=reports", "--seed=2", "--", "bash", "-c", line]);
});

test("a client without its program is refused", async () => {
  const refused = await runScript("run.sh", { ...inputs, ACTION_COMMAND: "client", ACTION_CLIENT: "" });
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain("The input client is missing");
});

test("an unknown command is refused", async () => {
  const refused = await runScript("run.sh", { ...inputs, ACTION_COMMAND: "serve; touch hacked" });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("gate, conformance, load or client"),
  });
  await expect(argv()).rejects.toThrow("ENOENT");
});

test.each([0, 1, 2, 3, 4, 130])(
  "exit code %d is kept, and the folder of the run is an output",
  async (code) => {
    const finished = await runScript("run.sh", { ...inputs, FAKE_EXIT: String(code), FAKE_RUN: "run-1" });
    expect(finished.exitCode).toBe(code);
    expect(await outputs()).toEqual({ "exit-code": String(code), reports: join(work, "reports/run-1") });
  },
);

test("counts of the run are outputs, and its failures at most ten annotations behind the guarded block", async () => {
  const requirements = [
    ...Array.from({ length: 11 }, (_, nth) => ({
      id: `a.${nth}`,
      verdict: "fail",
      level: "must",
      statement: "50 %\nx",
    })),
    { id: "b", verdict: "inconclusive", level: "must", statement: "y" },
  ];
  const results = JSON.stringify({
    verdict: "violations",
    requirements,
    load: [{ scenario: "lookup", profile: "smoke", verdict: "fail" }],
  });
  const { stdout } = await runScript("run.sh", { ...inputs, FAKE_RUN: "run-1", FAKE_RESULTS: results });
  const [, token = ""] = stdout.match(/^::stop-commands::([0-9a-f-]{36})\n/) ?? [];
  const behind = stdout
    .slice(stdout.indexOf(`::${token}::`))
    .split("\n")
    .slice(1, -1);
  expect(behind).toHaveLength(10);
  expect(behind[0]).toBe("::error title=a.0::MUST: 50 %25%0Ax");
  expect(behind[9]).toBe("::notice title=shelfcheck::3 more in the summary of the job");
  expect(await outputs()).toMatchObject({ verdict: "violations", failed: "12", "not-judged": "1" });
});

test("counts of a client's run are outputs: it has no load", async () => {
  const results = JSON.stringify({ verdict: "conformant", requirements: [] });
  const client = { ACTION_COMMAND: "client", ACTION_CLIENT: "true" };
  const { stderr } = await runScript("run.sh", {
    ...inputs,
    ...client,
    FAKE_RUN: "run-1",
    FAKE_RESULTS: results,
  });
  expect(stderr).toBe("");
  expect(await outputs()).toMatchObject({ verdict: "conformant", failed: "0", "not-judged": "0" });
});

test("a run that wrote nothing does not output the folder of an earlier run", async () => {
  await runScript("run.sh", { ...inputs, FAKE_RUN: "run-1" });
  await writeFile(join(folder, "output"), "");
  await runScript("run.sh", { ...inputs, FAKE_EXIT: "2" });
  expect(await outputs()).toEqual({ "exit-code": "2", reports: "" });
});

test("output of a service is not a command to the runner", async () => {
  const { stdout } = await runScript("run.sh", inputs);
  const [, token] = stdout.match(/^::stop-commands::([0-9a-f-]{36})\n/) ?? [];
  expect(token).toBeDefined();
  expect(stdout).toBe(`::stop-commands::${token}\n::error::from the target\n::${token}::\n`);
});

test("outputs the folder of the k6 cache and the version", async () => {
  await runScript("prepare.sh", { XDG_CACHE_HOME: "/cache" });
  expect(await outputs()).toEqual({ cache: "/cache/shelfcheck", version: packageJson.version });
});

test("the summary of the run is cut to the size that GitHub accepts", async () => {
  await writeFile(join(work, "summary.md"), "x".repeat(1_100_000));
  expect(await runScript("summary.sh", { ACTION_REPORTS: work })).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await readFile(join(folder, "summary"), "utf8")).toBe("x".repeat(1_000_000));
});

test("without a summary, prints a line that says so", async () => {
  expect(await runScript("summary.sh", { ACTION_REPORTS: work })).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(folder, "summary"), "utf8")).toContain("no summary");
});
