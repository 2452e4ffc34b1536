import { type ConformanceRun, runConformance } from "../conformance/run.ts";
import type { Run } from "../results/record.ts";

/** Runs the suite and notes what it learned; a problem on the way is noted beside it. */
export async function conformanceStage(
  { target, folder, progress, signal, learned }: Run,
  options: { only: readonly string[]; skip: readonly string[]; maxRequests: number },
): Promise<ConformanceRun> {
  const { maxRequests } = options;
  const only = [...options.only];
  const skip = [...options.skip];
  const made = await runConformance({ target, only, skip, maxRequests, outDir: folder, progress, signal });
  learned.requirements = made.requirements;
  learned.requests = made.requests;
  learned.discovered = made.discovered;
  if (made.problem !== undefined) learned.problem = made.problem;
  return made;
}
