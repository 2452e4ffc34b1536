import { fieldNames } from "./field-names.ts";
import * as t from "./schema.ts";

const tenant = t.named(
  "Tenant",
  t.object(
    {
      key: t.choice(["primary", "otherOrg"], "The role of its key."),
      retailers: t.array(t.filled(), "Slugs of its list."),
      products: t.array(
        t.object({
          retailer: t.filled(),
          product_id: t.filled(),
          url: t.optional(t.filled()),
          gtin: t.optional(t.filled()),
        }),
      ),
    },
    "An organization, as its key saw the service before the load.",
  ),
);
export type Tenant = t.Static<typeof tenant>;

export const loadFixtures = t.object(
  {
    schemaVersion: t.literal(1),
    products: t.array(
      t.object({
        retailer: t.filled(),
        product_id: t.filled(),
        url: t.optional(t.filled()),
        gtin: t.optional(t.filled()),
      }),
      "Products that the primary key may see.",
    ),
    categories: t.array(t.filled()),
    unknownRetailer: t.filled("A slug that no retailer has."),
    unknownProductId: t.filled("An identifier that no product has."),
    unentitledRetailer: t.optional(
      t.filled("A slug that exists and that the primary key may not use; omitted when none was found."),
    ),
    tenants: t.optional(
      t.array(
        tenant,
        "The organizations of the scenario tenants, with what a response to each may show. Omitted for other scenarios.",
      ),
    ),
    dialect: fieldNames,
  },
  "What discovery found at the target, in the form that the k6 scenarios open into a SharedArray. Holds no key.",
  { $id: "load-fixtures.schema.json", title: "LoadFixtures" },
);
export type LoadFixtures = t.Static<typeof loadFixtures>;
