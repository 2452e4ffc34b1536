import type { ComparisonCode } from "../contracts/comparison-findings.ts";
import type { FindingOf } from "../contracts/finding.ts";
import type { Threshold } from "../contracts/threshold.ts";
import { requestLabel, scenarioLabel } from "../scenarios.ts";
import { driftText } from "./contract.ts";
import type { WordsOf } from "./finding-words.ts";
import { capitalized, change, counted } from "./format.ts";
import { limitFigures, thresholdLabel } from "./thresholds.ts";

// The subject of these findings is the scenario, if there are several.

export const comparisonWords = {
  "latency-slower": { text: (finding) => latencyChanged(finding, "slower") },
  "latency-faster": { text: (finding) => latencyChanged(finding, "faster") },
  "latency-same": {
    text: ({ subject, expected, details }) =>
      about(
        subject,
        `${requestName(details.endpoint)}: a change of ${expected * 100} % or more is unlikely, and nothing is slower.`,
      ),
  },
  "latency-undecided": {
    text: ({ subject, details }) =>
      about(
        subject,
        `${requestName(details.endpoint)}, ${details.statistic}: the change lies between ${change(details.low)} and ${change(details.high)}.`,
      ),
    fix: ({ details }) =>
      details.runsNeeded === undefined
        ? "These runs vary too much, so more of them would not help: find out what else runs on the machine, or make the runs longer."
        : `At this variation, about ${details.runsNeeded} runs before and as many after are needed.`,
  },
  "latency-too-few-samples": {
    text: ({ subject }) => about(subject, `a run has too few samples to be compared.`),
    fix: () => "Use longer runs or a higher rate.",
  },
  "latency-not-judged": {
    text: ({ subject, expected }) =>
      about(
        subject,
        `latency is shown but not judged: that needs ${expected} runs before and ${expected} after.`,
      ),
    fix: ({ expected }) => `Name ${expected} or more of each: compare A B C -- D E F.`,
  },
  "latency-too-few-runs": {
    text: ({ subject, expected, actual }) =>
      about(subject, `latency not compared: ${counted(actual, "run")} recorded, ${expected} needed.`),
    fix: () => "Record more: shelfcheck baseline accept RUN RUN RUN.",
  },
  "latency-not-measured": {
    text: ({ subject, details }) =>
      details.cause === "invalid"
        ? about(subject, `run ${details.run} measured nothing: its verdict is invalid.`)
        : about(subject, `run ${details.run} has no percentiles.`),
    fix: () => "Leave the run out, or repeat it.",
  },
  "runs-differ": {
    text: (finding) => about(finding.subject, `the runs differ in ${difference(finding)}.`),
  },
  "newly-failing": { text: (finding) => `Newly failing: ${ids(finding)}.` },
  "failing-not-judged-before": { text: (finding) => `Failing, and not judged before: ${ids(finding)}.` },
  "no-longer-judged": { text: (finding) => `No longer judged: ${ids(finding)}.` },
  "breaking-drift": { text: ({ details }) => `Breaking change: ${driftText(details.drift)}` },
  "threshold-newly-crossed": {
    text: ({ subject, details }) => about(subject, `limit newly exceeded: ${crossed(details)}.`),
  },
  "threshold-crossed-not-judged-before": {
    text: ({ subject, details }) =>
      about(subject, `limit exceeded, and not judged before: ${crossed(details)}.`),
  },
  "load-no-longer-measured": { text: ({ subject }) => about(subject, `no longer measured.`) },
  "nothing-to-compare": { text: () => "The runs have neither verdicts nor a load scenario in common." },
  "runs-in-sequence": {
    text: ({ subject }) =>
      about(
        subject,
        `the runs before and after were made in two blocks, so a change of the machine between them looks like a change of the service.`,
      ),
    fix: () => "Alternate them: before, after, before, …",
  },
  "compared-although-different": {
    text: (finding) => about(finding.subject, `compared although the runs differ in ${difference(finding)}.`),
  },
  "scenario-not-in-every-run": {
    text: ({ subject }) => about(subject, `not compared: not every run has it.`),
  },
  "other-target": {
    text: ({ expected, actual }) => `The runs have different targets: ${expected} before, ${actual} after.`,
  },
  "other-key": { text: () => "The primary key has changed, so the retailers it may use can differ." },
  "run-not-complete": {
    text: ({ details }) =>
      details.problem === undefined
        ? `Run ${details.run} did not finish: its contract is not compared.`
        : `Run ${details.run} did not finish: ${details.problem}.`,
  },
} as const satisfies WordsOf<ComparisonCode>;

/** Name of a kind of request in a comparison, in words. */
export function requestName(name: string): string {
  return name === "all" ? "all requests" : requestLabel(name);
}

function latencyChanged(
  { subject, details: { changes, more } }: FindingOf<"latency-slower" | "latency-faster">,
  how: string,
): string {
  const named = changes.map((one) => `${requestName(one.endpoint)}, ${one.statistic} ${change(one.change)}`);
  const rest = more === 0 ? [] : [`${more} more`];
  return about(subject, `${how} than before: ${[...named, ...rest].join("; ")}.`);
}

function difference({
  expected,
  actual,
  details: { part, run, other },
}: FindingOf<"runs-differ" | "compared-although-different">): string {
  return `${part}: ${expected} in ${run}, ${actual} in ${other}`;
}

function crossed({ threshold }: { readonly threshold: Threshold }): string {
  return `${thresholdLabel(threshold)}, ${limitFigures(threshold)}`;
}

function ids({ actual }: { readonly actual: readonly string[] }): string {
  return actual.join(", ");
}

/** Puts the name of the scenario, if any, in front of the sentence. */
function about(scenario: string | undefined, text: string): string {
  return scenario === undefined ? capitalized(text) : `${scenarioLabel(scenario)}: ${text}`;
}
