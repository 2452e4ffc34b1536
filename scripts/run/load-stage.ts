import { redactionFor } from "../../conformance/client/redaction.ts";
import type { LoadFixtures } from "../../schemas/types.ts";
import { type LoadRequest, runLoad } from "../load/run.ts";
import { withinBounds } from "../load/target-bounds.ts";
import type { Run } from "./record.ts";

type LoadPlan = Pick<
  LoadRequest,
  | "env"
  | "k6Path"
  | "profileName"
  | "profile"
  | "overrides"
  | "seed"
  | "shards"
  | "k6Args"
  | "waivers"
  | "compare"
  | "noProduct"
> & {
  readonly scenarios: readonly LoadRequest["scenario"][];
  readonly fixtures: LoadFixtures;
};

/** Runs scenarios one after the other and notes each result as it comes. */
export async function loadStage(run: Run, { scenarios, ...plan }: LoadPlan): Promise<void> {
  const { folder, progress, signal, learned } = run;
  const { baseUrl, keys, keyVariables, way, proxy } = run.target;
  const redaction = redactionFor(run.target);
  // A key that the target refuses would count as failed requests.
  const otherOrgKey = learned.discovered.keyRoles?.otherOrg === "unusable" ? undefined : keys.otherOrg;
  const target = { baseUrl, key: keys.primary ?? "", otherOrgKey, keyVariables, way, proxy };
  for (const scenario of scenarios) {
    if (signal.aborted) return;
    progress(`load: ${scenario}, profile ${plan.profileName}`);
    const { notes, ...traffic } = withinBounds({ ...plan, scenario }, run.target);
    const result = await runLoad({
      ...plan,
      ...traffic,
      scenario,
      target,
      categories: run.target.categories,
      redaction,
      outDir: folder,
      progress,
      signal,
    });
    learned.load.push({ ...result, notes: [...notes, ...result.notes] });
  }
}
