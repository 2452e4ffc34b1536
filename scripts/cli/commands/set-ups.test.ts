import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand, runHere } from "../../../test/support/command.ts";
import { k6Script } from "../../../test/support/k6/fake-machine.ts";
import { serve as startServer } from "../../../test/support/server.ts";
import { openWorkspace, stackTrace } from "../../../test/support/workspace.ts";
import { releases } from "../../load/k6/install.ts";

// What `doctor` says of a wrong set-up, and what `gate` does with it, must have the same cause and the same exit code:
// after `ready`, nothing that doctor could have seen may end the next command. Both read settings first, in the same way:
// what is refused there is tested in scripts/config. Targets that do not respond as they should: test/acceptance.

const { cwd, shared, run } = await openWorkspace();
const page = await startServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Welcome");
});
const elsewhere = await startServer((_request, response) => {
  response.writeHead(301, { location: "https://catalog.example/v1/retailers" }).end();
});
/** It is asked for its version, and none of these set-ups gets as far as load. */
const k6 = join(cwd, "k6");
await writeFile(k6, `#!/bin/sh\n${k6Script(releases[0].version)}\n`, { mode: 0o755 });
afterAll(async () => {
  for (const server of [page, elsewhere]) await server[Symbol.asyncDispose]();
});

const { base_url: good, keys } = shared.ready;
const url = (baseUrl: string) => ({ SHELFCHECK_BASE_URL: baseUrl });
const key = (value: string | undefined) => ({ SHELFCHECK_API_KEY: value });

interface SetUp {
  /** Changes of the environment of a right set-up. */
  readonly env?: NodeJS.ProcessEnv;
  readonly flags?: readonly string[];
  /** Source of `shelfcheck.config.mjs`. */
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly exit: 2 | 3;
  /** The cause, as both commands tell it. */
  readonly says: string | RegExp;
}

const setUps: Readonly<Record<string, SetUp>> = {
  "no key": { env: key(undefined), exit: 2, says: "SHELFCHECK_API_KEY" },
  "an unknown key": { env: key("not-a-key-of-it"), exit: 3, says: "rejected with 401" },
  "keys of the two organizations exchanged": {
    env: { SHELFCHECK_SAME_ORG_API_KEY: keys.other_org, SHELFCHECK_OTHER_ORG_API_KEY: keys.same_org },
    exit: 2,
    says: /SHELFCHECK_SAME_ORG_API_KEY.*SHELFCHECK_OTHER_ORG_API_KEY/s,
  },
  "a wrong path": {
    env: url(good.replace("/v1", "/api/v1")),
    exit: 3,
    says: "nothing is at this path",
  },
  "https where http is spoken": { env: url(good.replace("http", "https")), exit: 3, says: /TLS|https/ },
  "a web site": { env: url(page.baseUrl), exit: 3, says: /orrect the base URL/ },
  "a redirect": { env: url(elsewhere.baseUrl), exit: 3, says: "https://catalog.example/v1/retailers" },
  "a name that does not exist": {
    env: { ...url("http://catalog.invalid/v1"), SHELFCHECK_ALLOW_LOAD: "catalog.invalid" },
    exit: 3,
    says: "catalog.invalid",
  },
  "the built-in service with an address": {
    flags: ["--target", "embedded", "--base-url", good],
    exit: 2,
    says: "cannot be combined with a base URL",
  },
  "a scenario of the gate without the key that it needs": {
    config: `export default { gate: { scenarios: ["tenants"] } };`,
    env: { SHELFCHECK_OTHER_ORG_API_KEY: undefined },
    exit: 2,
    says: "needs keys of two organizations",
  },
  "a folder of reports that is a file": {
    config: `export default { out: "taken/reports" };`,
    files: { taken: "" },
    exit: 3,
    says: "taken",
  },
  "a k6 that is not there": { env: { K6_BIN: "/no/such/k6" }, exit: 2, says: "/no/such/k6" },
  "an option of k6 in the environment": { env: { K6_ITERATIONS: "5" }, exit: 2, says: "K6_ITERATIONS" },
};

const rows = Object.entries(setUps);
test.concurrent.for(rows)("doctor and gate say the same of %s", async ([name, setUp], { expect }) => {
  const { env, flags = [], config, files = {}, exit, says } = setUp;
  const folder = join(cwd, name.replaceAll(/\W/g, "-"));
  await mkdir(folder);
  const all = { ...(config === undefined ? {} : { "shelfcheck.config.mjs": config }), ...files };
  for (const [path, text] of Object.entries(all)) await writeFile(join(folder, path), text);
  const options = { cwd: folder, env: { ...shared.env, K6_BIN: k6, ...env } };
  for (const command of ["doctor", "gate"]) {
    const { exitCode, stdout, stderr } = await runHere([command, ...flags], options);
    const said = (stdout + stderr).replaceAll(/\s+/g, " ");
    expect.soft(exitCode, said).toBe(exit);
    expect.soft(said).toMatch(says);
    expect.soft(stdout + stderr).not.toMatch(stackTrace);
  }
});

// Node looks for the file before we start, wherever the flag stands, so only a process of its own shows what happens.
test.concurrent("a file of variables that is not there ends the command with Node's own words", async () => {
  const { exitCode, stderr } = await runCommand(["gate", "--env-file", "no.env"], { cwd });
  expect(exitCode, stderr).toBe(9);
  expect(stderr).toContain("no.env: not found");
});

test.concurrent("a file of variables is used, and the environment wins", async () => {
  const file = join(cwd, "keys.env");
  await writeFile(file, `SHELFCHECK_API_KEY="${keys.primary}"\nSHELFCHECK_BASE_URL=https://example.com\n`);
  const env = { ...shared.env, ...key(undefined) };
  const { exitCode, stdout } = await runCommand(["doctor", "--env-file", file], { cwd, env });
  expect(exitCode, stdout).toBe(0);
});

test.concurrent("a right set-up is ready", async () => {
  const doctor = await run(["doctor"], shared.env);
  expect(doctor.exitCode, doctor.stdout).toBe(0);
  expect(doctor.stdout).toMatch(/^Ready: a run can start\.$/m);
});

test.concurrent("without a second key a run can start, and is incomplete", async () => {
  const { exitCode, stdout } = await run(["doctor"], {
    ...shared.env,
    SHELFCHECK_SAME_ORG_API_KEY: undefined,
  });
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toContain("Set SHELFCHECK_SAME_ORG_API_KEY.");
  expect(stdout).toMatch(/^Ready: .* incomplete \(exit 4\)\.$/m);
});
