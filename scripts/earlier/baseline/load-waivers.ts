import { guardOf } from "../../../scenarios/lib/thresholds.ts";
import { type ScenarioId, scenarioIds } from "../../../schemas/scenarios.ts";
import type { LoadResult, Waiver } from "../../../schemas/types.ts";

/** A threshold that a waiver names: `load.lookup/answers_invalid{name:lookup-by-id}`. */
export interface WaivedThreshold {
  readonly scenario: ScenarioId;
  /** Metric as k6 names it, with its tags. */
  readonly metric: string;
}

type Threshold = LoadResult["thresholds"][number];

/** The id by which a threshold is waived. */
export function thresholdId(scenario: string, metric: string): string {
  return `load.${scenario}/${metric}`;
}

/** What an id of that form names; undefined for any other id, such as that of a check. */
export function waivedThreshold(id: string): WaivedThreshold | undefined {
  const [, scenario, metric] = /^load\.([\w-]+)\/(.+)$/.exec(id) ?? [];
  if (scenario === undefined || metric === undefined || !isScenario(scenario)) return undefined;
  // What guards the run itself cannot be waived: then nothing was measured.
  return guardOf(metric) === "target" ? { scenario, metric } : undefined;
}

function isScenario(name: string): name is ScenarioId {
  return scenarioIds.some((id) => id === name);
}

/** Whether what it limits comes and goes by nature, so that a waiver of it is not stale when it holds once. */
export function comesAndGoes(metric: string): boolean {
  return metric.startsWith("http_req_duration") || metric.startsWith("http_req_failed");
}

/**
 * Load results with the waivers at the thresholds that they waive. A run is not broken any more when nothing else was
 * crossed; what kept it from measuring still makes it invalid.
 */
export function waiveThresholds(load: readonly LoadResult[], waivers: readonly Waiver[]): LoadResult[] {
  return load.map((result) => {
    const thresholds = result.thresholds.map((threshold) => waived(threshold, result.scenario, waivers));
    const covered = thresholds.filter(({ waiver }) => waiver !== undefined);
    if (covered.length === 0) return result;
    const isCovered = (reason: string) =>
      covered.some(({ metric, expression }) => reason.startsWith(`${metric} crossed ${expression}`));
    const reasons = result.reasons.filter((reason) => !isCovered(reason));
    const notes = result.reasons.filter(isCovered).map((reason) => `waived: ${reason}`);
    return {
      ...result,
      thresholds,
      reasons,
      notes: [...notes, ...(result.notes ?? [])],
      verdict: result.verdict === "broken" ? verdictOf(thresholds, reasons) : result.verdict,
    };
  });
}

function waived(threshold: Threshold, scenario: string, waivers: readonly Waiver[]): Threshold {
  const waiver = waivers.find(({ id }) => id === thresholdId(scenario, threshold.metric));
  if (threshold.held || threshold.guards === "run" || waiver === undefined) return threshold;
  return { ...threshold, waiver };
}

function verdictOf(thresholds: readonly Threshold[], reasons: readonly string[]): LoadResult["verdict"] {
  const open = thresholds.some(
    ({ held, guards, waiver }) => !held && guards !== "run" && waiver === undefined,
  );
  if (open) return "broken";
  return reasons.length === 0 ? "pass" : "invalid";
}
