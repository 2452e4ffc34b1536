import { drift } from "./drift.ts";
import type { FindingTable } from "./finding-fields.ts";
import { array, choice, number, object, optional, string } from "./schema.ts";
import { threshold } from "./threshold.ts";

// What a comparison with earlier runs finds: the fields of each code. The subject is the scenario, where there are several.

const scenario = { subject: optional(string()) };
const changes = {
  ...scenario,
  details: object({
    changes: array(
      object({
        endpoint: string("Kind of request, or `all`."),
        statistic: string(),
        change: number("Relative: 0.2 is 20 % slower."),
      }),
    ),
    more: number("Further changes, which are not listed."),
  }),
};
const difference = {
  ...scenario,
  expected: string(),
  actual: string(),
  details: object({ part: string(), run: string(), other: string() }),
};
const ids = { actual: array(string()) };
const crossed = { ...scenario, details: object({ threshold }) };

/** Latency, then what decided a whole comparison, then notes. */
export const comparisonFindings = {
  "latency-slower": changes,
  "latency-faster": changes,
  "latency-same": { ...scenario, expected: number(), details: object({ endpoint: string() }) },
  "latency-undecided": {
    ...scenario,
    details: object({
      endpoint: string(),
      statistic: string(),
      low: number(),
      high: number(),
      runsNeeded: optional(number()),
    }),
  },
  "latency-too-few-samples": scenario,
  "latency-not-judged": { ...scenario, expected: number() },
  "latency-too-few-runs": { ...scenario, expected: number(), actual: number() },
  "latency-not-measured": {
    ...scenario,
    details: object({ run: string(), cause: choice(["invalid", "no-percentiles"]) }),
  },
  "runs-differ": difference,
  "newly-failing": ids,
  "failing-not-judged-before": ids,
  "no-longer-judged": ids,
  "breaking-drift": { details: object({ drift }) },
  "threshold-newly-crossed": crossed,
  "threshold-crossed-not-judged-before": crossed,
  "load-no-longer-measured": scenario,
  "nothing-to-compare": {},
  "runs-in-sequence": scenario,
  "compared-although-different": difference,
  "scenario-not-in-every-run": scenario,
  "other-target": { expected: string(), actual: string() },
  "other-key": {},
  "run-not-complete": { details: object({ run: string(), problem: optional(string()) }) },
} as const satisfies FindingTable;
export type ComparisonCode = keyof typeof comparisonFindings;
