import { describe, expect, test } from "vitest";
import type { Baseline } from "../../../schemas/contracts/baseline.ts";
import type { CheckResult, Results } from "../../../schemas/contracts/results.ts";
import type { Waiver } from "../../../schemas/contracts/waivers.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
} from "../../../test/support/samples/example.ts";
import { sampleExchange } from "../../../test/support/samples/sample.ts";
import type { EarlierRun } from "../read-run.ts";
import { type Acceptable, acceptableRuns, planAcceptance } from "./accept.ts";

const terms = { owner: "amy", ticket: "T-1", expires: "2026-12-31", reason: "known" };
const now = new Date("2026-11-21T12:00:00Z");
const shape = "errors.shape/every-response";

function checkOf(id: string, change: Partial<CheckResult>): CheckResult {
  return exampleCheck({ id, title: "Title", ...change });
}

function runOf(checks: readonly CheckResult[], change: Partial<Results> = {}): EarlierRun {
  const requirements = [...Map.groupBy(checks, ({ id }) => id.split("/")[0] ?? "")].map(([id, own]) =>
    exampleRequirement({ id, level: "must", checks: own }),
  );
  const results = exampleResults({ requirements, ...change });
  return { name: `run-${results.startedAt}`, path: `/reports/${results.startedAt}`, results };
}

function plan(run: EarlierRun, change: Partial<Acceptable> = {}) {
  return planAcceptance({
    runs: [run],
    waivers: [],
    recorded: undefined,
    terms,
    notJudged: false,
    now,
    today: "2026-11-21",
    ...change,
  });
}

function listed(change: Partial<Waiver>) {
  const waiver = { id: shape, reason: "r", owner: "o", ticket: "t", expires: "2026-12-31", ...change };
  return { waiver, where: "waivers.yaml, line 2" };
}

const emptyLoad = exampleLoad({ scenario: "rate-limit" });

const mistake = (...texts: readonly string[]) =>
  expect.objectContaining({
    exitCode: 2,
    message: expect.toSatisfy((message: string) => texts.every((text) => message.includes(text))),
  });

const failing = runOf([checkOf(shape, { verdict: "fail" }), checkOf("limits.rate/burst", {})]);

test("--only waives one failure", () => {
  const both = runOf([
    checkOf(shape, { verdict: "fail" }),
    checkOf("limits.rate/burst", { verdict: "fail" }),
  ]);
  const { added } = plan(both, { ids: ["errors.shape"] });
  expect(added.map(({ id }) => id)).toEqual([shape]);
  expect(() => plan(both, { ids: ["errors.shap"] })).toThrow(mistake("--only errors.shap", shape));
});

test("a failure with an error that ends is waived as intermittent", () => {
  const evidence = [sampleExchange({ status: 503 })];
  const { added } = plan(runOf([checkOf(shape, { verdict: "fail", evidence })]));
  expect(added).toMatchObject([{ id: shape, flaky: true }]);
});

describe("what is recorded", () => {
  test("the contract, the failures and the date of the run", () => {
    expect(plan(failing).baseline).toMatchObject({
      schemaVersion: 5,
      target: "staging",
      since: "2026-11-21T08:00:00.000Z",
      recordedAt: now.toISOString(),
      failing: [shape],
      contract: { retailers: ["acme"], keyFingerprint: "0123456789ab" },
    });
  });

  test("a waiver for each failure, for this target only, with the given terms", () => {
    expect(plan(failing).added).toEqual([{ id: shape, ...terms, targets: ["staging"] }]);
  });

  test("an intermittent failure gets a flaky waiver", () => {
    const { added } = plan(runOf([checkOf(shape, { verdict: "fail", attempts: { failed: 2, total: 5 } })]));
    expect(added).toMatchObject([{ id: shape, flaky: true }]);
  });

  test.each<[string, Partial<Waiver>, added: number]>([
    ["by the check", {}, 0],
    ["by its requirement", { id: "errors.shape" }, 0],
    ["for this target", { targets: ["staging"] }, 0],
    ["for another target", { targets: ["live"] }, 1],
  ])("no second waiver for a waived failure: %s", (_name, waiver, added) => {
    expect(plan(failing, { waivers: [listed(waiver)] }).added).toHaveLength(added);
  });

  test("a new waiver for a failure whose waiver has been removed", () => {
    const { waiver } = listed({});
    expect(plan(runOf([checkOf(shape, { verdict: "warn", waiver })])).added).toHaveLength(1);
  });

  test("checks that were not judged are listed, and waived with --not-judged", () => {
    const run = runOf([checkOf(shape, { verdict: "inconclusive" })]);
    expect(plan(run)).toMatchObject({ added: [], notJudged: [shape] });
    expect(plan(run, { notJudged: true })).toMatchObject({ added: [{ id: shape }], notJudged: [] });
  });

  test("the contract comes from the newest run that judged requirements", () => {
    const older = runOf([checkOf(shape, { verdict: "fail" })], { startedAt: "2026-11-01T00:00:00.000Z" });
    const load = runOf([], { command: "load", startedAt: "2026-11-30T00:00:00.000Z" });
    const newer = runOf([checkOf(shape, {})], { startedAt: "2026-11-02T00:00:00.000Z" });
    const { baseline, run } = plan(older, { runs: [older, load, newer] });
    expect({ since: baseline.since, run }).toEqual({ since: "2026-11-02T00:00:00.000Z", run: newer.name });
  });

  test("changes since the last acceptance are listed", () => {
    const recorded = plan(failing).baseline;
    const { discovered } = exampleResults();
    const moved = runOf([checkOf(shape, {})], { discovered: { ...discovered, retailers: ["bolt"] } });
    const { changes, baseline } = plan(moved, { recorded });
    expect(changes.map(({ rule }) => rule)).toEqual(["retailer.vanished", "retailer.appeared"]);
    expect(baseline.contract.retailers).toEqual(["bolt"]);
  });

  test("stale waivers are listed, not removed", () => {
    const run = runOf([checkOf(shape, {})]);
    const waivers = [listed({})];
    expect(plan(run, { waivers })).toMatchObject({ stale: waivers, added: [] });
  });

  test("a load run adds to a recorded contract, and cannot be accepted alone", () => {
    const load = runOf([], { command: "load", requirements: [] });
    expect(() => plan(load)).toThrow(mistake("Also name a run of gate or conformance"));
    const recorded: Baseline = plan(failing).baseline;
    const again = plan(load, { recorded });
    expect(again.baseline).toEqual(recorded);
    expect(again.run).toBeUndefined();
  });
});

