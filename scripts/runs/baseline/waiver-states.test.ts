import { describe, expect, test } from "vitest";
import type { CheckId } from "../../../conformance/requirements/all.ts";
import type { Listed } from "../../../conformance/suite/all.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { CheckResult } from "../../../schemas/contracts/results.ts";
import type { Waiver } from "../../../schemas/contracts/waivers.ts";
import { waiverFix } from "../../../schemas/words/waiver.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleThreshold,
} from "../../../test/support/samples/example.ts";
import { inForce, isDay, varies, waivedThreshold, waiverStates, waiversOf } from "./waiver-states.ts";

const today = "2026-11-21";
const usual: Waiver = { id: "errors.shape", reason: "r", owner: "amy", ticket: "t", expires: today };
const check = (id: CheckId): Listed => ({
  id,
  requirement: "errors.shape",
  title: id,
  section: "errors",
  heading: "Errors",
  requests: 1,
});
const checks = [check("errors.shape/a"), check("errors.shape/b")];

type Judged = Partial<CheckResult> & Pick<CheckResult, "verdict">;

/** State of a waiver in a run that judged the checks a and b; undefined for a check that was not judged. */
function stateOf(waiver: Partial<Waiver>, ...judged: readonly (Judged | undefined)[]) {
  const results = judged.flatMap((one, index) =>
    one === undefined ? [] : [exampleCheck({ id: checks[index]?.id ?? "", ...one })],
  );
  const listed = [{ waiver: { ...usual, ...waiver }, where: "waivers.yaml, line 2" }];
  const requirements = [exampleRequirement({ id: "errors.shape", checks: results })];
  return waiverStates({ listed, today }, { requirements, load: [] }, checks)[0];
}

const pass: Judged = { verdict: "pass" };
const waived: Judged = { verdict: "warn", waiver: usual };

describe("a waiver of a requirement", () => {
  test.each<[string, state: string, ...(Judged | undefined)[]]>([
    ["waives one of its checks", "active", pass, waived],
    ["was judged completely and passes", "stale", pass, pass],
    ["was judged completely, and a check does not apply", "stale", pass, { verdict: "notApplicable" }],
    ["was judged completely, with a warning but no waiver", "stale", pass, { verdict: "warn" }],
    ["was judged partly", "unused", pass, undefined],
    ["was not judged", "unused", undefined, undefined],
    ["does not apply", "unused", { verdict: "notApplicable" }, { verdict: "notApplicable" }],
    ["was partly not judged, because the run was interrupted", "unused", pass, { verdict: "inconclusive" }],
    ["has a check that ended in an error", "unused", pass, { verdict: "error" }],
    [
      "has a failure that did not occur again",
      "unused",
      pass,
      { verdict: "warn", attempts: { failed: 1, total: 5 } },
    ],
  ])("%s: %s", (_name, state, ...judged) => {
    expect(stateOf({}, ...judged)?.state).toBe(state);
  });
});

describe("a waiver", () => {
  test("of a check depends on that check only", () => {
    expect(stateOf({ id: "errors.shape/a" }, pass, { verdict: "fail" })?.state).toBe("stale");
    expect(stateOf({ id: "errors.shape/a" }, undefined, pass)?.state).toBe("unused");
  });

  test("that is stale or expired states its place and fix", () => {
    const [stale, expired] = [stateOf({}, pass, pass), stateOf({ expires: "2026-11-20" }, pass, pass)];
    expect([stale?.state, expired?.state]).toEqual(["stale", "expired"]);
    expect(stale && waiverFix(stale)).toBe("Fixed. Remove this waiver: waivers.yaml, line 2.");
    expect(expired && waiverFix(expired)).toMatch(
      /^Expired on 2026-11-20\..*with amy: waivers.yaml, line 2\.$/,
    );
  });

  test("of an intermittent failure is never stale", () => {
    expect(stateOf({ flaky: true }, pass, pass)?.state).toBe("unused");
  });

  test("is active on its last day, and expired the day after", () => {
    expect(stateOf({ expires: today }, waived, pass)?.state).toBe("active");
    expect(stateOf({ expires: "2026-11-20" }, undefined, undefined)?.state).toBe("expired");
    const listed = ["2026-11-20", today].map((expires) => ({ waiver: { ...usual, expires }, where: "" }));
    expect(inForce({ listed, today }).map(({ waiver }) => waiver.expires)).toEqual([today]);
  });

  test("applies to the targets that it names, or to all", () => {
    const listed = [{}, { targets: ["staging"] }, { targets: ["live"] }].map((change) => ({
      waiver: { ...usual, ...change },
      where: "",
    }));
    expect(waiversOf("staging", listed).map(({ waiver }) => waiver.targets)).toEqual([
      undefined,
      ["staging"],
    ]);
  });
});

