import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { passOn, serve } from "../../test/support/server.ts";
import { refusal, startStubService } from "../../test/support/stub-service.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { bundleScenario } from "./bundle/bundle.ts";
import { resolveK6 } from "./k6/resolve.ts";

const key = "canary-key-77ab";
const { path: k6Path } = await resolveK6({ env: process.env, progress: () => undefined });
const folder = await temporaryFolder("plain");
const service = await startStubService();
await writeFile(join(folder, "fixtures.json"), JSON.stringify(sampleFixtures()));
const patience = { p95Milliseconds: 60_000, lagMilliseconds: 60_000, droppedShare: 1 };
const thresholds = { ...profiles.smoke.thresholds, ...patience };
const profile = { ...profiles.smoke, stages: constantRate(20, 1), virtualUsers: 20, thresholds };
await writeFile(join(folder, "profile.json"), JSON.stringify(profile));
for (const name of ["lookup", "batch"] as const) await bundleScenario(name, folder);
afterAll(() => service.stop());

/** Runs plain k6 with environment variables only. Returns its exit code and output. */
async function plain(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { PATH } = process.env;
  const target = { SHELFCHECK_BASE_URL: service.baseUrl, SHELFCHECK_API_KEY: key };
  const env = { PATH, HOME: folder, ...target, ...more };
  const { stdout, stderr, code } = await promisify(execFile)(k6Path, args, {
    cwd: folder,
    env,
    maxBuffer: 64e6,
  }).then(
    (ended) => ({ ...ended, code: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => failed,
  );
  return { code, output: stdout + stderr };
}

const run = (...more: string[]) => ["run", "--quiet", "--no-usage-report", ...more];

describe.concurrent("plain k6", () => {
  // scenarios/lib/settings.test.ts has the other mistakes.
  test("reports a missing key", async () => {
    const { code, output } = await plain(run("lookup.js"), { SHELFCHECK_API_KEY: "" });
    expect(output).toContain("SHELFCHECK_API_KEY is not set");
    expect(code).toBe(107);
  });

  test("exits with 99 when a threshold is crossed", async () => {
    const broken = await startStubService(({ path }) =>
      path === "/retailers" ? undefined : refusal(500, "internal_error"),
    );
    try {
      const { code, output } = await plain(run("batch.js"), { SHELFCHECK_BASE_URL: broken.baseUrl });
      expect(output).toContain("CROSSED");
      expect(code).toBe(99);
    } finally {
      await broken.stop();
    }
  });

  test("runs an archive of lookup: asks for no trace, and writes the key nowhere, even with all samples", async () => {
    const archive = join(folder, "lookup.tar");
    await plain(["archive", "lookup.js", "-O", archive, "-e", "SHELFCHECK_PROFILE=profile.json"]);
    const flags: string[] = [];
    await using traced = await serve((request, response) => {
      const { [traceparentHeader]: trace } = request.headers;
      // Only requests whose responses get the complete check have one.
      if (trace !== undefined && !request.url.endsWith("/retailers")) flags.push(String(trace).slice(-2));
      return passOn(request, response, new URL(service.baseUrl), {});
    });
    const { code, output } = await plain(
      run("--out", "json=samples.json", "--out", "csv=samples.csv", "-v", archive),
      { SHELFCHECK_SUMMARY: "summary.json", SHELFCHECK_BASE_URL: traced.baseUrl },
    );
    // The load would measure what a trace costs.
    expect(new Set(flags)).toEqual(new Set(["00"]));
    expect(output).toContain("lookup, profile profile.json: every threshold passed");
    expect(output).toMatch(/http_req_duration: med [\d.]+ ms, p\(95\) [\d.]+ ms, p\(99\)/);
    expect(code).toBe(0);
    expect(output).not.toContain(key);
    for (const file of await readdir(folder)) {
      expect((await readFile(join(folder, file))).includes(key), file).toBe(false);
    }
    const { stdout } = await promisify(execFile)("ps", ["-eo", "args"]);
    expect(stdout).not.toContain(key);
  });
});
