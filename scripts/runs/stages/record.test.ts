import { expect, test } from "vitest";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import { exampleCheck, exampleRequirement } from "../../../test/support/samples/example.ts";
import { stubTarget } from "../../../test/support/stub-client.ts";
import { assembleResults, emptyRun, type RunInfo } from "./record.ts";

const keys = { primary: "canary-key" };
const target = stubTarget("https://catalog.example/v1", { name: "staging", keys });

const info: RunInfo = {
  command: "gate",
  target,
  startedAt: new Date(0),
  finishedAt: new Date(1),
  builtIn: false,
  interrupted: false,
  environment: { host: "four cores", node: "26.10.0" },
  redaction: redactionFor(target),
};

test("counts requirements by verdict, and identifies the key only by its fingerprint", () => {
  const state = emptyRun();
  state.requirements = [exampleRequirement(), exampleRequirement({ verdict: "inconclusive" })];
  const results = assembleResults(info, state);
  expect(results.summary).toEqual({ pass: 1, fail: 0, warn: 0, inconclusive: 1, notApplicable: 0, error: 0 });
  expect(results).toMatchObject({ verdict: "incomplete", exitCode: 4 });
  expect(results.target.keyFingerprint).toMatch(/^[0-9a-f]{12}$/);
  expect(JSON.stringify(results)).not.toContain("canary-key");
});

test("the sentences of a finding are made when its keys are hidden", () => {
  const state = emptyRun();
  const findings = [
    { code: "retailer-not-listed" as const, subject: "canary-key" },
    { code: "no-same-org-key" as const },
  ];
  state.requirements = [exampleRequirement({ checks: [exampleCheck({ findings })] })];
  const [listed, key] = assembleResults(info, state).requirements[0]?.checks[0]?.findings ?? [];
  expect(listed?.message).toContain("$SHELFCHECK_API_KEY");
  expect(key?.fix).toContain("SHELFCHECK_SAME_ORG_API_KEY");
});

test("a run says that its results were not written, also one that was interrupted or had a problem", () => {
  const unwritten = { what: "No space left", where: "results.json", fix: "Free some space." };
  const problem = { what: "Not reachable", where: target.baseUrl, fix: "Start it." };
  const run = { ...info, interrupted: true };
  expect(assembleResults(run, emptyRun())).toMatchObject({ exitCode: 130, problem: undefined });
  expect(assembleResults(run, emptyRun(), unwritten).problem).toEqual(unwritten);
  const both = "Start it. No space left: results.json. Free some space.";
  expect(assembleResults(info, { ...emptyRun(), problem }, unwritten).problem?.fix).toBe(both);
});

test.each([
  ["gate", undefined, 1],
  ["conformance", undefined, 1],
  ["load", undefined, 0],
  ["gate", { requirements: 3, of: 90, checks: 7, ofChecks: 232 }, 0],
] as const)(
  "a whole run that does not probe the expected rate limit says so: %s, %j",
  (command, scope, count) => {
    const expecting = { ...target, expectedLimit: { perSecond: 50, burst: 100 } };
    const state = { ...emptyRun(), ...(scope && { scope }) };
    const results = assembleResults({ ...info, command, target: expecting }, state);
    expect(results.notices ?? []).toHaveLength(count);
  },
);
