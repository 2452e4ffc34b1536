import type { LoadFixtures } from "../../schemas/types.ts";
import { type LoadRequest, runLoad } from "../load/run.ts";
import type { Run } from "../results/record.ts";

export type LoadPlan = Pick<LoadRequest, "profileName" | "profile" | "overrides" | "k6Args"> & {
  readonly k6Path: string;
  readonly scenarios: readonly LoadRequest["scenario"][];
  readonly fixtures: LoadFixtures;
};

/** Runs scenarios one after the other and notes each result as it comes. */
export async function loadStage(run: Run, { scenarios, ...plan }: LoadPlan): Promise<void> {
  const { target, folder, progress, signal, learned } = run;
  const key = target.keys.primary ?? "";
  for (const scenario of scenarios) {
    if (signal.aborted) return;
    progress(`load: ${scenario}, profile ${plan.profileName}`);
    const to = { baseUrl: target.baseUrl, key };
    learned.load.push(await runLoad({ ...plan, scenario, target: to, outDir: folder, progress, signal }));
  }
}
