import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { says } from "../../schemas/words/finding-words.ts";
import { capitalized, counted, figure, listed } from "../../schemas/words/format.ts";
import { limitFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import { code } from "../../schemas/words/values.ts";

/** Requests a second, with the ends of the interval that holds the true value. */
export interface LimitEstimate {
  perSecond: number;
  low: number;
  high: number;
}

interface LimitChange {
  subject: string;
  details: { before: LimitEstimate; after: LimitEstimate };
}

const nameLabels: Readonly<Record<string, string>> = {
  batchRequestField: "Field of a batch request that carries the items",
  batchFoundField: "List of found products in a batch result",
  batchFoundProduct: "Place of the product in an entry of the list of found products",
  gtin: "Place of the GTIN on a product",
};

/** A difference between the contracts of two runs. */
const contractWords = {
  "name-changed": says<{ subject: string; expected: string; actual: string }>({
    text: ({ subject, expected, actual }) =>
      `${nameLabels[subject]}: ${nameText(expected)} before, ${nameText(actual)} now.`,
  }),
  "retailer-gone": says<{ subject: string; details: { otherKey?: true | undefined } }>({
    text: ({ subject, details: { otherKey } }) =>
      `The key may no longer use the retailer ${code(subject)}.${otherKey === undefined ? "" : " The primary key has changed: another organization may have other retailers."}`,
  }),
  "retailer-new": says<{ subject: string }>({
    text: ({ subject }) => `The key may now use the retailer ${code(subject)}.`,
  }),
  "field-gone": says<{
    subject: string;
    /** `retailers`: whose products had it; empty for those of all. `now`: how many of their products were seen now. */
    details: { before: { count: number; total: number }; now: number; retailers: string[] };
  }>({
    text: ({ subject, details: { before, now, retailers } }) => {
      const [only, ...others] = retailers;
      const of =
        only === undefined
          ? ""
          : others.length > 0
            ? ` (${counted(retailers.length, "retailer")})`
            : ` (retailer ${code(only)})`;
      return `Field ${code(subject)}: gone. ${before.count} of ${before.total} products had it, now none of ${now}${of}.`;
    },
  }),
  "field-type": says<{ subject: string; expected: string; actual: string }>({
    text: ({ subject, expected, actual }) => `Field ${code(subject)}: ${expected} before, ${actual} now.`,
  }),
  "field-new": says<{ subject: string; actual: string[]; details: { count: number } }>({
    text: ({ actual, details: { count } }) => {
      const more = count - actual.length;
      return `New on products: ${listed([...actual.map(code), ...(more === 0 ? [] : [counted(more, "more field")])])}.`;
    },
  }),
  "limit-halved": says<LimitChange>({ text: limitText }),
  "limit-changed": says<LimitChange>({ text: limitText }),
};
export type ContractCode = keyof typeof contractWords;

// The subject of the others is the scenario of a load.

export const comparisonWords = {
  ...contractWords,
  "newly-failing": says<{ actual: string[] }>({ text: (finding) => `Newly failing: ${ids(finding)}.` }),
  "failing-not-judged-before": says<{ actual: string[] }>({
    text: (finding) => `Failing, and not judged before: ${ids(finding)}.`,
  }),
  "no-longer-judged": says<{ actual: string[] }>({ text: (finding) => `No longer judged: ${ids(finding)}.` }),
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

function nameText(name: string): string {
  return name === "" ? "the body itself" : code(name);
}

function limitText({ details: { before, after } }: LimitChange): string {
  const text = ({ perSecond, low, high }: LimitEstimate) =>
    `about ${figure(perSecond)} requests a second (${figure(low)} to ${figure(high)})`;
  return `Rate limit: ${text(before)} before, ${text(after)} now.`;
}

function ids({ actual }: { readonly actual: readonly string[] }): string {
  return actual.join(", ");
}

/** Puts the name of the scenario, if any, in front of the sentence. */
function about(scenario: string | undefined, text: string): string {
  return scenario === undefined ? capitalized(text) : `${scenarioLabel(scenario)}: ${text}`;
}
