import { join } from "node:path";
import { expect, test } from "vitest";
import { k6Script, openFakeMachine } from "../../../test/support/k6/fake-machine.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import { findK6, resolveK6 } from "./resolve.ts";

const accepted = "2.2.0 or a later 2.x, or 1.8.1 or a later 1.x";
const offline = { SHELFCHECK_K6_OFFLINE: "1" };

test("K6_BIN comes before PATH, and PATH before the cache, without output", async () => {
  await using machine = await openFakeMachine();
  const named = await machine.script(join(machine.home, "named", "k6"), k6Script("1.9.0"));
  const onPath = await machine.script(join(machine.bin, "k6"), k6Script("1.8.2"));
  await machine.script(machine.cachedBinary, k6Script("1.8.1"));

  expect(await resolveK6(machine.options({ env: { K6_BIN: named } }))).toEqual({
    path: named,
    version: "1.9.0",
    source: "K6_BIN",
  });
  // An empty variable counts as not set.
  expect(await resolveK6(machine.options({ env: { K6_BIN: "" } }))).toEqual({
    path: onPath,
    version: "1.8.2",
    source: "PATH",
  });
  expect(await resolveK6(machine.options({ env: { PATH: "" } }))).toEqual({
    path: machine.cachedBinary,
    version: "2.3.0",
    source: "cache",
  });
  expect(machine.lines).toEqual([]);
});

test("an unsupported k6 on PATH is skipped", async () => {
  await using machine = await openFakeMachine();
  const old = await machine.script(join(machine.bin, "k6"), k6Script("0.57.0"));
  const later = await machine.script(join(machine.home, "later", "k6"), k6Script("1.8.1"));
  const env = { PATH: ["relative", machine.bin, join(machine.home, "later")].join(":") };
  const { found, tried } = await findK6(machine.options({ env }));
  expect(found).toEqual({ path: later, version: "1.8.1", source: "PATH" });
  expect(tried).toContain(`PATH: ${old} is version 0.57.0; required is ${accepted}`);
});

test.each([
  ["that does not exist", undefined, "does not start (no such file or directory)"],
  ["of an old version", k6Script("1.2.3"), `is version 1.2.3; required is ${accepted}`],
  ["that fails", "exit 7", "fails to print its version (exit code 7)"],
  ["that is killed", "kill -9 $$", "fails to print its version (signal SIGKILL)"],
  ["that is another program", "echo v26.10.0", "does not print a version as k6 does"],
])("K6_BIN %s is a usage error, even with another k6 on PATH", async (_title, body, outcome) => {
  await using machine = await openFakeMachine();
  await machine.script(join(machine.bin, "k6"), k6Script("1.8.1"));
  const named = join(machine.home, "named-k6");
  if (body !== undefined) await machine.script(named, body);
  const error = await resolveK6(machine.options({ env: { K6_BIN: named } })).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.where).toContain(`${named} ${outcome}`);
  expect(error.message).toContain("K6_BIN");
  expect(error.fix).toContain("unset it");
});

test("offline without k6: an error with all attempts and fixes", async () => {
  await using machine = await openFakeMachine();
  const error = await resolveK6(machine.options({ env: offline })).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(CannotRunError);
  expect(error.where).toBe(
    `K6_BIN: not set; PATH: no k6 there; cache: none in ${machine.cacheFolder}; ` +
      "release: skipped, as SHELFCHECK_K6_OFFLINE is set",
  );
  expect(error.fix).toMatch(/Set K6_BIN .* install it on PATH; .* download .* install Go/);
  expect(await machine.cached()).toEqual([]);
});

test("an aborted signal ends the search with its reason", async () => {
  await using machine = await openFakeMachine();
  await machine.script(join(machine.bin, "k6"), k6Script("1.8.1"));
  const reason = new Error("interrupted");
  await expect(resolveK6(machine.options({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
});
