import type { Drift } from "../contracts/drift.ts";
import type { ComparisonCode, Finding } from "../contracts/finding.ts";
import type { Threshold } from "../contracts/load-result.ts";
import { requestLabel, scenarioLabel } from "../scenarios.ts";
import { driftText } from "./contract.ts";
import type { FindingWords } from "./finding-words.ts";
import { capitalized, change, counted } from "./format.ts";
import { limitFigures, thresholdLabel } from "./thresholds.ts";

// The subject of these findings is the scenario, if there are several.

/** One statistic of one kind of request that changed. */
export interface LatencyChange {
  /** Kind of request, or `all`. */
  readonly endpoint: string;
  readonly statistic: string;
  /** Relative: 0.2 is 20 % slower. */
  readonly change: number;
}

export const comparisonWords = {
  "latency-slower": { text: (finding) => latencyChanged(finding, "slower") },
  "latency-faster": { text: (finding) => latencyChanged(finding, "faster") },
  "latency-same": {
    text: ({ subject, expected, details }) =>
      about(
        subject,
        `${requestName(String(details?.endpoint))}: a change of ${Number(expected) * 100} % or more is unlikely, and nothing is slower.`,
      ),
  },
  "latency-undecided": {
    text: ({ subject, details = {} }) =>
      about(
        subject,
        `${requestName(String(details.endpoint))}, ${details.statistic}: the change lies between ${change(Number(details.low))} and ${change(Number(details.high))}.`,
      ),
    fix: ({ details }) =>
      details?.runsNeeded === undefined
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
      about(subject, `latency not compared: ${counted(Number(actual), "run")} recorded, ${expected} needed.`),
    fix: () => "Record more: shelfcheck baseline accept RUN RUN RUN.",
  },
  "latency-not-measured": {
    text: ({ subject, details }) =>
      details?.cause === "invalid"
        ? about(subject, `run ${details.run} measured nothing: its verdict is invalid.`)
        : about(subject, `run ${details?.run} has no percentiles.`),
    fix: () => "Leave the run out, or repeat it.",
  },
  "runs-differ": {
    text: (finding) => about(finding.subject, `the runs differ in ${difference(finding)}.`),
  },
  "newly-failing": { text: (finding) => `Newly failing: ${ids(finding)}.` },
  "failing-not-judged-before": { text: (finding) => `Failing, and not judged before: ${ids(finding)}.` },
  "no-longer-judged": { text: (finding) => `No longer judged: ${ids(finding)}.` },
  "breaking-drift": { text: ({ details }) => `Breaking change: ${driftText(details?.drift as Drift)}` },
  "threshold-newly-crossed": {
    text: ({ subject, details }) => about(subject, `threshold newly crossed: ${crossed(details)}.`),
  },
  "threshold-crossed-not-judged-before": {
    text: ({ subject, details }) =>
      about(subject, `threshold crossed, and not judged before: ${crossed(details)}.`),
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
      details?.problem === undefined
        ? `Run ${details?.run} did not finish: its contract is not compared.`
        : `Run ${details.run} did not finish: ${details.problem}.`,
  },
} as const satisfies Record<ComparisonCode, FindingWords>;

/** Name of a kind of request in a comparison, in words. */
export function requestName(name: string): string {
  return name === "all" ? "all requests" : requestLabel(name);
}

function latencyChanged({ subject, details }: Finding, how: string): string {
  const { changes, more } = details as unknown as { changes: readonly LatencyChange[]; more: number };
  const named = changes.map((one) => `${requestName(one.endpoint)}, ${one.statistic} ${change(one.change)}`);
  const rest = more === 0 ? [] : [`${more} more`];
  return about(subject, `${how} than before: ${[...named, ...rest].join("; ")}.`);
}

function difference({ expected, actual, details }: Finding): string {
  return `${details?.part}: ${expected} in ${details?.run}, ${actual} in ${details?.other}`;
}

function crossed(details: Finding["details"]): string {
  const threshold = details?.threshold as Threshold;
  return `${thresholdLabel(threshold)}, ${limitFigures(threshold)}`;
}

function ids({ actual }: Finding): string {
  return (actual as readonly string[]).join(", ");
}

/** Puts the name of the scenario, if any, in front of the sentence. */
function about(scenario: string | undefined, text: string): string {
  return scenario === undefined ? capitalized(text) : `${scenarioLabel(scenario)}: ${text}`;
}
