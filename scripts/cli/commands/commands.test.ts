import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { environmentOf, runCommand, runHere } from "../../../test/support/command.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

const workspace = await openWorkspace();
const { cwd, shared, run, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

describe.concurrent("a config file", () => {
  test("is used in a folder whose package.json has no type, without a warning", async () => {
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
});

test.concurrent("a hint names the command as it was started, where npx does not find it", async () => {
  const { stderr } = await runCommand(["serve", "--fault", "no-such-fault"], { cwd });
  expect(stderr).toMatch(/To list all: node \S+entry\.ts serve --list/);
  const inside = await runCommand(["serve", "--fault", "no-such-fault"], { cwd: import.meta.dirname });
  expect(inside.stderr).toContain("To list all: npx shelfcheck serve --list");
});

describe.concurrent("the other commands", () => {
  test("doctor prints JSON: what prevents a run, and what was discovered", async () => {
    const { exitCode, stdout } = await run(["doctor", "--json"], shared.env);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      refusals: [],
      discovered: { dialect: { batchFoundField: expect.any(String) } },
    });
  });

  test("serve: the lines for a shell set the same values as the JSON", async () => {
    const { stdout, stderr } = await runHere(["serve"], { cwd, signal: AbortSignal.abort() });
    const expected = environmentOf(JSON.parse(stdout));
    const lines = stderr.match(/^export .*$/gm) ?? [];
    const shown = lines.map((line) => line.replace(/^export (\w+)=.*/, 'printf "%s\\n" "$$$1"'));
    const { stdout: values } = await promisify(execFile)("sh", ["-c", [...lines, ...shown].join("\n")]);
    expect(values.trimEnd().split("\n")).toEqual(Object.values(expected));
    expect(lines.map((line) => line.split(/[ =]/)[1])).toEqual(Object.keys(expected));
  });

  test("serve: a variant that is named as a fault", async () => {
    const { exitCode, stderr } = await run(["serve", "--fault", "no-gtin"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("It is a variant: --variant no-gtin");
  });
});
