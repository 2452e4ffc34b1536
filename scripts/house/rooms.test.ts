import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// biome.json has the rules for the direction of imports, and for the modules that decide and must not import the words.
// This test shows which imports they refuse and which they allow.

const root = fileURLToPath(new URL("../..", import.meta.url));

const refused: Readonly<Record<string, string>> = {
  "schemas/a.ts": 'import "../conformance/client/target.ts";',
  "conformance/b.ts": 'import { a } from "../service/start.ts"; a();',
  "conformance/suite/c.check.ts": "export * from '../../scripts/errors.ts';",
  "service/d.ts": 'export const a = await import("../conformance/client/target.ts");',
  "service/store/e.ts": 'import type { A } from\n  "../../scripts/io.ts"; export type B = A;',
  "conformance/rules/i.ts": 'import { findingText } from "../../schemas/words/index.ts"; findingText();',
  "scripts/load/judge.ts": 'import { findingText } from "../../schemas/words/index.ts"; findingText();',
  "scenarios/f.ts": 'import { a } from "../conformance/response/gtin.ts"; a();',
};

const allowed: Readonly<Record<string, string>> = {
  "conformance/suite/g.check.ts":
    'import { a } from "../client/target.ts"; import "../../schemas/api.ts"; a();',
  "scripts/report/k.ts": 'import { findingText } from "../../schemas/words/index.ts"; findingText();',
  "scripts/commands/h.ts": 'import { a } from "../../service/start.ts"; import { b } from "node:fs"; a(b);',
};

test("imports against the direction are refused, all others allowed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-rooms-"));
  const { vcs: _git, ...config } = JSON.parse(await readFile(join(root, "biome.json"), "utf8"));
  const files = { ...refused, ...allowed, "biome.json": JSON.stringify(config) };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const only = "--only=style/noRestrictedImports";
  const { stdout } = spawnSync("biome", ["lint", only, "--reporter=json", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  await rm(folder, { recursive: true });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string } }[] };
  const found = new Set(diagnostics.map(({ location }) => location.path));
  expect([...found].toSorted()).toEqual(Object.keys(refused).toSorted());
});
