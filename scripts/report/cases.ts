import type { CheckResult, RequirementResult, Results, WaiverResult } from "../../schemas/types.ts";
import { renderExchanges } from "./exchange-text.ts";
import { loadSuites } from "./load-cases.ts";
import { waivedMessage } from "./waived.ts";

/**
 * What became of a case, in the words that test tools have: `error` is never the target's fault, `skipped` has a
 * reason to read. What may be long is only made when there is room for it.
 */
export type Outcome =
  | { readonly kind: "passed"; readonly remark?: () => string }
  | { readonly kind: "failed" | "error"; readonly message: string; readonly details: () => string }
  | { readonly kind: "skipped"; readonly message: string };

/** One thing that was judged: a check, a threshold, a waiver, a change of the contract. */
export interface Case {
  /** What groups it in a tool: the requirement's id, or the part of the run. */
  readonly group: string;
  /** Stable over runs, and unique within a report. */
  readonly id: string;
  readonly name: string;
  /** The verdict as the results have it. */
  readonly verdict: string;
  readonly outcome: Outcome;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** Name of the suite that tells of the run as a whole. */
export const runSuite = "Run";

/** The results as the suites and cases that JUnit and CTRF speak of: one suite for each section of the spec, and of the rest. */
export function suitesOf(results: Results): Suite[] {
  const sections = [...Map.groupBy(results.requirements, ({ section }) => section)];
  return [
    { name: runSuite, cases: [runCase(results)] },
    ...sections.map(([name, group]) => ({ name, cases: group.flatMap(requirementCases) })),
    ...loadSuites(results.load),
    { name: "Contract drift", cases: driftCases(results) },
    { name: "Waivers", cases: (results.waivers ?? []).map(waiverCase) },
  ].filter(({ cases }) => cases.length > 0);
}

function requirementCases(requirement: RequirementResult): Case[] {
  const { id, statement, verdict, reason, checks } = requirement;
  if (checks.length > 0) return checks.map((check) => checkCase(requirement, check));
  const whole = { id, title: statement, verdict, reason, evidence: [] };
  return [checkCase(requirement, whole)];
}

function checkCase({ id: group, statement }: RequirementResult, check: CheckResult): Case {
  const { id, title, verdict } = check;
  return { group, id, name: `${id}: ${title}`, verdict, outcome: checkOutcome(check, statement) };
}

function checkOutcome(check: CheckResult, statement: string): Outcome {
  const { verdict, reason, occurrences = 1, evidence, waiver, flaky = false } = check;
  if (waiver !== undefined) return { kind: "skipped", message: waivedMessage(waiver, reason) };
  const often = occurrences > 1 ? ` (seen ${occurrences} times)` : "";
  const message = `${reason}${often}${flaky ? " (flaky: not each time)" : ""}`;
  const details = () =>
    [statement, message, renderExchanges(evidence)].filter((part) => part !== "").join("\n");
  switch (verdict) {
    case "pass":
      return { kind: "passed" };
    case "warn":
      return { kind: "passed", remark: () => `worth a look: ${details()}` };
    case "fail":
      return { kind: "failed", message, details };
    case "error":
      return { kind: "error", message, details };
    case "inconclusive":
      return { kind: "skipped", message: `could not be judged: ${message}` };
    case "notApplicable":
      return { kind: "skipped", message: `not applicable: ${message}` };
    default:
      return verdict satisfies never;
  }
}

function driftCases({ drift }: Results): Case[] {
  if (drift === undefined) return [];
  return drift.changes.map(({ rank, kind, rule, subject, before = "", after = "", statement }) => {
    const details = () => `${statement}\nrule: ${rule}\nbefore (${drift.since}): ${before}\nnow: ${after}`;
    return {
      group: `drift.${kind}`,
      id: `drift.${rule}/${subject}`,
      name: `${rule}: ${subject}`,
      verdict: rank,
      outcome:
        rank === "breaking"
          ? { kind: "failed", message: statement, details }
          : { kind: "passed", remark: () => `${rank}: ${details()}` },
    };
  });
}

function waiverCase({ waiver, state, mend = "" }: WaiverResult): Case {
  const told = `${waiver.id}, waived until ${waiver.expires} by ${waiver.owner}, ${waiver.ticket}: ${waiver.reason}`;
  return { group: "waivers", id: `waiver/${waiver.id}`, name: waiver.id, verdict: state, outcome: outcome() };

  function outcome(): Outcome {
    switch (state) {
      case "active":
        return { kind: "passed", remark: () => told };
      case "unused":
        return { kind: "skipped", message: `nothing in this run could tell: ${told}` };
      case "stale":
        return { kind: "failed", message: mend || "what it waives passes now", details: () => told };
      case "expired":
        return { kind: "failed", message: `it is over. ${mend}`.trim(), details: () => told };
      default:
        return state satisfies never;
    }
  }
}

// Always there, so that a run that judged nothing is no empty report, which many tools take for a good one.
function runCase({ problem, command, verdict }: Results): Case {
  const frame = { group: "run", id: "run", name: `${command} came to its end`, verdict };
  if (problem === undefined) return { ...frame, outcome: { kind: "passed" } };
  const message = `${problem.what}: ${problem.where}`;
  return { ...frame, outcome: { kind: "error", message, details: () => `${message}\n${problem.mend}` } };
}
