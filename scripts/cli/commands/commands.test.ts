import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../../test/support/command.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

const { cwd, shared, run } = await openWorkspace();

test.concurrent("a config file is used in a folder whose package.json has no type, without a warning", async () => {
  const folder = join(cwd, "configured");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  const source = `const baseUrl: string = "http://127.0.0.1:9/v1"; export default { targets: { own: { baseUrl } } };`;
  await writeFile(join(folder, "shelfcheck.config.ts"), source);
  const planned = await runCommand(["conformance", "--plan", "--target", "own"], { cwd: folder });
  expect(planned).toMatchObject({ exitCode: 0, stderr: "" });
});

test.concurrent("a hint names the command as it was started, where npx does not find it", async () => {
  const { stdout } = await runCommand(["serve", "--list"], { cwd });
  expect(stdout).toMatch(/a check catches: node \S+shelfcheck\.cjs explain ID/);
});

test.concurrent("doctor prints JSON: what prevents a run, and what was discovered", async () => {
  const { exitCode, stdout } = await run(["doctor", "--json"], shared.env);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    refusals: [],
    discovered: { dialect: { batchFoundField: expect.any(String) } },
  });
});
