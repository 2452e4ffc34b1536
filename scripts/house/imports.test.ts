import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type SourceFile, wrongImports } from "./imports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

async function sources(folder: string): Promise<SourceFile[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".ts"));
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { path: relative(root, path), text: await readFile(path, "utf8") };
    }),
  );
}

test("imports go one way", async () => {
  const folders = ["schemas", "conformance", "scenarios", "service", "scripts"];
  const files = (await Promise.all(folders.map(sources))).flat();
  for (const folder of folders) expect(files.some(({ path }) => path.startsWith(folder))).toBe(true);
  expect(wrongImports(files)).toEqual([]);
});

test.each([
  ["schemas/x.ts", 'import "../conformance/target.ts";'],
  ["conformance/x.ts", 'import { a } from "../service/start.ts";'],
  ["conformance/suite/x.check.ts", "export * from '../../scripts/errors.ts';"],
  ["service/x.ts", 'const a = await import("../conformance/target.ts");'],
  ["service/store/x.ts", 'import type { A } from\n  "../../scripts/io.ts";'],
  ["scenarios/x.ts", 'import { a } from "../conformance/gtin.ts";'],
  ["scripts/x.ts", 'import a from "../reports/latest/results.json";'],
  ["conformance/x.ts", 'const url = new URL("../service/data.json", import.meta.url);'],
])("%s may not hold %s", (path, text) => {
  expect(wrongImports([{ path, text }])).toHaveLength(1);
});

test.each([
  [
    "conformance/suite/x.check.ts",
    'import { a } from "../target.ts"; import b from "../../schemas/product.schema.json";',
  ],
  ["scripts/commands/x.ts", 'import { a } from "../../service/start.ts"; import { b } from "node:fs";'],
])("%s may hold %s", (path, text) => {
  expect(wrongImports([{ path, text }])).toEqual([]);
});
