import { describe, expect, test } from "vitest";
import type { LoadResult, Waiver } from "../../../schemas/types.ts";
import { comesAndGoes, waivedThreshold, waiveThresholds } from "./load-waivers.ts";
import { waiverStates } from "./waiver-states.ts";

const invalid = "answers_invalid{name:lookup-by-id}";
const slow = "http_req_duration{name:lookup-by-id,status:200}";
const waiverOf = (metric: string, change: Partial<Waiver> = {}): Waiver => ({
  id: `load.lookup/${metric}`,
  reason: "r",
  owner: "o",
  ticket: "T-1",
  expires: "2999-12-31",
  ...change,
});

/** A lookup run in which these metrics were crossed; `dropped_iterations` guards the run itself. */
function runWith(verdict: LoadResult["verdict"], ...crossed: readonly string[]): LoadResult {
  const metrics = [invalid, slow, "dropped_iterations"];
  return {
    scenario: "lookup",
    profile: "smoke",
    verdict,
    reasons: crossed.map((metric) => `${metric} crossed rate<=0: it was 1`),
    thresholds: metrics.map((metric) => ({
      metric,
      expression: "rate<=0",
      held: !crossed.includes(metric),
      guards: metric === "dropped_iterations" ? "run" : "target",
    })),
    metrics: {},
    retryAfter: { refused: 0, withRetryAfter: 0 },
    validated: { answers: 0, invalid: 0 },
  };
}

describe("a crossed threshold under a waiver", () => {
  const both = [waiverOf(invalid), waiverOf(slow)];
  test.each<[string, LoadResult, readonly Waiver[], LoadResult["verdict"], reasons: number]>([
    ["is no failure", runWith("broken", invalid), [waiverOf(invalid)], "pass", 0],
    ["leaves another one a failure", runWith("broken", invalid, slow), [waiverOf(invalid)], "broken", 1],
    ["and another under a waiver too are none", runWith("broken", invalid, slow), both, "pass", 0],
    [
      "of another scenario stays",
      runWith("broken", invalid),
      [{ ...waiverOf(invalid), id: `load.paging/${invalid}` }],
      "broken",
      1,
    ],
    [
      "does not make a run that measured too little good",
      runWith("broken", invalid, "dropped_iterations"),
      both,
      "invalid",
      1,
    ],
    ["leaves an invalid run invalid", runWith("invalid", "dropped_iterations", slow), both, "invalid", 1],
    ["was not crossed", runWith("pass"), both, "pass", 0],
  ])("%s", (_name, run, waivers, verdict, reasons) => {
    const [result] = waiveThresholds([run], waivers);
    expect(result).toMatchObject({ verdict });
    expect(result?.reasons).toHaveLength(reasons);
  });

  test("shows the waiver, and what was crossed as a note", () => {
    const [result] = waiveThresholds([runWith("broken", invalid)], [waiverOf(invalid)]);
    expect(result?.notes).toEqual([`waived: ${invalid} crossed rate<=0: it was 1`]);
    expect(result?.thresholds.map(({ waiver }) => waiver?.ticket)).toEqual(["T-1", undefined, undefined]);
  });
});

test.each<[string, load: LoadResult[], change: Partial<Waiver>, state: string]>([
  ["crossed", [runWith("broken", invalid)], {}, "active"],
  ["held", [runWith("pass")], {}, "stale"],
  ["held, and fails at times", [runWith("pass")], { flaky: true }, "unused"],
  ["of a run that measured nothing", [runWith("invalid")], {}, "unused"],
  ["of a scenario that did not run", [], {}, "unused"],
  ["expired", [runWith("broken", invalid)], { expires: "2026-01-31" }, "expired"],
])("the state of a waiver of a threshold: %s", (_name, load, change, state) => {
  const listed = [{ waiver: waiverOf(invalid, change), where: "waivers.yaml, line 2" }];
  const met = {
    requirements: [],
    load: waiveThresholds(
      load,
      listed.map(({ waiver }) => waiver),
    ),
  };
  expect(waiverStates({ listed, today: "2026-11-21" }, met, [])).toMatchObject([{ state }]);
});

test.each([
  [`load.lookup/${invalid}`, true],
  ["load.rate-limit/refusals_malformed", true],
  ["load.lookup", false],
  ["load.lookup/dropped_iterations", false],
  ["load.constructor/answers_invalid", false],
  ["errors.shape/every-answer", false],
])("%s names a threshold: %s", (id, names) => {
  expect(waivedThreshold(id) !== undefined).toBe(names);
});

test("latency and failed requests come and go, invalid answers do not", () => {
  expect([slow, "http_req_failed{name:batch}", invalid].map(comesAndGoes)).toEqual([true, true, false]);
});
