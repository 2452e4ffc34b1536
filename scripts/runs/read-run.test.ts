import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { exampleResults } from "../../test/support/samples/example.ts";
import { readRun } from "./read-run.ts";
import { makeRunFolder, pointLatest } from "./write-run.ts";

const out = await mkdtemp(join(tmpdir(), "shelfcheck-names-"));
afterAll(() => rm(out, { recursive: true }));

const runs = await Promise.all(
  [0, 1].map(async (minute) => {
    const run = await makeRunFolder(out, "gate", new Date(Date.UTC(2026, 10, 21, 8, minute)));
    await writeFile(join(run.path, "results.json"), JSON.stringify(exampleResults()));
    await pointLatest(out, run);
    return run;
  }),
);
const [first] = runs;
const named = async (run: string) => (await readRun({ out, cwd: out }, run)).path;

test.each([first?.name ?? "", first?.path ?? "", join(first?.path ?? "", "results.json")])(
  "%s names the first run",
  async (run) => expect(await named(run)).toBe(first?.path),
);

test("latest is the run that the link names", async () => {
  expect(runs.map(({ path }) => path)).toContain(await realpath(await named("latest")));
});

test.each(["latest~1", first?.name.slice(-6) ?? "", "2026-11-21"])("%s names no run", async (run) => {
  await expect(named(run)).rejects.toThrow("no such run");
});
