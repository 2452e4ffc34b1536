import * as t from "./schema.ts";

export const driftRank = t.choice(
  ["breaking", "notable", "harmless"],
  "By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed.",
);

/** A change of one kind, with the fields of its own. */
function changed<K extends string, F extends t.Fields>(kind: K, own: F, about: string) {
  const ranked = { kind: t.literal(kind), rank: driftRank, rule: t.string("Id of the rule that ranked it.") };
  return t.object({ ...ranked, ...own }, about);
}

export const share = t.named(
  "Share",
  t.object(
    { count: t.count(), total: t.count() },
    "How often something was seen, out of how often it could have been.",
  ),
);
export type Share = t.Static<typeof share>;

export const limitEstimate = t.named(
  "LimitEstimate",
  t.object(
    { perSecond: t.number(), low: t.number(), high: t.number() },
    "Requests a second, with the ends of the interval that holds the true value.",
  ),
);
export type LimitEstimate = t.Static<typeof limitEstimate>;

export const burst = t.named(
  "Burst",
  t.object({
    accepted: t.count(),
    limitReached: t.boolean("Without a 429 in the run, the burst ended before the limit."),
  }),
);
export type Burst = t.Static<typeof burst>;

export const fieldDrift = t.named(
  "FieldDrift",
  changed(
    "field",
    {
      subject: t.string("Path of the field."),
      retailers: t.array(
        t.object({ retailer: t.string(), before: share, after: share }),
        "How many of the retailer's products had the field.",
      ),
      more: t.optional(
        t.integer("More fields that changed by the same rule and are not listed.", { minimum: 1 }),
      ),
    },
    "A field is on more or fewer products than before.",
  ),
);
export type FieldDrift = t.Static<typeof fieldDrift>;

export const fieldNameDrift = t.named(
  "FieldNameDrift",
  changed(
    "dialect",
    {
      subject: t.choice(
        ["batchRequestField", "batchFoundField", "batchFoundProduct", "gtin"],
        "Name of the setting in `dialect`.",
      ),
      before: t.optional(t.string("Omitted when it was not found.")),
      after: t.optional(t.string("Omitted when it was not found.")),
    },
    "A name that the spec leaves open changed.",
  ),
);
export type FieldNameDrift = t.Static<typeof fieldNameDrift>;

export const retailerDrift = t.named(
  "RetailerDrift",
  changed(
    "retailer",
    {
      subject: t.string("Slug of the retailer."),
      otherKey: t.optional(t.literal(true, "The primary key has changed, which may be the cause.")),
    },
    "A retailer was added or removed for the primary key, or none of its products was seen.",
  ),
);
export type RetailerDrift = t.Static<typeof retailerDrift>;

export const statusDrift = t.named(
  "StatusDrift",
  changed(
    "status",
    {
      subject: t.string("The status, such as `404`."),
      endpoint: t.string("Named as in schemas/api.ts."),
      before: share,
      after: share,
    },
    "An endpoint returned a status more or less often than before.",
  ),
);
export type StatusDrift = t.Static<typeof statusDrift>;

export const limitDrift = t.named(
  "LimitDrift",
  changed(
    "limit",
    {
      subject: t.literal("rate"),
      before: limitEstimate,
      after: limitEstimate,
    },
    "Two probes under load found different limits, in requests a second.",
  ),
);
export type LimitDrift = t.Static<typeof limitDrift>;

export const burstDrift = t.named(
  "BurstDrift",
  changed(
    "limit",
    {
      subject: t.literal("burst"),
      before: burst,
      after: burst,
    },
    "Two bursts had different numbers of accepted requests.",
  ),
);
export type BurstDrift = t.Static<typeof burstDrift>;

export const drift = t.named(
  "Drift",
  t.oneOf(
    [fieldDrift, fieldNameDrift, retailerDrift, statusDrift, limitDrift, burstDrift],
    "One change of the contract, by a rule of drift.",
  ),
);
export type Drift = t.Static<typeof drift>;
