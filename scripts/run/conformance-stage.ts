import { type RunBaseline, waiverResults, waiversInForce } from "../earlier/baseline.ts";
import type { Run } from "./record.ts";
import { type ConformanceOptions, type ConformanceRun, runConformance } from "./run-conformance.ts";

type StageOptions = Pick<ConformanceOptions, "only" | "skip" | "maxRequests"> & {
  readonly baseline: RunBaseline;
};

/** Runs the suite and notes what it learned, and what became of the waivers; a problem on the way is noted beside it. */
export async function conformanceStage(
  { target, progress, signal, learned }: Run,
  { baseline, ...options }: StageOptions,
): Promise<ConformanceRun> {
  const waivers = waiversInForce(baseline);
  const made = await runConformance({ target, progress, signal, waivers, ...options });
  learned.requirements = made.requirements;
  learned.requests = made.requests;
  learned.discovered = made.discovered;
  const results = waiverResults(baseline, learned);
  if (results.length > 0) learned.waivers = results;
  if (made.problem !== undefined) learned.problem = made.problem;
  return made;
}