test("thresholds crossed in a gate are waived by scenario and metric", () => {
  const crossed = (metric: string) =>
    exampleThreshold({ metric, crossing: "invalid-responses", request: "batch", met: false });
  const thresholds = [crossed("invalid_responses{name:batch}"), crossed("http_req_failed{name:batch}")];
  const load = [{ ...emptyLoad, scenario: "batch", verdict: "fail" as const, thresholds }];
  const gate = runOf([checkOf(shape, {})], { load });
  const ids = ["load.batch/invalid_responses{name:batch}", "load.batch/http_req_failed{name:batch}"];
  const { added } = plan(gate);
  expect(added.map(({ id, flaky = false }) => [id, flaky])).toEqual([
    [ids[0], false],
    [ids[1], true],
  ]);
  expect(plan(gate, { waivers: added.map((waiver) => listed(waiver)) }).added).toEqual([]);
  expect(() => plan(gate, { terms: {} })).toThrow(mistake(`${ids[0]}: Batch lookup, invalid responses`));
  const expired = [listed({ id: ids[0] ?? "", expires: "2026-01-31" })];
  expect(() => plan(gate, { waivers: expired })).toThrow(mistake("expired"));
});

test("a threshold that was not judged needs no waiver", () => {
  const threshold = exampleThreshold({ met: false, notJudged: { samples: 30, needed: 300 } });
  const load = [{ ...emptyLoad, thresholds: [threshold] }];
  expect(plan(runOf([checkOf(shape, {})], { load }), { terms: {} }).added).toEqual([]);
});

test("the rate limit from a probe is kept until the next probe", () => {
  const probe = (perSecond: number, startedAt: string) => {
    const limit = { perSecond, low: perSecond, high: perSecond, burst: 1 } as const;
    const load = [{ ...emptyLoad, rateLimit: { mode: "probe", limit } as const }];
    return runOf([], { command: "load", requirements: [], startedAt, load });
  };
  const first = plan(failing, { runs: [failing, probe(40, "2026-11-21T09:00:00.000Z")] }).baseline;
  expect(first.contract.limit).toEqual({ perSecond: 40, low: 40, high: 40 });
  expect(plan(failing, { recorded: first }).baseline.contract.limit?.perSecond).toBe(40);
  const later = probe(20, "2026-11-22T09:00:00.000Z");
  expect(plan(later, { recorded: first }).baseline).toMatchObject({
    since: first.since,
    contract: { retailers: ["acme"], limit: { perSecond: 20 } },
  });
});

describe("what is rejected", () => {
  test.each(["owner", "ticket", "expires", "reason"] as const)("failures without %s", (part) => {
    const { [part]: _gone, ...partly } = terms;
    expect(() => plan(failing, { terms: partly })).toThrow(
      mistake("1 failure has no waiver", `--${part} is missing.`, `${shape}: Title`),
    );
  });

  test("a failure whose waiver has expired, which must be renewed by hand", () => {
    const waivers = [listed({ id: "errors.shape", expires: "2026-11-20" })];
    expect(() => plan(failing, { waivers })).toThrow(
      "1 waiver has expired, and what it waives still fails: errors.shape (waivers.yaml, line 2",
    );
  });

  test.each<[string, Partial<Results>, expected: string]>([
    [
      "one that ended in an error",
      { verdict: "error", exitCode: 3, problem: { what: "Gone", where: "w", fix: "m" } },
      "did not finish: run-2026-11-21T08:00:00.000Z: Gone",
    ],
    ["one that was interrupted", { verdict: "incomplete", exitCode: 130 }, "The run was interrupted"],
    [
      "one that failed and then ended early",
      { verdict: "violations", exitCode: 1, problem: { what: "Gone", where: "w", fix: "m" } },
      "did not finish",
    ],
  ])("runs: %s", (_name, change, expected) => {
    expect(() => acceptableRuns([runOf([], change)])).toThrow(mistake(expected));
  });

  test("runs of different targets", () => {
    const other = runOf([], { target: { ...exampleResults().target, name: "live" } });
    expect(() => acceptableRuns([failing, other])).toThrow(mistake("of staging, "));
  });
});

test("one run under two names counts once", () => {
  expect(acceptableRuns([failing, { ...failing, name: "latest" }])).toEqual([failing]);
});
