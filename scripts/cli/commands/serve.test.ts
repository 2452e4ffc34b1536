import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runHere } from "../../../test/support/command.ts";
import { serve as startServer } from "../../../test/support/server.ts";

const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-serve-"));
afterAll(() => rm(cwd, { recursive: true }));

/** Starts `serve`, calls `work` with the line that it prints, and stops it. */
async function serving(
  flags: readonly string[],
  work: (ready: { base_url: string; keys?: Record<string, string> }) => Promise<void> = async () => {},
) {
  const stop = new AbortController();
  let working = Promise.resolve();
  const finished = await runHere(["serve", "--products", "10", ...flags], {
    cwd,
    signal: stop.signal,
    onLine: (stdout) => {
      working = work(JSON.parse(stdout)).finally(() => stop.abort());
    },
  });
  await working;
  return finished;
}

test("the same seed gives the same keys; without one they are new", async () => {
  const keysOf = async (...flags: string[]) => JSON.parse((await serving(flags)).stdout).keys;
  expect(await keysOf("--seed", "7")).toEqual(await keysOf("--seed", "7"));
  expect(await keysOf("--seed", "7")).not.toEqual(await keysOf("--seed", "8"));
  expect(await keysOf()).not.toEqual(await keysOf());
});

test("says which organization a key is of, and warns of an address that others can reach", async () => {
  const usual = await serving([]);
  expect(usual.stderr).toContain('"First organization"');
  expect(usual.stderr).not.toContain("Warning");
  const open = await serving(["--host", "0.0.0.0"], async ({ base_url }) => {
    expect(base_url).toMatch(/^http:\/\/0\.0\.0\.0:/);
  });
  expect(open.stderr).toContain("Warning: other machines can reach this service.");
});

test("an address or port that cannot be opened is named with the fix", async () => {
  await using taken = await startServer((_request, response) => response.end());
  const { port } = new URL(taken.baseUrl);
  const inUse = await serving(["--port", port]);
  expect(inUse).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("The port is in use") });
  const foreign = await serving(["--host", "192.0.2.1"]);
  expect(foreign).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("--host 192.0.2.1") });
});
