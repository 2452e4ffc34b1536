import { expect, test } from "vitest";
import type { WaiverResult } from "./config.ts";
import { causes, countByVerdict, type Judged, judge } from "./verdicts.ts";

const good: Judged = {
  command: "gate",
  requirements: [{ verdict: "pass", level: "must" }],
  load: [],
  interrupted: false,
};

/** Verdict and exit code by cause, unless the run was interrupted. */
const meanings: Readonly<Record<keyof typeof causes, readonly [verdict: string, exitCode: number]>> = {
  none: ["conformant", 0],
  partial: ["partial", 0],
  "requirement-failed": ["violations", 1],
  "load-failed": ["violations", 1],
  "waiver-expired": ["violations", 1],
  "waiver-stale": ["violations", 1],
  problem: ["error", 3],
  "nothing-run": ["error", 3],
  "check-error": ["error", 3],
  "load-invalid": ["error", 3],
  "not-judged": ["incomplete", 4],
  "nothing-judged": ["incomplete", 4],
  "load-not-sent": ["incomplete", 4],
  interrupted: ["incomplete", 130],
};

const problem = { problem: { what: "It is down", where: "here", fix: "Start it." } };
const partial = { scope: { requirements: 1, of: 2, checks: 1, ofChecks: 3 } };
const notSent = { notices: [{ code: "no-products-to-load" as const }] };
const pass = { verdict: "pass", level: "must" } as const;
const fail = { verdict: "fail", level: "must" } as const;
const open = { verdict: "inconclusive", level: "must" } as const;
const openShould = { verdict: "inconclusive", level: "should" } as const;
const excused = { ...open, excused: "optional" } as const;
const warned = { verdict: "warn", level: "should" } as const;
const unfit = { verdict: "notApplicable", level: "must" } as const;
const crashed = { verdict: "error", level: "must" } as const;
const judged = (...requirements: Judged["requirements"]) => ({ requirements });
const loads = (...verdicts: Judged["load"][number]["verdict"][]) => ({
  load: verdicts.map((verdict) => ({ verdict })),
});
const waived = (...states: WaiverResult["state"][]) => ({
  waivers: states.map((state) => ({ state })),
});

test.each<[string, Partial<Judged>, keyof typeof causes]>([
  ["everything passes", { notices: [{ code: "key-role-unclear" }] }, "none"],
  ["warnings and checks that do not apply", judged(warned, unfit), "none"],
  ["only load, which passes", { ...judged(), ...loads("pass") }, "none"],
  ["a failure", judged(pass, fail), "requirement-failed"],
  ["failed load", loads("fail"), "load-failed"],
  ["a failure and a problem", { ...judged(fail), ...problem }, "requirement-failed"],
  ["a failure and invalid load", { ...judged(fail), ...loads("invalid") }, "requirement-failed"],
  ["no load was sent", notSent, "load-not-sent"],
  ["no batches were sent", { notices: [{ code: "no-batch-field" }] }, "load-not-sent"],
  ["no load was sent, and a MUST is open", { ...judged(open), ...notSent }, "not-judged"],
  ["a problem", problem, "problem"],
  ["a problem, and a MUST that was not judged", { ...judged(open), ...problem }, "problem"],
  ["a check that ended in an error", judged(pass, crashed), "check-error"],
  ["invalid load", loads("pass", "invalid"), "load-invalid"],
  ["nothing judged", judged(), "nothing-run"],
  ["a MUST that was not judged", judged(pass, open), "not-judged"],
  ["a MUST that the config excuses", judged(pass, excused), "none"],
  ["only what the config excuses", judged(excused), "nothing-judged"],
  ["a SHOULD that was not judged", judged(pass, openShould), "none"],
  ["an active and an unused waiver", waived("active", "unused"), "none"],
  ["a stale waiver, and everything passes", waived("stale"), "waiver-stale"],
  ["an expired waiver, and everything passes", waived("expired"), "waiver-expired"],
  ["a stale waiver, and a MUST is open", { ...judged(open), ...waived("stale") }, "waiver-stale"],
  ["an expired waiver and a problem", { ...waived("expired"), ...problem }, "waiver-expired"],
  ["interrupted with an expired waiver", { ...waived("expired"), interrupted: true }, "waiver-expired"],
  ["interrupted", { interrupted: true }, "interrupted"],
  ["interrupted after a failure", { ...judged(fail), interrupted: true }, "requirement-failed"],
  ["interrupted before anything", { ...judged(), interrupted: true }, "interrupted"],
  ["interrupted load", { ...loads("invalid"), interrupted: true }, "interrupted"],
  ["a partial run in which nothing failed", partial, "partial"],
  ["a partial run with a failure", { ...judged(fail), ...partial }, "requirement-failed"],
  ["a partial run in which nothing was judged", { ...judged(unfit), ...partial }, "nothing-judged"],
  ["only a SHOULD that was not judged", judged(openShould), "nothing-judged"],
  [
    "everything at once",
    { ...judged(fail, open), ...loads("fail"), ...waived("stale", "expired"), ...problem },
    "requirement-failed",
  ],
])("%s: %s", (_name, change, cause) => {
  const [verdict, usual] = meanings[cause];
  const exitCode = change.interrupted === true ? 130 : usual;
  expect(judge({ ...good, ...change }, [])).toEqual({ verdict, exitCode, cause });
});

test("a cause that a capability adds decides after the one that it names", () => {
  const isPartial = ({ scope }: Judged) => scope !== undefined;
  const added = { ...causes.problem, after: "load-failed", applies: isPartial } as const;
  const causeOf = (change: object) => judge({ ...good, ...change }, [undefined, { added }]).cause;
  const runs = [{}, partial, { ...partial, ...loads("fail") }, { ...partial, ...waived("stale") }];
  expect(runs.map(causeOf)).toEqual(["none", "added", "load-failed", "added"]);
});

test("requirements are counted by their verdict", () => {
  const counts = { pass: 1, fail: 2, warn: 0, inconclusive: 0, notApplicable: 0, error: 0 };
  expect(countByVerdict([fail, pass, fail])).toEqual(counts);
});
