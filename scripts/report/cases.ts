import type {
  CheckResult,
  Evidence,
  Finding,
  LoadComparison,
  RequirementResult,
  Threshold,
  Waiver,
} from "../../schemas/types.ts";
import {
  comparisonLabels,
  driftLabels,
  loadVerdictLabels,
  verdictLabels,
  waiverLabels,
} from "../../schemas/verdicts.ts";
import { capitalized, clip } from "../../schemas/words/format.ts";
import { latencyText, shownPercentiles } from "./endpoint-rows.ts";
import type { Report } from "./model.ts";
import type { ShownWaiver } from "./report-parts.ts";
import type { ComparedRow, ShownComparison, ShownLoad, ShownThreshold } from "./shown-load.ts";
import type { ShownCheck, ShownRequirement } from "./shown-requirements.ts";
import { exchangeText, plainProse, visibleText } from "./text.ts";

/** A sentence, or an exchange that shows what it says. */
type Detail = string | Evidence;

/**
 * The outcome of a case in the terms of test tools. `error` is never the target's fault; `skipped` has a reason. Long
 * texts are functions, so that they are only rendered when they fit.
 */
export type CaseOutcome =
  | { readonly kind: "passed"; readonly remark?: () => readonly Detail[] }
  | { readonly kind: "failed" | "error"; readonly message: string; readonly details: () => readonly Detail[] }
  | { readonly kind: "skipped"; readonly message: string };

