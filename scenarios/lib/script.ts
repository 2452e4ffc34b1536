import exec from "k6/execution";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { Environment } from "./environment.ts";
import { logError } from "./log.ts";
import { metrics } from "./metrics.ts";
import { optionsFor, type ScenarioOptions } from "./options.ts";
import { awaitOthers, farewell, preflight } from "./preflight.ts";
import { trendStatistics } from "./quantiles.ts";
import { dueMilliseconds, plannedOf, stagesOf } from "./schedule.ts";
import { renderSummary, type SummaryData, summarize } from "./summary.ts";
import { limitsFor } from "./thresholds.ts";

/** What every script exports beside its traffic. */
export interface Script {
  readonly options: ScenarioOptions | undefined;
  setup(): void;
  teardown(): void;
  handleSummary(data: SummaryData): Record<string, string>;
}

export function createScript(scenario: ScenarioId, environment: Environment): Script {
  const { settings, profile, catalogue, redaction } = environment;
  return {
    // k6 reads the options of its first context only, and makes the script's modules anew for each virtual user.
    options:
      __VU === 0 ? optionsFor(scenario, profile, catalogue, settings.seed, trendStatistics()) : undefined,
    setup() {
      preflight(settings, redaction);
      awaitOthers(settings);
    },
    teardown: () => farewell(settings),
    handleSummary(data) {
      const limits = limitsFor(scenario, profile, catalogue, settings.seed);
      const summary = summarize(data, limits, {
        scenario,
        profile: settings.profile,
        seed: settings.seed,
        plannedIterations: plannedOf(profile, scenario),
      });
      const files =
        settings.summaryPath === undefined ? {} : { [settings.summaryPath]: JSON.stringify(summary) };
      return { ...files, stdout: renderSummary(summary) };
    },
  };
}

const exceptionsShown = 2;

/** Counts what an iteration throws: k6 logs it and passes. The first few are shown, not all of thousands. */
export function guarded({ redaction }: Environment, iterate: () => void): () => void {
  let shown = 0;
  return () => {
    try {
      iterate();
    } catch (error) {
      metrics.exceptions.add(1);
      if (shown < exceptionsShown) logError(redaction.redact(`exception in an iteration: ${String(error)}`));
      shown += 1;
    }
  };
}

/** The same for an iteration that goes on after it returned. */
export function guardedLater({ redaction }: Environment, iterate: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await iterate();
    } catch (error) {
      metrics.exceptions.add(1);
      logError(redaction.redact(`exception in an iteration: ${String(error)}`));
    }
  };
}

const lagMeasuredEvery = 4;

/** One iteration of open traffic: its global index, with the lag behind the schedule measured now and then. */
export function arrival(environment: Environment, traffic: "lookup" | "batch"): () => number {
  const stages = stagesOf(environment.profile, traffic);
  // Made once: k6 makes a new object at each access, and this one always shows the iteration under way.
  let scenario: typeof exec.scenario | undefined;
  return () => {
    scenario ??= exec.scenario;
    const index = scenario.iterationInTest;
    if (index % lagMeasuredEvery === 0) {
      metrics.scheduleLag.add(Math.max(0, Date.now() - scenario.startTime - dueMilliseconds(stages, index)));
    }
    return index;
  };
}
