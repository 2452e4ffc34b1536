import type { LoadComparison, Waiver } from "../../schemas/types.ts";
import {
  comparisonLabels,
  driftLabels,
  loadVerdictLabels,
  verdictLabels,
  waiverLabels,
} from "../../schemas/verdicts.ts";
import { capitalized, clip } from "../../schemas/words/format.ts";
import type {
  Report,
  ShownCheck,
  ShownComparison,
  ShownLoad,
  ShownRequirement,
  ShownThreshold,
  ShownWaiver,
} from "./model.ts";
import { exchangeText, visibleText } from "./text.ts";

/**
 * What became of a case, in the words that test tools have: `error` is never the target's fault, `skipped` has a
 * reason to read. What may be long is only made when there is room for it.
 */
export type CaseOutcome =
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
  /** The verdict by its label. */
  readonly verdict: string;
  readonly outcome: CaseOutcome;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** Name of the suite that tells of the run as a whole. */
export const runSuite = "Run";

/** The report as the suites and cases that JUnit and CTRF speak of: one suite for each section of the spec, and of the rest. */
export function suitesOf(report: Report): Suite[] {
  return [
    { name: runSuite, cases: [runCase(report)] },
    ...report.sections.map(({ name, requirements }) => ({
      name,
      cases: requirements.flatMap(requirementCases),
    })),
    ...report.load.map(loadSuite),
    { name: "Contract changes", cases: driftCases(report) },
    { name: "Waivers", cases: report.waivers.map(waiverCase) },
  ].filter(({ cases }) => cases.length > 0);
}

// Always there, so that a run that judged nothing is no empty report, which many tools take for a good one.
function runCase({ results: { problem, command }, label, cause, why, notice }: Report): Case {
  const frame = { group: "run", id: "run", name: `${command} reached its end`, verdict: label };
  const remark = () =>
    [`${capitalized(label)}: ${why}`, ...(notice === undefined ? [] : [notice])].join("\n");
  if (problem === undefined && cause !== "nothing-run")
    return { ...frame, outcome: { kind: "passed", remark } };
  const message = problem === undefined ? why : `${problem.what}: ${problem.where}`;
  return {
    ...frame,
    outcome: { kind: "error", message, details: () => `${message}\n${problem?.fix ?? ""}`.trim() },
  };
}

function requirementCases(requirement: ShownRequirement): Case[] {
  const { id, statement, verdict, text, checks } = requirement;
  const whole = { id, title: statement, verdict, text, parts: [text], found: [], remarks: "", evidence: [] };
  return (checks.length > 0 ? checks : [whole]).map((check) => checkCase(requirement, check));
}

function checkCase({ id: group, statement }: ShownRequirement, check: ShownCheck): Case {
  const { id, title, verdict } = check;
  return {
    group,
    id,
    name: `${id}: ${title}`,
    verdict: verdictLabels[verdict],
    outcome: checkOutcome(check, statement),
  };
}

function checkOutcome(
  { verdict, text, remarks, evidence, waiver }: ShownCheck,
  statement: string,
): CaseOutcome {
  if (waiver !== undefined) return { kind: "skipped", message: waivedText(waiver, text) };
  const message = `${text}${remarks}`;
  const details = () =>
    [statement, message, evidence.map(exchangeText).join("\n\n")].filter((part) => part !== "").join("\n");
  switch (verdict) {
    case "pass":
      return { kind: "passed" };
    case "warn":
      return { kind: "passed", remark: () => `${verdictLabels[verdict]}: ${details()}` };
    case "fail":
      return { kind: "failed", message, details };
    case "error":
      return { kind: "error", message, details };
    case "inconclusive":
    case "notApplicable":
      return { kind: "skipped", message: `${verdictLabels[verdict]}: ${message}` };
    default:
      return verdict satisfies never;
  }
}

/** Why something that fails is accepted, and what it says: these formats have no place of their own for waivers. */
function waivedText({ expires, owner, ticket, reason }: Waiver, text: string): string {
  return `waived until ${expires} by ${owner}, ${ticket}: ${reason} (${text})`;
}

/** One suite for each load run: its verdict, its thresholds, and each latency that was compared with earlier runs. */
function loadSuite(load: ShownLoad): Suite {
  const { thresholds, name, id: group, comparison } = load;
  return {
    name: `Load: ${name}`,
    cases: [
      loadCase(load),
      ...thresholds.map((threshold) => thresholdCase(threshold, load)),
      ...(comparison === undefined ? [] : comparisonCases(comparison, group)),
    ],
  };
}

