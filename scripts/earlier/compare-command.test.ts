import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runHere } from "../../test/support/command.ts";
import { exampleCheck, exampleRequirement, exampleResults } from "../../test/support/samples/example.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const cwd = await temporaryFolder("compare");
const compare = (...argv: string[]) => runHere(["compare", ...argv], { cwd });

beforeAll(async () => {
  const checks = [exampleCheck({ verdict: "fail", says: "404 was 200" })];
  const runs = {
    good: [exampleRequirement()],
    bad: [exampleRequirement({ verdict: "fail", checks })],
  };
  for (const [minute, [name, requirements]] of Object.entries(runs).entries()) {
    const startedAt = new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();
    await mkdir(join(cwd, "reports", name), { recursive: true });
    const results = exampleResults({ startedAt, requirements });
    await writeFile(join(cwd, "reports", name, "results.json"), JSON.stringify(results));
  }
});

test("shows what changed between two runs: as text, as JSON, as Markdown", async () => {
  const worse = await compare("good", "bad");
  expect(worse.exitCode).toBe(1);
  for (const text of ["newly failing", "404 was 200", "Exit 1: 1 requirement newly failing."])
    expect(worse.stdout).toContain(text);
  const better = await compare("bad", "good", "--markdown");
  expect(better).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("Fixed: errors.unknown-product."),
  });
  expect(better.stdout).toContain(`Written: ${join("reports", "compare.md")}\n`);
  expect(await readFile(join(cwd, "reports", "compare.md"), "utf8")).toMatch(/^## Same: comparison of/);
  const json = JSON.parse((await compare("good", "bad", "--json")).stdout);
  expect(json).toMatchObject({ verdict: "worse", before: "good", after: "bad" });
});

test.each([
  ["an unknown run", ["good", "nowhere"], "There is no such run"],
  ["one run", ["good"], "Missing required argument"],
  ["a run twice", ["good", "good"], "named twice"],
])("%s: exit 2", async (_title, argv, text) => {
  const { exitCode, stdout, stderr } = await compare(...argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(text);
});
