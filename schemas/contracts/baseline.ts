import { fieldsByRetailer, statuses } from "./discovered.ts";
import { limitEstimate } from "./drift.ts";
import { fieldNames } from "./field-names.ts";
import { schemaVersion } from "./results.ts";
import {
  array,
  count,
  described,
  literal,
  moment,
  named,
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

export const baseline = object(
  {
    schemaVersion: literal(schemaVersion),
    target: string("Name of the target."),
    recordedAt: moment(),
    since: moment("Start of the run that showed the contract."),
    failing: array(string(), "Checks that failed in that run, and those that a waiver covered."),
    contract: contract,
  },
  "What `baseline accept` records of a target: the contract that later runs are compared with. Holds no key.",
  { $id: "baseline.schema.json", title: "Baseline" },
);
export type Baseline = Static<typeof baseline>;
