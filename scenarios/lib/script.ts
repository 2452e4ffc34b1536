import { onDemand } from "virtual:on-demand";
import exec from "k6/execution";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { Environment } from "./environment.ts";
import type { hooksOf } from "./hooks.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { dueMilliseconds, type OpenTraffic, stagesOf } from "./schedule.ts";

/**
 * The exports of a script without its iterations; empty in a virtual user: k6 calls them only in contexts of
 * their own, but evaluates the modules for each virtual user.
 */
export function createScript(
  scenario: ScenarioId,
  environment: Environment,
): Partial<ReturnType<typeof hooksOf>> {
  return __VU > 0 ? {} : onDemand().hooksOf(scenario, environment);
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

/** At every 4th of the first 2,000 lookups and every 32nd after: enough for a percentile of any run. */
const lagMeasuredAtFirst = 2000;
const lagMeasuredFirstEvery = 4;
const lagMeasuredLaterEvery = 32;

/** The returned function gives the global index of an iteration and sometimes measures its lag. */
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
