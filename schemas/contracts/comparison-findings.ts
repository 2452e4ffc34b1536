import type { Drift } from "./drift.ts";
import type { FindingTable } from "./finding-fields.ts";
import { array, custom, object, optional, string } from "./schema.ts";
import type { Threshold } from "./threshold.ts";

// What a comparison of two runs finds: the fields of each code. The subject is the scenario of a load.

const scenario = { subject: optional(string()) };
const ids = { actual: array(string()) };
const crossed = { ...scenario, details: object({ threshold: custom<Threshold>({}) }) };

/** What decided a comparison, then notes. */
export const comparisonFindings = {
  "newly-failing": ids,
  "failing-not-judged-before": ids,
  "no-longer-judged": ids,
  "breaking-drift": { details: object({ drift: custom<Drift>({}) }) },
  "threshold-newly-crossed": crossed,
  "threshold-crossed-not-judged-before": crossed,
  "load-no-longer-measured": scenario,
  "nothing-to-compare": {},
  "latency-not-measured": { ...scenario, details: object({ run: string() }) },
  "runs-differ": {
    ...scenario,
    details: object({ parts: array(object({ part: string(), before: string(), after: string() })) }),
  },
  "scenario-not-in-every-run": scenario,
  "other-target": { expected: string(), actual: string() },
  "other-key": {},
  "run-not-complete": { details: object({ run: string(), problem: optional(string()) }) },
} as const satisfies FindingTable;
export type ComparisonCode = keyof typeof comparisonFindings;
