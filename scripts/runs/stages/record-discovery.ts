import type { Discovery } from "../../../conformance/discovery/discover.ts";
import type {
  Fixture,
  Fixtures,
  KeyInRole,
  ProductFixture,
} from "../../../conformance/discovery/fixtures.ts";
import type { SessionTraffic } from "../../../conformance/engine/session.ts";
import type { Discovered, SeenRole } from "../../../schemas/contracts/discovered.ts";

/** The part of the results that describes the target: what discovery found, and the traffic of the run. */
export function discoveredOf({ fixtures, fieldNames }: Discovery, traffic: SessionTraffic): Discovered {
  return {
    retailers: fixtures.retailers.present ? [...fixtures.retailers.value] : [],
    dialect: { ...fieldNames },
    categories: fixtures.categories.map(({ category }) => category),
    ...traffic.survey,
    rateLimit: rateLimitOf(traffic),
    keyRoles: { sameOrg: seenRole(fixtures.sameOrgKey), otherOrg: seenRole(fixtures.otherOrgKey) },
    fixtures: describeFixtures(fixtures),
  };
}

/** The refusals of a run, and the burst that reached the rate limit. */
export function rateLimitOf(traffic: Discovered["rateLimit"]): Discovered["rateLimit"] {
  const { refused, longestRetryAfterSeconds, accepted } = traffic;
  return { refused, longestRetryAfterSeconds, accepted };
}

function seenRole(key: Fixture<KeyInRole>): SeenRole {
  if (key.present) return key.value.role;
  const { code } = key.missing;
  return code === "no-same-org-key" || code === "no-other-org-key" ? "unset" : "unusable";
}

function describeFixtures(fixtures: Fixtures): Discovered["fixtures"] {
  const product = ({ retailer, productId }: ProductFixture) => `${retailer} / ${productId}`;
  const slugs = (all: readonly string[]) => all.join(", ");
  // A body may be the list itself, without a field.
  const field = (name: string) => (name === "" ? "no name" : name);
  return [
    describe("retailers of the primary key", fixtures.retailers, slugs),
    describe("retailers of the other organization", fixtures.otherRetailers, slugs),
    describe("a product by id", fixtures.product, product),
    describe("a product by URL", fixtures.productByUrl, ({ url }) => url),
    describe("products by GTIN", fixtures.productsByGtin, (all) => slugs(all.map(({ gtin }) => gtin))),
    describe("an unentitled retailer", fixtures.unentitledRetailer, (slug) => slug),
    describe("a product of an unentitled retailer", fixtures.unentitledProduct, product),
    describe("a category", fixtures.category, ({ category }) => category),
    describe(
      "the field names of a batch",
      fixtures.batch,
      (names) => `request ${field(names.batchRequestField)}, result ${field(names.batchFoundField)}`,
    ),
    describeKey("a second key of the organization", fixtures.sameOrgKey, "the retailers of the primary key"),
    describeKey("a key of another organization", fixtures.otherOrgKey, "other retailers than the first key"),
  ];
}

type Described = Discovered["fixtures"][number];

function describe<T>(name: string, fixture: Fixture<T>, show: (value: T) => string): Described {
  const { present } = fixture;
  return present
    ? { name, present, value: show(fixture.value) }
    : { name, present, missing: fixture.missing };
}

/** A second key, with a doubt if its role could not be verified. */
function describeKey(name: string, key: Fixture<KeyInRole>, sees: string): Described {
  if (!key.present || key.value.role === "asNamed") return describe(name, key, () => `sees ${sees}`);
  return { ...describe(name, key, () => "its role is unclear"), doubt: key.value.doubt };
}
