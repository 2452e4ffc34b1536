import { fieldNames } from "./field-names.ts";
import { schemaVersion } from "./results.ts";
import * as t from "./schema.ts";

export const contract = t.named(
  "Contract",
  t.object(
    {
      keyFingerprint: t.string("For the primary key, as in the results."),
      retailers: t.array(t.string()),
      categories: t.array(t.string()),
      dialect: fieldNames,
      fieldsByRetailer: t.mapOf(t.object({ products: t.count(), fields: t.mapOf(t.count()) })),
      statuses: t.mapOf(t.mapOf(t.count())),
      accepted: t.optional(t.count("Requests accepted in a burst before the first 429.")),
      refused: t.count("429 responses in the whole run."),
      limit: t.optional(
        t.object(
          { perSecond: t.number(), low: t.number(), high: t.number() },
          "The limit as a probe under load estimated it.",
        ),
      ),
    },
    "What a run showed of the target that clients rely on.",
  ),
);
export type Contract = t.Static<typeof contract>;

export const baseline = t.object(
  {
    schemaVersion: t.literal(schemaVersion),
    target: t.string("Name of the target."),
    recordedAt: t.moment(),
    since: t.moment("Start of the run that showed the contract."),
    failing: t.array(t.string(), "Checks that failed in that run, and those that a waiver covered."),
    contract: contract,
  },
  "What `baseline accept` records of a target: the contract that later runs are compared with. Holds no key.",
);
export type Baseline = t.Static<typeof baseline>;
