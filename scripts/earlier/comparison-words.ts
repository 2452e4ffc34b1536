import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { says } from "../../schemas/words/finding-words.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { limitFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import type { Drift } from "./contract-change.ts";
import { driftText } from "./contract-words.ts";

// The subject of these findings is the scenario of a load.

export const comparisonWords = {
  "newly-failing": says<{ actual: string[] }>({ text: (finding) => `Newly failing: ${ids(finding)}.` }),
  "failing-not-judged-before": says<{ actual: string[] }>({
    text: (finding) => `Failing, and not judged before: ${ids(finding)}.`,
  }),
  "no-longer-judged": says<{ actual: string[] }>({ text: (finding) => `No longer judged: ${ids(finding)}.` }),
  "breaking-drift": says<{ details: { drift: Drift } }>({
    text: ({ details }) => `Breaking change: ${driftText(details.drift)}`,
  }),
  "threshold-newly-crossed": says<{ subject?: string | undefined; details: { threshold: Threshold } }>({
    text: ({ subject, details }) => about(subject, `limit newly exceeded: ${crossed(details)}.`),
  }),
  "threshold-crossed-not-judged-before": says<{
    subject?: string | undefined;
    details: { threshold: Threshold };
  }>({
    text: ({ subject, details }) =>
      about(subject, `limit exceeded, and not judged before: ${crossed(details)}.`),
  }),
  "load-no-longer-measured": says<{ subject?: string | undefined }>({
    text: ({ subject }) => about(subject, `no longer measured.`),
  }),
  "nothing-to-compare": says({ text: () => "The runs have neither verdicts nor a load scenario in common." }),
  "latency-not-measured": says<{ subject?: string | undefined; details: { run: string } }>({
    text: ({ subject, details }) =>
      about(subject, `run ${details.run} measured no latency: its verdict is invalid.`),
  }),
  "runs-differ": says<{
    subject?: string | undefined;
    details: { parts: { part: string; before: string; after: string }[] };
  }>({
    text: ({ subject, details: { parts } }) =>
      about(
        subject,
        `the runs differ in ${parts.map(({ part, before, after }) => `${part} (${before} before, ${after} after)`).join(", ")}, so their latency and limits can differ for that reason.`,
      ),
  }),
  "scenario-not-in-every-run": says<{ subject?: string | undefined }>({
    text: ({ subject }) => about(subject, `not compared, since only one of the runs has it.`),
  }),
  "other-target": says<{ expected: string; actual: string }>({
    text: ({ expected, actual }) => `The runs have different targets: ${expected} before, ${actual} after.`,
  }),
  "other-key": says({ text: () => "The primary key has changed, so the retailers it may use can differ." }),
  "run-not-complete": says<{ details: { run: string; problem?: string | undefined } }>({
    text: ({ details }) =>
      details.problem === undefined
        ? `Run ${details.run} did not finish: its contract is not compared.`
        : `Run ${details.run} did not finish: ${details.problem}.`,
  }),
};
export type ComparisonCode = keyof typeof comparisonWords;

declare module "../../schemas/contracts/words.ts" {
  interface WordsByCode extends ComparisonWords {}
}
type ComparisonWords = typeof comparisonWords;

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
