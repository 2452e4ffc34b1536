import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import type { Results } from "../../schemas/types.ts";
import { type RunBaseline, waiverResults, waiversInForce } from "../earlier/baseline.ts";
import type { Run } from "./record.ts";
import { type ConformanceOptions, type ConformanceRun, runConformance } from "./run-conformance.ts";
import { type Selection, selectChecks } from "./select.ts";

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
  const scope = scopeOf(options);
  if (scope !== undefined) learned.scope = scope;
  return made;
}

/** How much of the spec a selection judges; undefined when it leaves nothing out. */
function scopeOf(selection: Selection): Results["scope"] {
  const all = listChecks();
  const selected = selectChecks(all, selection);
  const requirements = (checks: readonly Listed[]) =>
    new Set(checks.map(({ requirement }) => requirement)).size;
  return selected.length === all.length
    ? undefined
    : { requirements: requirements(selected), of: requirements(all) };
}
