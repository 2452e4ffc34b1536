import { caught, type Expectation } from "../expectation.ts";

/** Faults in GET /retailers and its entries. */
export const retailerExpectations: readonly Expectation[] = [
  ...caught("retailer.domains/every-entry", [
    "domains-omitted-when-empty",
    "domains-null-when-empty",
    "domains-omitted",
    "domains-string",
    "domains-objects",
  ]),
  ...caught("retailer.host-names/every-entry", ["domains-urls"]),
  ...caught("retailer.slug/accepted", ["slug-upper-case"], {
    "retailers.scope": "the slugs that products carry are not listed as they are",
    "authentication.entitlement": "products are of retailers that are not listed as they are",
  }),
  ...caught("retailer.slug/every-entry", ["slug-missing"]),
  ...caught("retailer.name/every-entry", ["name-object"]),
  ...caught("retailer.name-given/every-entry", ["name-missing"]),
  ...caught("retailers.shape/list", ["retailers-bare-list", "retailers-renamed", "retailers-by-slug"]),
  ...caught(["retailers.shape/list", "versioning.path/base-address"], ["retailers-want-parameter"], {
    "authentication.bearer": "the request that shows whether a key is accepted is refused",
    "limits.rate": "the request of the burst is refused",
    "authentication.x-api-key": "the request that shows whether a key is accepted is refused",
  }),
  ...caught("retailers.scope/all-granted", ["retailers-unscoped"], {
    "query.gtin-mismatch": "a retailer that is listed, and not granted, gives 403",
  }),
  ...caught("retailers.scope/all-listed", ["retailers-lacks-one"], {
    "authentication.entitlement": "a retailer that is not listed looks like one that is not granted",
  }),
  ...caught(
    [
      "service.organization-scope/retailers",
      "service.organization-scope/by-category",
      "service.organization-scope/by-id",
    ],
    ["second-key-sees-less"],
  ),
];
