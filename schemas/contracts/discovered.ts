import { fieldNames } from "./field-names.ts";
import { finding } from "./finding.ts";
import {
  amount,
  array,
  boolean,
  choice,
  count,
  described,
  mapOf,
  named,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";
import { identifierKinds } from "./vocabulary.ts";

export const coverage = named(
  "Coverage",
  object({
    of: choice(["product_id", "product_url", "gtin"]),
    kind: choice([...new Set(Object.values(identifierKinds).flat())]),
    seen: count(),
    asked: count(),
  }),
);
export type Coverage = Static<typeof coverage>;

export const seenRole = named(
  "SeenRole",
  choice(["asNamed", "unclear", "contradicted", "unusable", "unset"]),
);
export type SeenRole = Static<typeof seenRole>;

export const fieldsByRetailer = named(
  "FieldsByRetailer",
  mapOf(
    object({
      products: count(),
      fields: mapOf(count()),
    }),
    "For each retailer: the number of different products seen, and how many of them have each field path.",
  ),
);
export type FieldsByRetailer = Static<typeof fieldsByRetailer>;

export const statuses = named(
  "Statuses",
  mapOf(mapOf(count()), "Number of responses by endpoint, named as in schemas/api.ts, and status."),
);
export type Statuses = Static<typeof statuses>;

export const discovered = named(
  "Discovered",
  object({
    retailers: array(string(), "Slugs that the primary key may use."),
    dialect: fieldNames,
    fields: mapOf(
      count(),
      "Paths of the fields seen on products, and how many of the different products have each.",
    ),
    rateLimit: object(
      {
        refused: count("429 responses."),
        longestRetryAfterSeconds: optional(amount()),
        accepted: optional(
          count(
            "Requests accepted in the burst that provokes the limit, before its first 429. Without a 429 in the whole run, the limit is above it.",
          ),
        ),
      },
      "Observations of the rate limit.",
    ),
    keyRoles: optional(
      object(
        {
          sameOrg: seenRole,
          otherOrg: seenRole,
        },
        "What was seen of the second keys: it has the role that its variable names, its role is unclear, what it sees contradicts its role, it cannot be used, or it is not set.",
      ),
    ),
    fixtures: array(
      object({
        name: string(),
        present: boolean(),
        value: optional(string("A short description of what was found.")),
        missing: optional(finding),
        doubt: optional(described(finding, "For a key that is set but whose role is unclear: the reason.")),
      }),
      "What the checks and the load need, each present, or missing with the reason.",
    ),
    fieldsByRetailer: optional(fieldsByRetailer),
    statuses: optional(statuses),
    categories: optional(array(string(), "Categories that could be browsed.")),
    coverage: optional(
      array(
        coverage,
        "Unusual identifiers, such as a product id with a slash: how many of each kind the run saw, and how many of those it looked up.",
      ),
    ),
  }),
);
export type Discovered = Static<typeof discovered>;
