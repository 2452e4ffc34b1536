import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { version } from "../../scripts/version.ts";
import { runProgram } from "../../test/support/command.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const checker = createRequire(import.meta.url).resolve("gitlab-ci-local/dist/index.js");

const home = await temporaryFolder("gitlab");
let folder: string;
let project: string;

beforeEach(async () => {
  folder = await mkdtemp(join(home, "job-"));
  project = join(folder, "project with space");
  await mkdir(join(project, "sub"), { recursive: true });
  const fakes = {
    npm: 'echo "npm $*" >>"$FAKE_LOG"',
    npx: `echo "npx $* in $(basename "$PWD")" >>"$FAKE_LOG"
          mkdir -p "$CI_PROJECT_DIR/.shelfcheck/run-1"
          echo "<testsuites/>" >"$CI_PROJECT_DIR/.shelfcheck/run-1/junit.xml"
          ln -s run-1 "$CI_PROJECT_DIR/.shelfcheck/latest"
          exit "$FAKE_EXIT"`,
  };
  for (const [name, text] of Object.entries(fakes))
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
});

function run(command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const PATH = [folder, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  const env = { PATH, HOME: folder, CI_PROJECT_DIR: project, FAKE_LOG: join(folder, "log"), ...variables };
  return runProgram(command, args, { cwd: project, env });
}

const job = await readFile(new URL("../../ci/gitlab.yml", import.meta.url), "utf8");

test("the cache of k6 is that of this version", () => {
  expect(parse(job).shelfcheck.cache.key).toBe(`shelfcheck-k6-${version}`);
});

// Like a runner: the lines of each part in one shell, which ends at the first failure, in the project's folder.
test.each([0, 4])("the job ends with exit code %d of the gate and keeps the report", async (code) => {
  const { shelfcheck } = parse(job);
  const { SHELFCHECK_TARGET } = shelfcheck.variables;
  const variables = { SHELFCHECK_FOLDER: "sub", SHELFCHECK_TARGET, FAKE_EXIT: String(code) };
  const part = (lines: readonly string[]) =>
    run("bash", ["-eo", "pipefail", "-c", lines.join("\n")], variables);
  expect((await part(shelfcheck.script)).exitCode).toBe(code);
  expect(await part(shelfcheck.after_script)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  const log = await readFile(join(folder, "log"), "utf8");
  const gate = `npx --no-install shelfcheck gate --target=staging --out=${project}/.shelfcheck in sub`;
  expect(log).toBe(`npm ci\n${gate}\n`);
  expect(await readFile(join(project, shelfcheck.artifacts.reports.junit), "utf8")).toBe("<testsuites/>\n");
});

// gitlab-ci-local contains GitLab's schema, and refuses what violates it. It needs a repository.
test("the job fulfils GitLab's schema", async () => {
  await writeFile(join(project, ".gitlab-ci.yml"), job);
  await run("git", ["init", "-q", "-b", "main"]);
  await run("git", ["remote", "add", "origin", "https://gitlab.example/group/project.git"]);
  const author = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
  await run("git", [...author, "commit", "-q", "--allow-empty", "-m", "x"]);
  const { exitCode, stdout, stderr } = await run(process.execPath, [checker, "--list-json"]);
  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toContain('"name": "shelfcheck"');
});
