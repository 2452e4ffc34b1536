import type { ClientResults } from "../../../../clients/contract/client-results.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { given } from "../../../../schemas/json.ts";
import { verdictLabels, waiverLabels } from "../../../../schemas/verdicts.ts";
import { capitalized } from "../../../../schemas/words/format.ts";
import { driftLabels } from "../../../earlier/contract-words.ts";
import { plainProse } from "../../text.ts";
import { type Case, type CaseOutcome, type Suite, waivedText } from "./cases.ts";
import { loadSuite } from "./load-suite.ts";
import type { ShownWaiver } from "./parts.ts";
import type { ShownCheck, ShownRequirement } from "./requirements.ts";
import type { Report } from "./run-report.ts";
import { twinCases } from "./twin-suite.ts";

/** Name of the suite for the run as a whole. */
export const runSuite = "Run";

/** The report as suites and cases: one suite for each section of the spec and each other part. */
export function suitesOf(report: Report): Suite[] {
  return [
    { ...wholeRun(report.results, report, saysOf(report)), properties: runProperties(report) },
    ...report.sections.map(({ name, requirements }) => ({
      name,
      cases: requirements.flatMap(requirementCases),
    })),
    ...report.load.map(loadSuite),
    { name: "Old against new", cases: twinCases(report.results.twin) },
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

/** The run as names and values: verdict, counts, target, place and time. */
function runProperties({ results, summary, label, cause, why }: Report): Record<string, string> {
  const { target, command, exitCode, startedAt, finishedAt, tool, environment, scope } = results;
  // The flags are in the command line.
  const { placeFlags: _flags, isIncomplete: _hidden, ...place } = environment ?? {};
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
    ...given({ requirementsSelected: scope && `${scope.requirements} of ${scope.of}` }),
    startedAt,
    finishedAt,
    version: tool.version,
    ...place,
  };
}

function saysOf({ notice, warnings, results: { problem } }: Report): string[] {
  return [
    ...(notice === undefined ? [] : [notice]),
    ...warnings.map((text) => `Warning: ${text}`),
    ...(problem === undefined ? [] : [`${problem.what}: ${problem.where}`, problem.fix]),
  ];
}

/**
 * The suite of the run as a whole. It is always present: many tools treat an empty report as a passed one. What was not
 * judged is an error there: a dashboard that shows green would say that it was.
 * @param says what the run has to say besides
 */
export function wholeRun(
  {
    command,
    cause,
    exitCode,
    problem,
    startedAt,
    finishedAt,
  }: Pick<Results | ClientResults, "command" | "cause" | "exitCode" | "problem" | "startedAt" | "finishedAt">,
  { label, why }: { readonly label: string; readonly why: string },
  says: readonly string[],
): Suite & { readonly milliseconds: number } {
  const milliseconds = Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
  const isOpen = exitCode === 4 || exitCode === 130;
  const isBroken = problem !== undefined || cause === "nothing-run" || cause === "client-failed";
  const details = () => [`${capitalized(label)}: ${why}`, ...says];
  const message = problem === undefined ? why : `${problem.what}: ${problem.where}`;
  const outcome: CaseOutcome =
    isOpen || isBroken ? { kind: "error", message, details } : { kind: "passed", remark: details };
  const one = { group: "run", name: `${command} finished`, verdict: label, milliseconds, outcome };
  return { name: runSuite, cases: [one], milliseconds };
}

/** A case for each check of a requirement. */
export function requirementCases(requirement: ShownRequirement): Case[] {
  const { id, statement, verdict, text, checks } = requirement;
  const whole = { id, title: statement, verdict, text, parts: [text], found: [], remarks: "", evidence: [] };
  return (checks.length > 0 ? checks : [whole]).map((check) => checkCase(requirement, check));
}

function checkCase(requirement: ShownRequirement, check: ShownCheck): Case {
  const { id, title, verdict, milliseconds } = check;
  return {
    group: requirement.id,
    name: `${id}: ${title}`,
    verdict: verdictLabels[verdict],
    outcome: checkOutcome(check, requirement),
    milliseconds,
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

function driftCases({ drift }: Report): Case[] {
  if (drift === undefined) return [];
  return drift.changes.map(({ rank, label, kind, rule, subject, text }) => {
    const details = (headline = text) => [headline, `rule: ${rule}`, `before: ${drift.since}`];
    return {
      group: `drift.${kind}`,
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
  return { group: "waivers", name: waiver.id, verdict: label, outcome: outcome() };

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
