import { requestLabel } from "../../schemas/scenarios.ts";
import type { Finding, LoadComparison, LoadResult, Threshold } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { limitFigures, thresholdFigures, thresholdLabel } from "../../schemas/words/load.ts";
import type { Case, Outcome, Suite } from "./cases.ts";
import { renderExchange } from "./exchange-text.ts";
import { milliseconds, percent } from "./html/words.ts";
import { waivedMessage } from "./waived.ts";

type Compared = LoadComparison["endpoints"][number];

/** One suite for each load run: its verdict, its thresholds, and each latency that was compared with earlier runs. */
export function loadSuites(load: readonly LoadResult[]): Suite[] {
  return load.map((result) => {
    const { scenario, profile, thresholds, comparison } = result;
    const group = `load.${scenario}.${profile}`;
    return {
      name: `Load: ${scenario} (${profile})`,
      cases: [
        verdictCase(result, group),
        ...thresholds.map((threshold) => thresholdCase(threshold, result, group)),
        ...(comparison?.endpoints ?? []).map((endpoint) => comparedCase(endpoint, group)),
        ...(comparison === undefined || comparison.endpoints.length > 0
          ? []
          : [uncompared(comparison, group)]),
      ],
    };
  });
}

function verdictCase({ verdict, findings, notes: noted, evidence = [] }: LoadResult, group: string): Case {
  const frame = { group, id: `${group}/verdict`, name: "verdict of the run", verdict };
  const reasons = findings.map(textOf);
  const notes = noted.map(textOf);
  const message = reasons.join(" ") || verdict;
  const flaws = evidence.map(
    ({ request, finding, exchange }) =>
      `${requestLabel(request)}: ${textOf(finding)}\n${renderExchange(exchange)}`,
  );
  const details = () => [...reasons, ...notes, ...flaws].join("\n");
  return { ...frame, outcome: outcome() };

  function outcome(): Outcome {
    switch (verdict) {
      case "pass":
        return notes.length === 0 ? { kind: "passed" } : { kind: "passed", remark: () => notes.join("\n") };
      case "fail":
      case "slower":
        return { kind: "failed", message, details };
      case "invalid":
        return { kind: "error", message: `invalid, no verdict on the target: ${message}`, details };
      default:
        return verdict satisfies never;
    }
  }
}

function textOf(finding: Finding): string {
  return findingText(finding, defaultWords);
}

function thresholdCase(threshold: Threshold, run: LoadResult, group: string): Case {
  const { metric, held, guards, waiver } = threshold;
  const name = `${thresholdLabel(threshold)}, ${limitFigures(threshold)}`;
  const values = Object.entries(run.metrics[metric] ?? {}).map(([value, number]) => `${value} ${number}`);
  const message = `${thresholdLabel(threshold)}: ${thresholdFigures(threshold)}`;
  const details = () => [message, ...values].join("\n");
  return {
    group,
    id: `${group}/${name}`,
    name,
    verdict: held ? "held" : waiver === undefined ? "crossed" : "waived",
    outcome: held
      ? { kind: "passed" }
      : waiver !== undefined
        ? { kind: "skipped", message: waivedMessage(waiver, message) }
        : { kind: guards === "target" ? "failed" : "error", message, details },
  };
}

function comparedCase(compared: Compared, group: string): Case {
  const { endpoint, statistic, answer, before, after, change, low, high } = compared;
  const name = `${endpoint} ${statistic} against earlier runs`;
  const told = `${answer}: ${milliseconds(before)} before, ${milliseconds(after)} now, ${percent(change)} (${percent(low)} to ${percent(high)})`;
  return {
    group,
    id: `${group}/${endpoint}/${statistic}`,
    name,
    verdict: answer,
    outcome: comparedOutcome(answer, told),
  };
}

function uncompared({ answer, reason }: LoadComparison, group: string): Case {
  const name = "latency against earlier runs";
  return {
    group,
    id: `${group}/comparison`,
    name,
    verdict: answer,
    outcome: comparedOutcome(answer, reason),
  };
}

function comparedOutcome(answer: LoadComparison["answer"], told: string): Outcome {
  switch (answer) {
    case "slower":
      return { kind: "failed", message: told, details: () => told };
    case "same":
    case "faster":
      return { kind: "passed", remark: () => told };
    case "inconclusive":
    case "refused":
      return { kind: "skipped", message: told };
    default:
      return answer satisfies never;
  }
}
