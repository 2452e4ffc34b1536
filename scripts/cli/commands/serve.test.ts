import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { environmentOf, runHere } from "../../../test/support/command.ts";
import { serve as startServer } from "../../../test/support/server.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

/** What `serve` prints before it is stopped, at once. */
const serving = (...flags: string[]) =>
  runHere(["serve", "--products", "10", ...flags], { cwd: tmpdir(), signal: AbortSignal.abort() });

test("the same seed gives the same keys; without one they are new", async () => {
  const keysOf = async (...flags: string[]) => JSON.parse((await serving(...flags)).stdout).keys;
  expect(await keysOf("--seed", "7")).toEqual(await keysOf("--seed", "7"));
  expect(await keysOf("--seed", "7")).not.toEqual(await keysOf("--seed", "8"));
  expect(await keysOf()).not.toEqual(await keysOf());
});

test("the lines for a shell set the same values as the JSON", async () => {
  const { stdout, stderr } = await serving();
  const expected = environmentOf(JSON.parse(stdout));
  const lines = stderr.match(/^export .*$/gm) ?? [];
  const shown = lines.map((line) => line.replace(/^export (\w+)=.*/, 'printf "%s\\n" "$$$1"'));
  const { stdout: values } = await promisify(execFile)("sh", ["-c", [...lines, ...shown].join("\n")]);
  expect(values.trimEnd().split("\n")).toEqual(Object.values(expected));
  expect(lines.map((line) => line.split(/[ =]/)[1])).toEqual(Object.keys(expected));
});

test("the line of the categories leaves out those that it could not tell apart", async () => {
  const catalog = join(await temporaryFolder("serve"), "catalog.ndjson");
  const retailer = { kind: "retailer", slug: "a", name: "A" };
  const product = { kind: "product", retailer: "a", product_id: "1", categories: ["hats, caps", "shoes"] };
  await writeFile(catalog, [retailer, product].map((line) => JSON.stringify(line)).join("\n"));
  expect((await serving("--catalog", catalog)).stderr).toContain("SHELFCHECK_CATEGORIES=shoes\n");
});

test("says which organization a key is of, and warns of an address that others can reach", async () => {
  const usual = await serving();
  expect(usual.stderr).toContain('"First organization"');
  expect(usual.stderr).not.toContain("Warning");
  const open = await serving("--host", "0.0.0.0");
  expect(JSON.parse(open.stdout).base_url).toMatch(/^http:\/\/0\.0\.0\.0:/);
  expect(open.stderr).toContain("Warning: other machines can reach this service.");
});

test("an address or port that cannot be opened is named with the fix", async () => {
  await using taken = await startServer((_request, response) => response.end());
  const { port } = new URL(taken.baseUrl);
  // Not stopped: after that, any error counts as its consequence.
  const refused = (...flags: string[]) => runHere(["serve", ...flags], { cwd: tmpdir() });
  const inUse = await refused("--port", port);
  expect(inUse).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("The port is in use: --port") });
  const foreign = await refused("--host", "192.0.2.1");
  expect(foreign).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("--host 192.0.2.1") });
});
