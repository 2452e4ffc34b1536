import { loadVerdictLabels } from "../../../../schemas/verdicts.ts";
import { shownPercentiles } from "../../../load/latencies.ts";
import { type Case, type CaseOutcome, type Suite, waivedText } from "./cases.ts";
import { latencyText, type ShownThreshold } from "./endpoint-rows.ts";
import type { ShownLoad } from "./shown-load.ts";

/** One suite for each load run: its verdict and its limits. */
export function loadSuite(load: ShownLoad): Suite {
  const { thresholds, name, result } = load;
  const took = result.seconds === undefined ? undefined : result.seconds * 1000;
  const cases = [loadCase(load), ...thresholds.map((threshold) => thresholdCase(threshold, load))];
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
function loadCase({ result, id: group, label, otherReasons, notes, invalid, thresholds }: ShownLoad): Case {
  const { verdict } = result;
  const exceeded = thresholds.filter((one) => one.verdict === "failed").map(thresholdName);
  const message = otherReasons.join(" ") || label;
  const responses = invalid.flatMap(({ text, exchange }) => [text, exchange]);
  const details = () => [...otherReasons, ...notes, ...responses];
  return { group, name: "verdict of the run", verdict: label, outcome: outcome() };

  function outcome(): CaseOutcome {
    if (verdict === "pass")
      return notes.length === 0 ? { kind: "passed" } : { kind: "passed", remark: () => notes };
    if (exceeded.length > 0 && otherReasons.length === 0)
      return { kind: "skipped", message: `${label}: see ${exceeded.join("; ")}` };
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

function thresholdName({ name, limit }: ShownThreshold): string {
  return `${name}, ${limit}`;
}

function thresholdCase(shown: ShownThreshold, { result, id: group, invalid }: ShownLoad): Case {
  const { name, figures, verdict, threshold } = shown;
  const { metric, guards, waiver, crossing, request, notJudged } = threshold;
  const values = Object.entries(result.metrics[metric] ?? {}).map(([value, number]) => `${value} ${number}`);
  // The limit gives the number of failures; the first response shows what was wrong.
  const first = crossing === "invalid-responses" ? invalid.find((one) => one.request === request) : undefined;
  const message = `${name}: ${figures}${first === undefined ? "" : `. The first: ${first.text}`}`;
  return {
    group,
    name: thresholdName(shown),
    verdict,
    outcome: outcome(),
  };

  function outcome(): CaseOutcome {
    if (waiver !== undefined && verdict === "waived")
      return { kind: "skipped", message: waivedText(waiver, message) };
    if (verdict === "passed") return { kind: "passed" };
    if (verdict === "not judged") {
      const { samples = 0, needed = 0 } = notJudged ?? {};
      const why =
        result.verdict === "invalid" ? "the run is invalid" : `${samples} samples, ${needed} needed`;
      return { kind: "skipped", message: `${verdict}: ${message} (${why})` };
    }
    const exchange = first === undefined ? [] : [first.exchange];
    const details = () => [message, ...values, ...exchange];
    return { kind: guards === "target" ? "failed" : "error", message, details };
  }
}
