import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { Threshold } from "../../../../schemas/contracts/threshold.ts";
import { loadVerdictLabels } from "../../../../schemas/verdicts.ts";
import { type Case, type CaseOutcome, type Suite, waivedText } from "./cases.ts";
import { latencyText, shownPercentiles } from "./endpoint-rows.ts";
import type { ShownLoad, ShownThreshold } from "./shown-load.ts";

/** One suite for each load run: its verdict, its thresholds, and each latency that was compared with earlier runs. */
export function loadSuite(load: ShownLoad): Suite {
  const { thresholds, name, result } = load;
  const took = result.seconds === undefined ? undefined : result.seconds * 1000;
  const cases = [
    loadCase(load),
    ...thresholds.map((threshold, place) => thresholdCase(threshold, load, result.thresholds[place])),
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
  const { scenario, profile, conditions } = result;
  const byEndpoint = endpoints.flatMap((row) =>
    shownPercentiles.map((percentile) => [`${row.name}, p${percentile}`, latencyText(row, percentile)]),
  );
  return {
    scenario,
    profile,
    verdict: label,
    ...figures,
    ...conditions,
    ...Object.fromEntries(byEndpoint),
  };
}

/**
 * The verdict of a load run. If the cases of its thresholds already fail, this case is skipped and names
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
        return { kind: "failed", message, details };
      case "invalid":
        return { kind: "error", message: `${loadVerdictLabels[verdict]}: ${message}`, details };
      default:
        return verdict satisfies never;
    }
  }
}

/** Name of the case that fails because of a finding; undefined if only the case of the run does. */
function caseNameOf({ result, thresholds }: ShownLoad, finding: Finding | undefined): string | undefined {
  if (finding === undefined) return undefined;
  const place = result.thresholds.findIndex(
    ({ crossing, request, statistic }) =>
      crossing === finding.code &&
      request === finding.subject &&
      (finding.details?.statistic ?? statistic) === statistic,
  );
  const threshold = thresholds[place];
  return threshold?.verdict === "failed" ? thresholdName(threshold) : undefined;
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
