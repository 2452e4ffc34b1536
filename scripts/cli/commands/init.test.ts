import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { runCommand, runHere, runTogether } from "../../../test/support/command.ts";
import { stackTrace } from "../../../test/support/workspace.ts";

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "shelfcheck-init-"));
});

afterEach(() => rm(cwd, { recursive: true }));

const env = {
  CF_ID: "client-id-of-ci",
  CF_SECRET: "client-secret-of-ci",
};
const run = (...argv: string[]) => runHere(argv, { cwd, env });
const read = (path: string) => readFile(join(cwd, path), "utf8");
/** Loads the config and sends nothing. */
const planning = ["conformance", "--plan", "--only", "versioning"];
/** Does so in its own process. */
const plan = (...flags: string[]) => runCommand([...planning, ...flags], { cwd, env });

test("writes a valid config", async () => {
  const { exitCode, stdout } = await run("init");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("wrote  shelfcheck.config.ts\n");
  expect(stdout).toContain("init --ci github");
  expect(await readdir(cwd)).toEqual(["shelfcheck.config.ts"]);
  expect(await plan("--target", "staging")).toMatchObject({ exitCode: 0, stderr: "" });
});

test("in a checkout nothing is installed", async () => {
  expect((await run("init")).stdout).toContain("npm install -D ./vendor/");
  await writeFile(join(cwd, "package.json"), JSON.stringify({ name: "shelfcheck" }));
  expect((await run("init")).stdout).not.toContain("npm install");
});

test("the config is valid as it is, with every commented setting, and with any base URL and categories", async () => {
  const [plain, full, other] = ["plain", "full", "other"].map((name) => join(cwd, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [plain, full, other]) await mkdir(folder);
  await runHere(["init"], { cwd: plain, env });

  await runHere(["init"], { cwd: full, env });
  const text = await read("full/shelfcheck.config.ts");
  const all = text.replaceAll(/\/\/ (\w+: .*,)$/gm, "$1");
  expect(all.match(/^ +\w+:/gm)).toHaveLength((text.match(/^ +\w+:/gm)?.length ?? 0) + 24);
  await writeFile(join(full, "shelfcheck.config.ts"), all);
  await mkdir(join(full, "certs"));
  const authority = makeCertificate({ isAuthority: true });
  await writeFile(join(full, "certs/root.pem"), authority.certificate);
  await writeFile(join(full, "certs/client.pem"), authority.certificate);
  await writeFile(join(full, "certs/client.key"), authority.key);

  const category = ['a "b" \\ `c` $', "{d}"].join("");
  const where = ["--base-url", "https://catalog.example/v1", "--category", category];
  await runHere(["init", ...where], { cwd: other, env });
  expect(await read("other/shelfcheck.config.ts")).toContain(`categories: [${JSON.stringify(category)}],`);

  const ends = await runTogether([
    { argv: planning, cwd: plain, env },
    { argv: planning, cwd: full, env },
    { argv: [...planning, "--target", "staging"], cwd: other, env },
  ]);
  expect(ends).toHaveLength(3);
  for (const end of ends) expect(end).toMatchObject({ exitCode: 0, stderr: "" });
});

test("rejects a base URL that a run would reject", async () => {
  const { exitCode, stderr } = await run("init", "--base-url", "https://catalog.example");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--base-url");
  expect(stderr).not.toMatch(stackTrace);
  expect(await readdir(cwd)).toEqual([]);
});

test("does not change existing files", async () => {
  await writeFile(join(cwd, ".gitlab-ci.yml"), "test: { script: [make] }\n");
  await writeFile(join(cwd, "shelfcheck.config.mjs"), "export default {};\n");
  expect((await run("init")).exitCode).toBe(0);
  const second = await run("init");
  expect(second.exitCode).toBe(0);
  expect(second.stdout).not.toContain("wrote");
  expect(second.stdout).toContain("kept   .gitlab-ci.yml");
  expect(second.stdout).toContain("Make .gitlab-ci.yml include it");
  expect(await read(".gitlab-ci.yml")).toBe("test: { script: [make] }\n");
  expect((await readdir(cwd)).toSorted()).toEqual([".gitlab", ".gitlab-ci.yml", "shelfcheck.config.mjs"]);
});

test("the job on GitLab has a stage that the pipeline has", async () => {
  await writeFile(join(cwd, ".gitlab-ci.yml"), "stages: [build, deploy]\n");
  await run("init", "--ci", "gitlab");
  expect(await read(".gitlab/shelfcheck.yml")).toContain("\n  stage: deploy\n");
});

test("--gitignore adds the reports folder once", async () => {
  await writeFile(join(cwd, ".gitignore"), "dist");
  const first = await run("init", "--gitignore");
  expect(first.stdout).toContain("wrote  .gitignore");
  const second = await run("init", "--gitignore");
  expect(second.stdout).toContain("kept   .gitignore, which already has the line");
  expect(await read(".gitignore")).toBe("dist\nreports/\n");
});

test("does not ask to include a job that is included", async () => {
  await run("init", "--ci", "gitlab");
  const { stdout } = await run("init", "--ci", "gitlab");
  expect(stdout).toContain("kept   .gitlab-ci.yml");
  expect(stdout).not.toContain("include it");
});

test("in a CommonJS package, writes a config that Node can load", async () => {
  await writeFile(join(cwd, "package.json"), '{ "type": "commonjs" }');
  await run("init");
  expect((await readdir(cwd)).toSorted()).toEqual(["package.json", "shelfcheck.config.mts"]);
  expect(await plan("--target", "staging")).toMatchObject({ exitCode: 0, stderr: "" });
});

test.each([
  ["https://user:hunter2@github.com/a/b.git", ".github/workflows/shelfcheck.yml"],
  ["git@gitlab.example.com:a/b.git", ".gitlab/shelfcheck.yml"],
])("detects the CI system from the origin, %s", async (origin, file) => {
  execFileSync("git", ["init", "-q"], { cwd });
  execFileSync("git", ["remote", "add", "origin", origin], { cwd });
  await mkdir(join(cwd, "deeper"));
  const { stdout, exitCode } = await runHere(["init"], { cwd: join(cwd, "deeper") });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`wrote  ../${file}\n`);
  expect(stdout).not.toContain("hunter2");
  expect(await read(file)).toContain("deeper");
});

test("an unknown CI system is a usage error that names the known ones", async () => {
  const { exitCode, stderr } = await run("init", "--ci", "jenkins");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("github, gitlab, none");
});