/** One thing that was judged: a check, a threshold, a waiver, a change of the contract. */
export interface Case {
  /** Id of the requirement, or the part of the run. Tools group cases by it. */
  readonly group: string;
  /** The same in every run, unique within a report. */
  readonly id: string;
  readonly name: string;
  /** Label of the verdict. */
  readonly verdict: string;
  readonly outcome: CaseOutcome;
  /** Duration of the check, or of the load run that a limit belongs to. Omitted when no request was sent. */
  readonly milliseconds?: number | undefined;
  readonly level?: RequirementResult["level"];
  /** Set when only some of the attempts failed. */
  readonly attempts?: CheckResult["attempts"];
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
  /** Start time, if it is known more exactly than that of the whole run. */
  readonly startedAt?: string | undefined;
  /** Duration of the suite, if its cases share it, so that theirs must not be added up. */
  readonly milliseconds?: number | undefined;
  /** Further facts by name. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Name of the suite for the run as a whole. */
export const runSuite = "Run";

/** The report as suites and cases for JUnit and CTRF: one suite for each section of the spec and each other part. */
export function suitesOf(report: Report): Suite[] {
  return [
    {
      name: runSuite,
      cases: [runCase(report)],
      milliseconds: milliseconds(report),
      properties: runProperties(report),
    },
    ...report.sections.map(({ name, requirements }) => ({
      name,
      cases: requirements.flatMap(requirementCases),
    })),
    ...report.load.map(loadSuite),
    { name: "Contract changes", cases: driftCases(report) },
    { name: "Waivers", cases: report.waivers.map(waiverCase) },
  ].flatMap((suite) =>
    suite.cases.length === 0 ? [] : { ...suite, cases: suite.cases.map(withPlainMessage) },
  );
}

/** Test tools show messages as they are: without the backticks that mark code. */
function withPlainMessage(one: Case): Case {
  const { outcome } = one;
  return outcome.kind === "passed"
    ? one
    : { ...one, outcome: { ...outcome, message: plainProse(outcome.message) } };
}

function milliseconds({ results: { startedAt, finishedAt } }: Report): number {
  return Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
}

/** The run as names and values: verdict, counts, target, place and time. */
function runProperties({ results, summary, label, cause, why }: Report): Record<string, string> {
  const { target, command, exitCode, startedAt, finishedAt, tool, environment = {}, scope } = results;
  const counts = Object.entries(verdictLabels).map(([verdict, name]) => [
    `requirements ${name}`,
    String(summary[verdict as keyof typeof summary]),
  ]);
  return {
    target: target.name,
    baseUrl: target.baseUrl,
    keyFingerprint: target.keyFingerprint,
    builtInService: String(target.builtIn === true),
    command,
    verdict: label,
    cause,
    why: plainProse(why),
    exitCode: String(exitCode),
    ...Object.fromEntries(counts),
    ...(scope === undefined ? {} : { requirementsSelected: `${scope.requirements} of ${scope.of}` }),
    startedAt,
    finishedAt,
    version: tool.version,
    ...environment,
  };
}

// Always present: many tools treat an empty report as a passed one.
function runCase(report: Report): Case {
  const { label, cause, why, notice, warnings } = report;
  const { problem, command } = report.results;
  const duration = milliseconds(report);
  const frame = {
    group: "run",
    id: "run",
    name: `${command} finished`,
    verdict: label,
    milliseconds: duration,
  };
  const remark = () => [
    `${capitalized(label)}: ${why}`,
    ...(notice === undefined ? [] : [notice]),
    ...warnings.map((text) => `Warning: ${text}`),
  ];
  if (problem === undefined && cause !== "nothing-run")
    return { ...frame, outcome: { kind: "passed", remark } };
  const message = problem === undefined ? why : `${problem.what}: ${problem.where}`;
  return {
    ...frame,
    outcome: {
      kind: "error",
      message,
      details: () => (problem === undefined ? [message] : [message, problem.fix]),
    },
  };
}

function requirementCases(requirement: ShownRequirement): Case[] {
  const { id, statement, verdict, text, checks } = requirement;
  const whole = { id, title: statement, verdict, text, parts: [text], found: [], remarks: "", evidence: [] };
  return (checks.length > 0 ? checks : [whole]).map((check) => checkCase(requirement, check));
}

function checkCase(requirement: ShownRequirement, check: ShownCheck): Case {
  const { id, title, verdict, milliseconds: took, attempts } = check;
  const { id: group, level } = requirement;
  return {
    group,
    id,
    name: `${id}: ${title}`,
    verdict: verdictLabels[verdict],
    outcome: checkOutcome(check, requirement),
    milliseconds: took,
    level,
    ...(attempts === undefined ? {} : { attempts }),
  };
}

function checkOutcome(
  { verdict, text, remarks, evidence, waiver }: ShownCheck,
  { statement, section, level }: ShownRequirement,
): CaseOutcome {
  if (waiver !== undefined) return { kind: "skipped", message: waivedText(waiver, text) };
  const message = `${text}${remarks}`;
  // Findings come first: some tools show only a few lines.
  const details = (headline = message) => [
    headline,
    `Requirement (${section}, ${level.toUpperCase()}): ${statement}`,
    ...evidence,
  ];
  switch (verdict) {
    case "pass":
      return { kind: "passed" };
    case "warn":
      return { kind: "passed", remark: () => details(`${verdictLabels[verdict]}: ${message}`) };
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

/** A waived failure with the reason of its waiver. JUnit and CTRF have no field for waivers. */
function waivedText({ expires, owner, ticket, reason }: Waiver, text: string): string {
  return `waived until ${expires} by ${owner}, ${ticket}: ${reason} (${text})`;
}

/** One suite for each load run: its verdict, its thresholds, and each latency that was compared with earlier runs. */
function loadSuite(load: ShownLoad): Suite {
  const { thresholds, name, id: group, comparison, result } = load;
  const took = result.seconds === undefined ? undefined : result.seconds * 1000;
  const cases = [
    loadCase(load),
    ...thresholds.map((threshold, place) => thresholdCase(threshold, load, result.thresholds[place])),
    ...(comparison === undefined ? [] : comparisonCases(comparison, group)),
  ];
  return {
    name: `Load: ${name}`,
    cases: cases.map((one) => ({ ...one, milliseconds: took })),
    startedAt: result.startedAt,
    milliseconds: took,
    properties: loadProperties(load),
  };
}

/** The measured figures, and the conditions of the run. */
function loadProperties({ result, label, figures, endpoints }: ShownLoad): Record<string, string> {
  const { scenario, profile, comparability } = result;
  const byEndpoint = endpoints.flatMap((row) =>
    shownPercentiles.map((percentile) => [`${row.name}, p${percentile}`, latencyText(row, percentile)]),
  );
  return {
    scenario,
    profile,
    verdict: label,
    ...figures,
    ...comparability?.parts,
    ...Object.fromEntries(byEndpoint),
  };
}

/**
 * The verdict of a load run. If the cases of its thresholds and latencies already fail, this case is skipped and names
 * them, so that each failure counts once.
 */
function loadCase(load: ShownLoad): Case {
  const { result, id: group, label, reasons, notes, invalid } = load;
  const { verdict } = result;
  const frame = { group, id: `${group}/verdict`, name: "verdict of the run", verdict: label };
  const otherCases = reasons.map((_reason, place) => caseNameOf(load, result.findings[place]));
  const ownReasons = reasons.filter((_reason, place) => otherCases[place] === undefined);
  const message = ownReasons.join(" ") || label;
  const responses = invalid.flatMap(({ text, exchange }) => [text, exchange]);
  const details = () => [...ownReasons, ...notes, ...responses];
  return { ...frame, outcome: outcome() };

  function outcome(): CaseOutcome {
    if (verdict === "pass")
      return notes.length === 0 ? { kind: "passed" } : { kind: "passed", remark: () => notes };
    if (reasons.length > 0 && ownReasons.length === 0) {
      const names = [...new Set(otherCases.filter((name) => name !== undefined))];
      return { kind: "skipped", message: `${label}: see ${names.join("; ")}` };
    }
    switch (verdict) {
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

/** Name of the case that fails because of a finding; undefined if only the case of the run does. */
function caseNameOf(
  { result, thresholds, comparison }: ShownLoad,
  finding: Finding | undefined,
): string | undefined {
  if (finding === undefined) return undefined;
  const place = result.thresholds.findIndex(
    ({ crossing, request, statistic }) =>
      crossing === finding.code &&
      request === finding.subject &&
      (finding.details?.statistic ?? statistic) === statistic,
  );
  const threshold = thresholds[place];
  if (threshold?.verdict === "failed") return thresholdName(threshold);
  if (finding.code !== "slower-than-recorded") return undefined;
  const row = comparison?.rows.find(({ answer }) => answer === "slower");
  return row === undefined ? undefined : comparedName(row);
}

function thresholdName({ name, limit }: ShownThreshold): string {
  return `${name}, ${limit}`;
}

function thresholdCase(
  shown: ShownThreshold,
  { result, id: group, invalid }: ShownLoad,
  threshold: Threshold | undefined,
): Case {
  const { name, figures, metric, verdict, guards, waiver } = shown;
  const values = Object.entries(result.metrics[metric] ?? {}).map(([value, number]) => `${value} ${number}`);
  // The limit gives the number of failures; the first response shows what was wrong.
  const [first] =
    threshold?.crossing === "invalid-responses"
      ? invalid.filter((_one, place) => result.evidence?.[place]?.request === threshold.request)
      : [];
  const message = `${name}: ${figures}${first === undefined ? "" : `. The first: ${first.text}`}`;
  return {
    group,
    id: `${group}/${thresholdName(shown)}`,
    name: thresholdName(shown),
    verdict,
    outcome: outcome(),
  };

  function outcome(): CaseOutcome {
    if (waiver !== undefined && verdict === "waived")
      return { kind: "skipped", message: waivedText(waiver, message) };
    if (verdict === "passed") return { kind: "passed" };
    if (verdict === "not judged") {
      const { samples = 0, needed = 0 } = threshold?.notJudged ?? {};
      return { kind: "skipped", message: `${verdict}: ${message} (${samples} samples, ${needed} needed)` };
    }
    const exchange = first === undefined ? [] : [first.exchange];
    const details = () => [message, ...values, ...exchange];
    return { kind: guards === "target" ? "failed" : "error", message, details };
  }
}

function comparedName({ endpoint, statistic }: ComparedRow): string {
  return `${endpoint} ${statistic} against earlier runs`;
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
    name: comparedName(row),
    verdict: row.label,
    outcome: comparedOutcome(row.answer, row.text),
  }));
}

function comparedOutcome(answer: LoadComparison["answer"], text: string): CaseOutcome {
  switch (answer) {
    case "slower":
      return { kind: "failed", message: text, details: () => [text] };
    case "same":
    case "faster":
      return { kind: "passed", remark: () => [text] };
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
    const details = (headline = text) => [headline, `rule: ${rule}`, `before: ${drift.since}`];
    return {
      group: `drift.${kind}`,
      id: `drift.${rule}/${subject}`,
      name: `${rule}: ${subject}`,
      verdict: label,
      outcome:
        rank === "breaking"
          ? { kind: "failed", message: text, details }
          : { kind: "passed", remark: () => details(`${driftLabels[rank]}: ${text}`) },
    };
  });
}

function waiverCase({ waiver, state, label, fix }: ShownWaiver): Case {
  const about = `${waiver.id}, waived until ${waiver.expires} by ${waiver.owner}, ${waiver.ticket}: ${waiver.reason}`;
  return { group: "waivers", id: `waiver/${waiver.id}`, name: waiver.id, verdict: label, outcome: outcome() };

  function outcome(): CaseOutcome {
    switch (state) {
      case "active":
        return { kind: "passed", remark: () => [about] };
      case "unused":
        return { kind: "skipped", message: `${waiverLabels[state]}: ${about}` };
      case "stale":
      case "expired":
        return {
          kind: "failed",
          message: fix ?? `${capitalized(waiverLabels[state])} waiver`,
          details: () => [about],
        };
      default:
        return state satisfies never;
    }
  }
}

/** Details as text: sentences without the backticks that mark code, exchanges with a blank line between two of them. */
export function detailsText(details: readonly Detail[]): string {
  return details
    .map((detail, place) => {
      if (typeof detail === "string") return plainProse(detail);
      return `${typeof details[place - 1] === "object" ? "\n" : ""}${exchangeText(detail)}`;
    })
    .join("\n");
}

/** Maximum characters of details in a report. Escaped, each takes up to six bytes; the report stays below 10 MB. */
const allDetails = 1_000_000;
const longestDetails = 16_000;
const leftOff = "Not all failures are shown here: see report.html.";

/** Hands out room for details in the order of the cases, until it is used up. */
export function detailsRoom(): (details: () => readonly Detail[]) => string {
  let left = allDetails;
  return (details) => {
    if (left === 0) return leftOff;
    // Marks are longer than the characters they replace.
    const shown = clip(visibleText(clip(detailsText(details()), longestDetails)), longestDetails);
    left = Math.max(0, left - shown.length);
    return shown;
  };
}
