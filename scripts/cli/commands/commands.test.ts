import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand } from "../../../test/support/command.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

const workspace = await openWorkspace();
const { cwd, shared, run, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

test.concurrent("a config file is used in a folder whose package.json has no type, without a warning", async () => {
  const folder = join(cwd, "configured");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  const source = `const baseUrl: string = "${shared.ready.base_url}";
    export default { out: "from-file", targets: { own: {
      baseUrl, categories: ${JSON.stringify(shared.ready.categories)}, keys: { primary: "OWN_KEY" } } } };`;
  await writeFile(join(folder, "shelfcheck.config.ts"), source);
  const env = { OWN_KEY: shared.ready.keys.primary };
  const argv = ["conformance", "--target", "own", "--only", "by-id.unknown-product"];
  const { exitCode, stdout, stderr } = await runCommand(argv, { cwd: folder, env });
  expect(exitCode, stdout + stderr).toBe(0);
  expect(stderr).not.toContain("Warning");
  expect((await resultsOf("configured/from-file")).target.name).toBe("own");
});

test.concurrent("a hint names the command as it was started, where npx does not find it", async () => {
  const { stderr } = await runCommand(["serve", "--fault", "no-such-fault"], { cwd });
  expect(stderr).toMatch(/To list all: node \S+entry\.ts serve --list/);
});

test.concurrent("doctor prints JSON: what prevents a run, and what was discovered", async () => {
  const { exitCode, stdout } = await run(["doctor", "--json"], shared.env);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    refusals: [],
    discovered: { dialect: { batchFoundField: expect.any(String) } },
  });
});