const invalid = "invalid_responses{name:lookup-by-id}";
const slow = "http_req_duration{name:lookup-by-id,status:200}";
const waiverOf = (metric: string, change: Partial<Waiver> = {}): Waiver => ({
  id: `load.lookup/${metric}`,
  reason: "r",
  owner: "o",
  ticket: "T-1",
  expires: "2999-12-31",
  ...change,
});

/** A lookup run that met or crossed its limit for invalid responses. */
const run = (isMet: boolean, change: Partial<LoadResult> = {}): LoadResult =>
  exampleLoad({
    verdict: isMet ? "pass" : "fail",
    thresholds: [exampleThreshold({ metric: invalid, crossing: "invalid-responses", met: isMet })],
    ...change,
  });

const met = exampleThreshold({ metric: invalid, crossing: "invalid-responses", met: true });
const notJudged = exampleThreshold({
  metric: invalid,
  crossing: "invalid-responses",
  met: false,
  notJudged: { samples: 4, needed: 300 },
});
const withFewSamples = { ...met, fewSamples: { samples: 40, needed: 300 } };
const searched = exampleThreshold({ metric: invalid, met: false, guards: "search" });
const otherCrossed = exampleThreshold({ metric: slow, crossing: "latency-over-limit", met: false });

test.each<[string, load: LoadResult[], change: Partial<Waiver>, state: string]>([
  ["crossed", [run(false)], {}, "active"],
  ["met", [run(true)], {}, "stale"],
  ["met, and marked as flaky", [run(true)], { flaky: true }, "unused"],
  ["in an invalid run", [run(true, { verdict: "invalid" })], {}, "unused"],
  ["of a scenario that did not run", [], {}, "unused"],
  ["met in one run of two", [run(true), run(false)], {}, "active"],
  ["crossed in another scenario", [run(false, { scenario: "batch" })], {}, "unused"],
  ["crossed by a search for the capacity", [run(false, { thresholds: [searched] })], {}, "unused"],
  ["without a limit in that run", [run(false, { thresholds: [] })], {}, "unused"],
  ["met, beside another crossed limit", [run(true, { thresholds: [met, otherCrossed] })], {}, "stale"],
  ["crossed with too few samples to judge", [run(true, { thresholds: [notJudged] })], {}, "unused"],
  [
    "met with too few samples to rule out chance",
    [run(true, { thresholds: [withFewSamples] })],
    {},
    "unused",
  ],
  [
    "met with few samples in one run, and with enough in another",
    [run(true), run(true, { thresholds: [withFewSamples] })],
    {},
    "unused",
  ],
  ["crossed, and marked as flaky", [run(false)], { flaky: true }, "active"],
  ["expired", [run(false)], { expires: "2026-01-31" }, "expired"],
])("the state of a waiver of a threshold: %s", (_name, load, change, state) => {
  const listed = [{ waiver: waiverOf(invalid, change), where: "waivers.yaml, line 2" }];
  const judged = { requirements: [], load };
  expect(waiverStates({ listed, today: "2026-11-21" }, judged, [])).toMatchObject([{ state }]);
});

test.each([
  [`load.lookup/${invalid}`, true],
  ["load.rate-limit/refusals_malformed", true],
  ["load.lookup", false],
  ["load.lookup/dropped_iterations", false],
  ["load.constructor/invalid_responses", false],
  ["errors.shape/every-response", false],
  [`xload.lookup/${invalid}`, false],
])("%s names a threshold: %s", (id, names) => {
  expect(waivedThreshold(id) !== undefined).toBe(names);
});

test.each([
  ["2026-12-31", true],
  ["2024-02-29", true],
  ["2026-02-29", false],
  ["2026-13-01", false],
  ["2026-1-01", false],
  ["2026-01-01T00", false],
  ["tomorrow", false],
])("%s is a day: %s", (text, expected) => {
  expect(isDay(text)).toBe(expected);
});

test("latency and failed requests vary between runs, invalid responses do not", () => {
  expect([slow, "http_req_failed{name:batch}", invalid].map(varies)).toEqual([true, true, false]);
});
