import {
  array,
  boolean,
  choice,
  count,
  type Fields,
  integer,
  literal,
  named,
  number,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from "./schema.ts";

export const driftRank = choice(
  ["breaking", "notable", "harmless"],
  "By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.",
);

/** A change of one kind, with the fields of its own. */
function changed<K extends string, F extends Fields>(kind: K, own: F, about: string) {
  const ranked = { kind: literal(kind), rank: driftRank, rule: string("Id of the rule that ranked it.") };
  return object({ ...ranked, ...own }, about);
}

export const share = named(
  "Share",
  object(
    { count: count(), total: count() },
    "How often something was seen, out of how often it could have been.",
  ),
);
export type Share = Static<typeof share>;

export const limitEstimate = named(
  "LimitEstimate",
  object(
    { perSecond: number(), low: number(), high: number() },
    "Requests a second, with the ends of the interval that holds the true value.",
  ),
);
export type LimitEstimate = Static<typeof limitEstimate>;

export const burst = named(
  "Burst",
  object({
    accepted: count(),
    limitReached: boolean("Without a 429 in the run, the burst ended before the limit."),
  }),
);
export type Burst = Static<typeof burst>;

export const fieldDrift = named(
  "FieldDrift",
  changed(
    "field",
    {
      subject: string("Path of the field."),
      retailers: array(
        object({ retailer: string(), before: share, after: share }),
        "How many of the retailer's products had the field.",
      ),
      more: optional(
        integer("More fields that changed by the same rule and are not listed.", { minimum: 1 }),
      ),
    },
    "A field is on more or fewer products than before.",
  ),
);
export type FieldDrift = Static<typeof fieldDrift>;

export const fieldNameDrift = named(
  "FieldNameDrift",
  changed(
    "dialect",
    {
      subject: choice(
        ["batchRequestField", "batchFoundField", "batchFoundProduct", "gtin"],
        "Name of the setting in `dialect`.",
      ),
      before: optional(string("Omitted when it was not found.")),
      after: optional(string("Omitted when it was not found.")),
    },
    "A name that the spec leaves open changed.",
  ),
);
export type FieldNameDrift = Static<typeof fieldNameDrift>;

export const retailerDrift = named(
  "RetailerDrift",
  changed(
    "retailer",
    {
      subject: string("Slug of the retailer."),
      otherKey: optional(literal(true, "The primary key has changed, which may be the cause.")),
    },
    "A retailer was added or removed for the primary key, or none of its products was seen.",
  ),
);
export type RetailerDrift = Static<typeof retailerDrift>;

export const statusDrift = named(
  "StatusDrift",
  changed(
    "status",
    {
      subject: string("The status, such as `404`."),
      endpoint: string("Named as in schemas/api.ts."),
      before: share,
      after: share,
    },
    "An endpoint returned a status more or less often than before.",
  ),
);
export type StatusDrift = Static<typeof statusDrift>;

export const limitDrift = named(
  "LimitDrift",
  changed(
    "limit",
    {
      subject: literal("rate"),
      before: limitEstimate,
      after: limitEstimate,
    },
    "Two probes under load found different limits, in requests a second.",
  ),
);
export type LimitDrift = Static<typeof limitDrift>;

export const burstDrift = named(
  "BurstDrift",
  changed(
    "limit",
    {
      subject: literal("burst"),
      before: burst,
      after: burst,
    },
    "Two bursts had different numbers of accepted requests.",
  ),
);
export type BurstDrift = Static<typeof burstDrift>;

export const drift = named(
  "Drift",
  oneOf(
    [fieldDrift, fieldNameDrift, retailerDrift, statusDrift, limitDrift, burstDrift],
    "One change of the contract, by a rule of drift.",
  ),
);
export type Drift = Static<typeof drift>;
