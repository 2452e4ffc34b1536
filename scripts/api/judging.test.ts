import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startService } from "../../service/start.ts";
import { deadBaseUrl } from "../../test/support/server.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { judge } from "./index.ts";

const cwd = await temporaryFolder("judge");
const service = await startService({ products: 30, rate: 1000, burst: 1000 });
afterAll(() => service.stop());
const { baseUrl, keys, categories } = service;

test("returns the results of the selected requirements, and writes nothing", async () => {
  const lines: string[] = [];
  const onProgress = (line: string) => lines.push(line);
  const results = await judge({ baseUrl, keys, categories }, { cwd, only: ["errors.not-found"], onProgress });
  expect(results).toMatchObject({ verdict: "partial", exitCode: 0 });
  expect(results.requirements.map(({ id, verdict }) => [id, verdict])).toEqual([
    ["errors.not-found", "pass"],
  ]);
  expect(JSON.stringify(results)).not.toContain(keys.primary);
  expect(results.environment?.placeFlags).toEqual({ baseUrl, category: categories });
  expect(lines).toContainEqual(expect.stringContaining("conformance of"));
  expect(await readdir(cwd)).toEqual([]);
});

test("a service that does not respond, or refuses the key, is a problem", async () => {
  const gone = await judge({ baseUrl: deadBaseUrl, keys, categories }, { cwd });
  expect(gone).toMatchObject({ verdict: "error", exitCode: 3, problem: { where: expect.anything() } });
  const { problem } = await judge({ baseUrl, keys: { primary: "no-key-of-it" }, categories }, { cwd });
  expect(problem?.fix).toContain("Check keys.primary: ");
});

test.each<[where: string, target: object, options?: object]>([
  ["baseUrl", { baseUrl: "http://127.0.0.1:1" }],
  ["keys.primary", { keys: { primary: "short" } }],
  ["judge, target.categries", { categries: [] }],
  ["--only erors", {}, { only: ["erors"] }],
  ["judge, options.only", {}, { only: "retailers" }],
  ["judge, options.skipp", {}, { skipp: ["limits"] }],
  ["judge, options.maxRequests", {}, { maxRequests: "x" }],
  ["judge, options.maxSeconds", {}, { maxSeconds: 0 }],
  ["judge, options.onProgress", {}, { onProgress: console }],
  ["judge, options.signal.aborted", {}, { signal: new AbortController() }],
])("wrong settings are an error: %s", async (where, target, options) => {
  const judged = judge({ baseUrl, keys, categories, ...target }, { cwd, ...options });
  await expect(judged).rejects.toMatchObject({ name: "UsageError", where, fix: expect.anything() });
});

test("a key that is given is used, whatever variable the config names for it; reports are written to `out`", async () => {
  const named = { targets: { own: { baseUrl, keys: { primary: "OWN_KEY" } } }, defaultTarget: "own" };
  await writeFile(join(cwd, "named.config.mjs"), `export default ${JSON.stringify(named)};`);
  const out = join(cwd, "reports");
  const options = { cwd, out, config: "named.config.mjs", only: ["versioning"] };
  const { problem } = await judge({ keys: { primary: keys.primary }, categories }, options);
  expect(problem).toBeUndefined();
  expect(await readdir(join(out, "latest"))).toContain("report.html");
});
