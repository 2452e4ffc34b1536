import { fieldsByRetailer, statuses } from "./discovered.ts";
import { limitEstimate } from "./drift.ts";
import { fieldNames } from "./field-names.ts";
import { schemaVersion } from "./results.ts";
import {
  array,
  choice,
  count,
  described,
  literal,
  mapOf,
  moment,
  named,
  number,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";

export const contract = named(
  "Contract",
  object(
    {
      keyFingerprint: string("For the primary key, as in the results."),
      retailers: array(string()),
      categories: array(string()),
      dialect: fieldNames,
      fieldsByRetailer: fieldsByRetailer,
      statuses: statuses,
      accepted: optional(count("Requests accepted in a burst before the first 429.")),
      refused: count("429 responses in the whole run."),
      limit: optional(described(limitEstimate, "The limit as a probe under load estimated it.")),
    },
    "What a run showed of the target that clients rely on.",
  ),
);
export type Contract = Static<typeof contract>;

export const recordedRun = named(
  "RecordedRun",
  object(
    {
      run: string("Name of the run."),
      startedAt: moment(),
      scenario: string(),
      profile: string(),
      verdict: choice(["pass", "slower", "fail"]),
      comparability: object({
        hash: string(),
        parts: mapOf(string()),
      }),
      curves: array(
        object({
          endpoint: string(),
          count: count(),
          at: array(number()),
          milliseconds: array(number()),
        }),
        "Latency by endpoint: milliseconds at each percentile, as in the results.",
      ),
    },
    "One scenario of one load run.",
  ),
);
export type RecordedRun = Static<typeof recordedRun>;

export const baseline = object(
  {
    schemaVersion: literal(schemaVersion),
    target: string("Name of the target."),
    recordedAt: moment(),
    since: moment("Start of the run that showed the contract."),
    failing: array(string(), "Checks that failed in that run, and those that a waiver covered."),
    contract: contract,
    load: optional(
      object(
        {
          runs: array(recordedRun),
        },
        "Latency of several load runs.",
      ),
    ),
  },
  "What `baseline accept` records of a target: the contract and the latency that later runs are compared with. Holds no key.",
  { $id: "baseline.schema.json", title: "Baseline" },
);
export type Baseline = Static<typeof baseline>;
