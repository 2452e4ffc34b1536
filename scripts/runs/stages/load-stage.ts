import type { Target } from "../../../conformance/client/target.ts";
import { scenarioLabel } from "../../../schemas/scenarios.ts";
import { isLoopback } from "../../config/connection.ts";
import { defaults } from "../../config/settings.ts";
import type { LoadPlan } from "../../load/plan.ts";
import { withExpectedLimit } from "../../load/rules.ts";
import { type LoadRequest, runLoad } from "../../load/run.ts";
import { withLoadFixtures } from "./load-fixtures.ts";
import type { Run } from "./record.ts";

interface LoadStage extends Pick<LoadRequest, "k6" | "fixtures" | "env" | "noProduct" | "noBatch"> {
  readonly plans: readonly LoadPlan[];
}

/**
 * Sends loads, and adds their results to those of the run.
 *
 * @throws as runLoad. The results of the other loads are kept.
 */
export async function loadStage(
  { folder, progress, signal, state, target }: Omit<Run, "settings" | "waivers">,
  { plans, ...stage }: LoadStage,
): Promise<void> {
  // Requests with a rejected key would count as failed.
  const withoutOtherOrg = state.discovered.keyRoles?.otherOrg === "unusable";
  const fixtures = await withLoadFixtures(stage.fixtures, {
    plans: withoutOtherOrg ? [] : plans,
    target,
    signal,
  });
  const common = {
    ...stage,
    fixtures,
    target,
    withoutOtherOrg,
    servicePlace: placeOf(target),
    categories: target.categories,
    outDir: folder,
    progress,
    signal,
  };
  for (const plan of plans) {
    if (signal.aborted) return;
    progress(`load: ${scenarioLabel(plan.scenario)} (${plan.profileName})`);
    const judged = withExpectedLimit(await runLoad({ ...common, plan }), target.expectedLimit);
    state.load.push({ ...judged, notes: [...plan.notes, ...judged.notes] });
  }
}

function placeOf({ name, baseUrl }: Target): LoadRequest["servicePlace"] {
  if (name === defaults.target) return "built-in";
  return isLoopback(new URL(baseUrl).hostname) ? "here" : undefined;
}
