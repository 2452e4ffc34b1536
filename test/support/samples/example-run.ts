import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../../schemas/contracts/results.ts";
import type { EarlierRun } from "../../../scripts/runs/read-run.ts";
import { exampleLoad, exampleRequirement, exampleResults, timed } from "./example.ts";

type Verdicts = Readonly<Record<string, RequirementResult["verdict"]>>;

/** A run that started at a given hour, for tests, with requirements by verdict, and the p95 of lookups if it sent load. */
export function exampleRun(
  hour: number,
  verdicts: Verdicts,
  p95?: number,
  change: Partial<Results> = {},
): Pick<EarlierRun, "name" | "results"> {
  const startedAt = `2026-11-21T${String(hour).padStart(2, "0")}:00:00.000Z`;
  const results = exampleResults({
    startedAt,
    finishedAt: startedAt,
    requirements: Object.entries(verdicts).map(([id, verdict]) => exampleRequirement({ id, verdict })),
    load: p95 === undefined ? [] : [loadWith(p95)],
    ...change,
  });
  return { name: `2026-11-21T${String(hour).padStart(2, "0")}-00-00-000Z-gate-abcdef`, results };
}

function loadWith(p95: number): LoadResult {
  return exampleLoad({
    metrics: { http_reqs: { count: 40, rate: 10 }, ...timed({ "lookup-by-id": [40, 1, p95] }) },
    validated: { answers: 40, invalid: 0 },
  });
}
