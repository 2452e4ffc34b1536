import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { LoadComparison } from "../../../../schemas/contracts/load-result.ts";
import type { Threshold } from "../../../../schemas/contracts/threshold.ts";
import { comparisonLabels, loadVerdictLabels } from "../../../../schemas/verdicts.ts";
import type { LatencyRow } from "../../latency-table.ts";
import { type Case, type CaseOutcome, type Suite, waivedText } from "./cases.ts";
import { latencyText, shownPercentiles } from "./endpoint-rows.ts";
import type { ShownComparison, ShownLoad, ShownThreshold } from "./shown-load.ts";

/** One suite for each load run: its verdict, its thresholds, and each latency that was compared with earlier runs. */
export function loadSuite(load: ShownLoad): Suite {
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
      const why =
        result.verdict === "invalid" ? "the run is invalid" : `${samples} samples, ${needed} needed`;
      return { kind: "skipped", message: `${verdict}: ${message} (${why})` };
    }
    const exchange = first === undefined ? [] : [first.exchange];
    const details = () => [message, ...values, ...exchange];
    return { kind: guards === "target" ? "failed" : "error", message, details };
  }
}

function comparedName({ endpoint, statistic }: LatencyRow): string {
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
