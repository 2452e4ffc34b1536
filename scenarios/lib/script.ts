import { onDemand } from "virtual:on-demand";
import exec from "k6/execution";
import { Gauge } from "k6/metrics";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { Environment } from "./environment.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import type { ScenarioOptions } from "./options.ts";
import { dueMilliseconds, type OpenTraffic, stagesOf } from "./schedule.ts";
import type { ConnectionOptions } from "./settings.ts";
import type { SummaryData } from "./summary.ts";

/** What every script exports in addition to its traffic. */
export interface Script {
  readonly options: ScenarioOptions & ConnectionOptions;
  setup(): void;
  teardown(): void;
  handleSummary(data: SummaryData): Record<string, string>;
}

/**
 * The exports of a k6 script for a scenario, without its iterations; empty in a virtual user, because k6 reads and calls
 * them only in contexts of their own, but evaluates the modules for each virtual user.
 */
export function createScript(scenario: ScenarioId, environment: Environment): Partial<Script> {
  if (__VU > 0) return {};
  const { options, setup, teardown, handleSummary } = onDemand().hooksOf(scenario, environment);
  /** 1 if the target still responded after the run, otherwise 0. */
  const respondedAfter = new Gauge("target_responded_after");
  return { options: options(), setup, teardown: () => teardown(respondedAfter), handleSummary };
}

const exceptionsShown = 2;

/** Counts exceptions of an iteration, which k6 itself only logs, and logs the first ones. */
export function guarded(environment: Environment, iterate: () => void): () => void {
  let shown = 0;
  return () => {
    try {
      iterate();
    } catch (error) {
      if (shown < exceptionsShown) report(environment, error);
      else metrics.exceptions.add(1);
      shown += 1;
    }
  };
}

/** The same for an asynchronous iteration. */
export function guardedLater(environment: Environment, iterate: () => Promise<void>): () => Promise<void> {
  return () => iterate().catch((error: unknown) => report(environment, error));
}

function report({ redaction }: Environment, error: unknown): void {
  metrics.exceptions.add(1);
  log.error(redaction().redact(`exception in an iteration: ${String(error)}`));
}

/** Lag is measured at every 4th of the first 2,000 lookups and at every 32nd after: enough for a percentile of any run. */
const lagMeasuredAtFirst = 2000;
const lagMeasuredFirstEvery = 4;
const lagMeasuredLaterEvery = 32;

/** Returns a function that gives the global index of an iteration and sometimes measures its lag behind the schedule. */
export function arrival(environment: Environment, traffic: OpenTraffic): () => number {
  const stages = stagesOf(environment.profile, traffic);
  // Kept, because k6 creates a new object at each access; it always describes the current iteration.
  let scenario: typeof exec.scenario | undefined;
  return () => {
    scenario ??= exec.scenario;
    const index = scenario.iterationInTest;
    if (index % (index < lagMeasuredAtFirst ? lagMeasuredFirstEvery : lagMeasuredLaterEvery) === 0) {
      metrics.scheduleLag.add(Math.max(0, Date.now() - scenario.startTime - dueMilliseconds(stages, index)));
    }
    return index;
  };
}
