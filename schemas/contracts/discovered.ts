import { fieldNames } from "./field-names.ts";
import { finding } from "./finding.ts";
import * as t from "./schema.ts";

export const seenRole = t.named(
  "SeenRole",
  t.choice(["asNamed", "unclear", "contradicted", "unusable", "unset"]),
);
export type SeenRole = t.Static<typeof seenRole>;

export const fieldsByRetailer = t.named(
  "FieldsByRetailer",
  t.mapOf(
    t.object({
      products: t.count(),
      fields: t.mapOf(t.count()),
    }),
    "For each retailer: the number of different products seen, and how many of them have each field path.",
  ),
);
export type FieldsByRetailer = t.Static<typeof fieldsByRetailer>;

export const statuses = t.named(
  "Statuses",
  t.mapOf(t.mapOf(t.count()), "Number of responses by endpoint, named as in schemas/api.ts, and status."),
);
export type Statuses = t.Static<typeof statuses>;

export const discovered = t.named(
  "Discovered",
  t.object({
    retailers: t.array(t.string(), "Slugs that the primary key may use."),
    dialect: fieldNames,
    fields: t.mapOf(
      t.count(),
      "Paths of the fields seen on products, and how many of the different products have each.",
    ),
    rateLimit: t.object(
      {
        refused: t.count("429 responses."),
        longestRetryAfterSeconds: t.optional(t.amount()),
        accepted: t.optional(
          t.count(
            "Requests accepted in the burst that provokes the limit, before its first 429. Without a 429 in the whole run, the limit is above it.",
          ),
        ),
      },
      "Observations of the rate limit.",
    ),
    keyRoles: t.optional(
      t.object(
        {
          sameOrg: seenRole,
          otherOrg: seenRole,
        },
        "What was seen of the second keys: it has the role that its variable names, its role is unclear, what it sees contradicts its role, it cannot be used, or it is not set.",
      ),
    ),
    fixtures: t.array(
      t.object({
        name: t.string(),
        present: t.boolean(),
        value: t.optional(t.string("A short description of what was found.")),
        missing: t.optional(finding),
        doubt: t.optional(
          t.described(finding, "For a key that is set but whose role is unclear: the reason."),
        ),
      }),
      "What the checks and the load need, each present, or missing with the reason.",
    ),
    fieldsByRetailer: t.optional(fieldsByRetailer),
    statuses: t.optional(statuses),
    categories: t.optional(t.array(t.string(), "Categories that could be browsed.")),
  }),
);
export type Discovered = t.Static<typeof discovered>;
