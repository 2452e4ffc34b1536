import { describe, expect, test } from "vitest";
import type { CheckId } from "../../conformance/requirements/all.ts";
import type { Listed } from "../../conformance/suite/all.ts";
import type { Waiver } from "../../schemas/contracts/config.ts";
import type { CheckResult, Results } from "../../schemas/contracts/results.ts";
import { exampleCheck, exampleRequirement } from "../../test/support/samples/example.ts";
import { waiverFix } from "../report/model.ts";
import { inForce, waiverStates } from "./waivers.ts";

const now = new Date("2026-11-21T08:00:00Z");
const today = "2026-11-21";
const usual: Waiver = { id: "errors.shape", reason: "r", owner: "amy", ticket: "t", expires: today };
const check = (id: CheckId): Listed => ({
  id,
  requirement: "errors.shape",
  title: id,
  section: "errors",
  heading: "Errors",
  part: 0,
  requests: 0,
});
const checks = [check("errors.shape/a"), check("errors.shape/b")];

type Judged = Partial<CheckResult> & Pick<CheckResult, "verdict">;
type Part = Partial<Waiver & Pick<Results, "scope">>;

/** State of a waiver in a run that judged the checks a and b; undefined for a check that was not judged. */
function stateOf({ scope, ...waiver }: Part, ...judged: readonly (Judged | undefined)[]) {
  const results = judged.flatMap((one, index) =>
    one === undefined ? [] : [exampleCheck({ id: checks[index]?.id ?? "", ...one })],
  );
  const waivers = [{ ...usual, ...waiver }];
  const requirements = [exampleRequirement({ id: "errors.shape", checks: results })];
  return waiverStates({ waivers, file: "c.ts" }, now, { requirements, scope }, checks)[0];
}

const pass: Judged = { verdict: "pass" };
const once: Judged = { verdict: "warn", attempts: { failed: 1, total: 5 } };
const waived: Judged = { verdict: "warn", waiver: usual };

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
  ["has a failure that did not occur again", "unused", pass, once],
])("a waiver of a requirement: %s: %s", (_name, state, ...judged) => {
  expect(stateOf({}, ...judged)?.state).toBe(state);
});

describe("a waiver", () => {
  test("of a check depends on that check only", () => {
    expect(stateOf({ id: "errors.shape/a" }, pass, { verdict: "fail" })?.state).toBe("stale");
    expect(stateOf({ id: "errors.shape/a" }, undefined, pass)?.state).toBe("unused");
    expect(stateOf({ scope: { requirements: 1, of: 3, checks: 2, ofChecks: 9 } }, pass, pass)?.state).toBe(
      "unused",
    );
  });

  test("that is stale or expired states its place and fix", () => {
    const over = { expires: "2026-11-20" };
    const [stale, expired] = [stateOf(over, pass, pass), stateOf(over, pass, { verdict: "fail" })];
    expect([stale?.state, expired?.state]).toEqual(["stale", "expired"]);
    expect(stale && waiverFix(stale)).toContain("Remove this waiver: c.ts, waivers[0].");
    expect(expired && waiverFix(expired)).toMatch(
      /^It held until 2026-11-20\..*with amy: c\.ts, waivers\[0\]\.$/,
    );
  });

  test("is active on its last day, and expired the day after", () => {
    expect(stateOf({ expires: today }, waived, pass)?.state).toBe("active");
    expect(stateOf({ expires: "2026-11-20" }, undefined, undefined)?.state).toBe("expired");
    const waivers = ["2026-11-20", today].map((expires) => ({ ...usual, expires }));
    expect(inForce(waivers, now).map(({ expires }) => expires)).toEqual([today]);
  });
});
