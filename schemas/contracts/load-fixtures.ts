import { fieldNames } from "./field-names.ts";
import { array, filled, literal, object, optional, type Static, string } from "./schema.ts";

export const loadFixtures = object(
  {
    schemaVersion: literal(1),
    products: array(
      object({
        retailer: filled(),
        product_id: filled(),
        url: optional(filled()),
        gtin: optional(filled()),
      }),
      "Products that the primary key may see.",
    ),
    categories: array(filled()),
    unknownRetailer: filled("A slug that no retailer has."),
    unknownProductId: filled("An identifier that no product has."),
    unentitledRetailer: optional(
      filled("A slug that exists and that the primary key may not use; omitted when none was found."),
    ),
    service: optional(
      object(
        { headers: array(filled()), servers: array(string()) },
        "What the service's own responses have in common: names of headers, and the values of Server.",
      ),
    ),
    dialect: fieldNames,
  },
  "What discovery found at the target, in the form that the k6 scenarios open into a SharedArray. Holds no key.",
  { $id: "load-fixtures.schema.json", title: "LoadFixtures" },
);
export type LoadFixtures = Static<typeof loadFixtures>;
