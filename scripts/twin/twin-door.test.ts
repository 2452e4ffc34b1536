import { expect, test } from "vitest";
import type { Cause } from "../../schemas/contracts/verdicts.ts";
import { finishedRun } from "../../test/support/finished-run.ts";
import { judgedResults } from "../../test/support/samples/example.ts";
import { testFaces } from "../../test/support/samples/faces.ts";
import { recordedRun } from "../../test/support/samples/runs.ts";
import { reportOf } from "../core/added.ts";
import { intervalText, latencyText, twinSuites } from "./twin-door.ts";
import type { TwinResult } from "./twin-result.ts";

testFaces("twin", reportOf(recordedRun("twin"), "2026-11-21T08-00-00-000Z-twin-abcdef"));

test("explain lists what a run found", async () => {
  await using finished = await finishedRun(recordedRun("twin"));
  const { stdout } = await finished.run(["explain", "latest"]);
  expect(stdout).toMatch(/^failed +twin\.lookup-by-id\.missing\/title$/m);
  expect(stdout).toMatch(/^failed +twin\.unknown-item\.status\/404-400$/m);
});

test("a run that was not judged names one longer duration", () => {
  const run = recordedRun("twin");
  const environment = { host: "", node: "", commandLine: "shelfcheck twin --duration 20s --against old" };
  const found = run.parts?.twin;
  const twin = found && { ...found, outcome: "inconclusive" as const, longestSeconds: 20 };
  const results = { ...run, environment, parts: { twin }, cause: "twin-not-judged" as const };
  const { next } = reportOf(results).headline;
  expect(next).toBe("npx shelfcheck twin --against old --duration 60s");
});

test.each<[string, Partial<TwinResult>, Cause]>([
  ["two deployments that are the same", { outcome: "same", latency: [] }, "none"],
  ["another response", { outcome: "different" }, "responses-differ"],
  ["a slower kind of request", { outcome: "slower" }, "latency-slower"],
  ["latency that was not judged", { outcome: "inconclusive", latency: [] }, "twin-not-judged"],
])("%s decides a run: %s", (_name, change, cause) => {
  const { cause: _cause, ...run } = recordedRun("twin");
  const found = run.parts?.twin;
  const twin = found && { ...found, ...change };
  expect(judgedResults({ ...run, parts: { twin } }).cause).toBe(cause);
});

const measured = { request: "batch", outcome: "same", pairs: 100, old: 1, new: 1 } as const;

test.each([
  [{ change: 0.12, low: 0.081, high: 0.15 }, "+12 % (+8.1 % to +15 %), no difference that counts was found"],
  [{ outcome: "inconclusive" }, "not known, not judged (too few pairs)"],
  [{ outcome: "inconclusive", high: 1.5 }, "not known, not judged (the interval is too wide)"],
] as const)("the line of %j", (latency, text) => {
  const line = { ...measured, ...latency };
  expect(`${intervalText(line)}, ${latencyText(line)}`).toBe(text);
});

test.each([
  ["production", "`staging` compared with `production` at `https://old.example/v1`"],
  ["staging", "`https://catalog.example/v1` compared with `https://old.example/v1`"],
])("the names of %s and staging", (name, names) => {
  const { parts: { twin } = {}, target } = recordedRun("twin");
  const old = { name, baseUrl: "https://old.example/v1" };
  const [suite] = twinSuites({ parts: { twin: twin && { ...twin, old } }, target });
  expect(suite?.summary).toContain(`${names} in `);
});