function loadCase({ result, id: group, label, reasons, notes, invalid }: ShownLoad): Case {
  const { verdict } = result;
  const frame = { group, id: `${group}/verdict`, name: "verdict of the run", verdict: label };
  const message = reasons.join(" ") || label;
  const responses = invalid.map(({ text, exchange }) => `${text}\n${exchangeText(exchange)}`);
  const details = () => [...reasons, ...notes, ...responses].join("\n");
  return { ...frame, outcome: outcome() };

  function outcome(): CaseOutcome {
    switch (verdict) {
      case "pass":
        return notes.length === 0 ? { kind: "passed" } : { kind: "passed", remark: () => notes.join("\n") };
      case "fail":
      case "slower":
        return { kind: "failed", message, details };
      case "invalid":
        return { kind: "error", message: `${loadVerdictLabels[verdict]}: ${message}`, details };
      default:
        return verdict satisfies never;
    }
  }
}

function thresholdCase(threshold: ShownThreshold, { result, id: group }: ShownLoad): Case {
  const { name, limit, figures, metric, verdict, guards, waiver } = threshold;
  const values = Object.entries(result.metrics[metric] ?? {}).map(([value, number]) => `${value} ${number}`);
  const message = `${name}: ${figures}`;
  return {
    group,
    id: `${group}/${name}, ${limit}`,
    name: `${name}, ${limit}`,
    verdict,
    outcome: outcome(),
  };

  function outcome(): CaseOutcome {
    if (waiver !== undefined && verdict === "waived")
      return { kind: "skipped", message: waivedText(waiver, message) };
    if (verdict === "passed") return { kind: "passed" };
    const details = () => [message, ...values].join("\n");
    return { kind: guards === "target" ? "failed" : "error", message, details };
  }
}

function comparisonCases({ answer, label, text, rows }: ShownComparison, group: string): Case[] {
  if (rows.length === 0) {
    const name = "latency against earlier runs";
    return [
      { group, id: `${group}/comparison`, name, verdict: label, outcome: comparedOutcome(answer, text) },
    ];
  }
  return rows.map((row) => ({
    group,
    id: `${group}/${row.id}`,
    name: `${row.endpoint} ${row.statistic} against earlier runs`,
    verdict: row.label,
    outcome: comparedOutcome(row.answer, row.text),
  }));
}

function comparedOutcome(answer: LoadComparison["answer"], text: string): CaseOutcome {
  switch (answer) {
    case "slower":
      return { kind: "failed", message: text, details: () => text };
    case "same":
    case "faster":
      return { kind: "passed", remark: () => text };
    case "inconclusive":
    case "refused":
      return { kind: "skipped", message: `${comparisonLabels[answer]}: ${text}` };
    default:
      return answer satisfies never;
  }
}

function driftCases({ drift }: Report): Case[] {
  if (drift === undefined) return [];
  return drift.changes.map(({ rank, label, kind, rule, subject, text }) => {
    const details = () => `${text}\nrule: ${rule}\nbefore: ${drift.since}`;
    return {
      group: `drift.${kind}`,
      id: `drift.${rule}/${subject}`,
      name: `${rule}: ${subject}`,
      verdict: label,
      outcome:
        rank === "breaking"
          ? { kind: "failed", message: text, details }
          : { kind: "passed", remark: () => `${driftLabels[rank]}: ${details()}` },
    };
  });
}

function waiverCase({ waiver, state, label, fix }: ShownWaiver): Case {
  const about = `${waiver.id}, waived until ${waiver.expires} by ${waiver.owner}, ${waiver.ticket}: ${waiver.reason}`;
  return { group: "waivers", id: `waiver/${waiver.id}`, name: waiver.id, verdict: label, outcome: outcome() };

  function outcome(): CaseOutcome {
    switch (state) {
      case "active":
        return { kind: "passed", remark: () => about };
      case "unused":
        return { kind: "skipped", message: `${waiverLabels[state]}: ${about}` };
      case "stale":
      case "expired":
        return {
          kind: "failed",
          message: fix ?? `${capitalized(waiverLabels[state])} waiver`,
          details: () => about,
        };
      default:
        return state satisfies never;
    }
  }
}

/** Characters of details in a whole report. Escaped, each may take six bytes, and a report stays below 10 MB. */
const allDetails = 1_000_000;
const longestDetails = 16_000;
const leftOff = "More failed than is shown here in full: see report.html.";

/** Gives room to the details of one case after the other: to the first in full, to none once it is used up. */
export function detailsRoom(): (details: () => string) => string {
  let left = allDetails;
  return (details) => {
    if (left === 0) return leftOff;
    // Marks are longer than what they mark.
    const shown = clip(visibleText(clip(details(), longestDetails)), longestDetails);
    left = Math.max(0, left - shown.length);
    return shown;
  };
}
