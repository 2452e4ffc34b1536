import { counted, milliseconds } from "../../../../schemas/words/format.ts";
import type { TwinLatency, TwinResult } from "../../../twin/twin-result.ts";
import {
  twinDifferenceTexts,
  twinFailuresText,
  twinIntervalText,
  twinLabels,
  twinRequestName,
} from "../../../twin/twin-words.ts";
import type { Case, CaseOutcome } from "./cases.ts";

/** Two deployments as cases: each difference, the failures, and the latency of each kind of request. */
export function twinCases(twin: TwinResult | undefined): Case[] {
  if (twin === undefined) return [];
  const { responses, latency } = twin;
  const frame = { group: "twin.responses", name: "responses" };
  const { differences, failures, requests, outcome } = responses;
  const figures = twinFailuresText(failures);
  const same = `${counted(requests, "different request")} compared`;
  return [
    ...twinDifferenceTexts(differences).map(({ text, example }): Case => {
      const name = `${twinRequestName(example.request)}: ${example.change} ${example.path}`;
      const details = () => [text, ...example.evidence];
      return {
        ...frame,
        name,
        verdict: twinLabels.different,
        outcome: { kind: "failed", message: text, details },
      };
    }),
    ...(outcome === "different"
      ? []
      : [{ ...frame, verdict: twinLabels[outcome], outcome: responsesOutcome(outcome, same) }]),
    {
      group: "twin.failures",
      name: "failed requests",
      verdict: twinLabels[failures.outcome],
      outcome:
        failures.outcome === "different"
          ? { kind: "failed", message: figures, details: () => [figures] }
          : { kind: "passed", remark: () => [figures] },
    },
    ...latency.map(latencyCase),
  ];
}

function responsesOutcome(outcome: "same" | "inconclusive", text: string): CaseOutcome {
  return outcome === "same"
    ? { kind: "passed", remark: () => [text] }
    : { kind: "skipped", message: `${twinLabels[outcome]}: ${text}` };
}

function latencyCase(one: TwinLatency): Case {
  const { request, outcome, old, new: now, pairs } = one;
  const name = `latency: ${twinRequestName(request)}`;
  const medians =
    old === undefined || now === undefined ? "" : `${milliseconds(old)} old, ${milliseconds(now)} new, `;
  const text = `${medians}${twinIntervalText(one)}, ${counted(pairs, "pair")}`;
  const frame = { group: "twin.latency", name, verdict: twinLabels[outcome] };
  switch (outcome) {
    case "slower":
      return { ...frame, outcome: { kind: "failed", message: text, details: () => [text] } };
    case "same":
    case "faster":
      return { ...frame, outcome: { kind: "passed", remark: () => [text] } };
    case "inconclusive":
      return { ...frame, outcome: { kind: "skipped", message: `${twinLabels[outcome]}: ${text}` } };
    default:
      return outcome satisfies never;
  }
}
