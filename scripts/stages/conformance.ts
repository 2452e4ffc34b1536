import { type ConformanceOptions, type ConformanceRun, runConformance } from "../conformance/run.ts";
import type { Run } from "../results/record.ts";

/** Runs the suite and notes what it learned; a problem on the way is noted beside it. */
export async function conformanceStage(
  { target, progress, signal, learned }: Run,
  options: Pick<ConformanceOptions, "only" | "skip" | "maxRequests">,
): Promise<ConformanceRun> {
  const made = await runConformance({ target, progress, signal, ...options });
  learned.requirements = made.requirements;
  learned.requests = made.requests;
  learned.discovered = made.discovered;
  if (made.problem !== undefined) learned.problem = made.problem;
  return made;
}
