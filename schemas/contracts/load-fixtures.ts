import { fieldNames } from "./field-names.ts";
import {
  array,
  boolean,
  filled,
  literal,
  mapOf,
  named,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";

const tenant = named(
  "Tenant",
  object(
    {
      key: filled("The role of its key, primary or otherOrg, or the name of its variable."),
      retailers: array(filled(), "Slugs of its list."),
      products: array(
        object({
          retailer: filled(),
          product_id: filled(),
          url: optional(filled()),
          gtin: optional(filled()),
        }),
      ),
      rules: object(
        {
          total: boolean("`total` of a batch is the number of items sent."),
          found: boolean("`found` of a batch is the length of the list of found products."),
          pageLimit: boolean("A page has at most `limit` products."),
          echo: optional(filled("Response header that repeats the id of the request.")),
          limits: mapOf(string(), "Values of the headers with the rate limit of the organization."),
        },
        "What held for each response before the load, one request at a time: only this is expected under load.",
      ),
    },
    "An organization, as its key saw the service before the load.",
  ),
);
export type Tenant = Static<typeof tenant>;

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
    tenants: optional(
      array(
        tenant,
        "The organizations of the scenario tenants, with what a response to each may show. Omitted for other scenarios.",
      ),
    ),
    dialect: fieldNames,
  },
  "What discovery found at the target, in the form that the k6 scenarios open into a SharedArray. Holds no key.",
  { $id: "load-fixtures.schema.json", title: "LoadFixtures" },
);
export type LoadFixtures = Static<typeof loadFixtures>;
