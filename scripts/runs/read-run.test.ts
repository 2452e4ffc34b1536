import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sampleResults } from "../../test/support/samples/sample.ts";
import { makeRunFolder } from "./folder.ts";
import { readRun } from "./read-run.ts";

const out = await mkdtemp(join(tmpdir(), "shelfcheck-names-"));
afterAll(() => rm(out, { recursive: true }));

const labels = [undefined, "before", "before", "after", undefined];
const runs = await Promise.all(
  labels.map(async (label, minute) => {
    const { name, path } = await makeRunFolder(
      out,
      "gate",
      new Date(Date.UTC(2026, 10, 21, 8, minute)),
      label,
    );
    await writeFile(join(path, "results.json"), JSON.stringify(sampleResults()));
    return name;
  }),
);
const named = async (run: string) => runs.indexOf((await readRun({ out, cwd: out }, run)).name);

test.each([
  ["before", 2],
  ["before~1", 1],
  ["after", 3],
  ["latest", 4],
  ["latest~3", 1],
])("%s names run %i", async (run, place) => {
  expect(await named(run)).toBe(place);
});

test("the beginning of an id or of a folder name is enough, as long as it is that of one run", async () => {
  expect(await named(runs[3]?.slice(-6) ?? "")).toBe(3);
  expect(await named(runs[3]?.slice(0, 17) ?? "")).toBe(3);
  await expect(named("2026-11-21")).rejects.toThrow(/5 runs begin with this/);
});

test("a label that no run has is not the latest run", async () => {
  await mkdir(join(out, "empty"), { recursive: true });
  await expect(named("befor")).rejects.toThrow("no such run");
  await expect(named("before~2")).rejects.toThrow("no such run");
});
