import type { ClientState } from "../../conformance/client/exchange.ts";
import type { Discovery } from "../../conformance/discovery/discover.ts";
import type { Fixture, Fixtures } from "../../conformance/discovery/fixtures.ts";
import { createSurvey } from "../../conformance/discovery/survey.ts";
import type { Traffic } from "../../conformance/engine/provided.ts";
import type { Discovered, Finding } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";

/** What the results say of a discovery. */
export function discoveredOf(
  { fixtures, dialect }: Discovery,
  { exchanges }: ClientState,
  traffic: Traffic | undefined,
): Discovered {
  const { fields, fieldsByRetailer, statuses } = traffic?.surveyed ?? createSurvey(dialect).upTo(exchanges);
  return {
    retailers: fixtures.retailers.present ? [...fixtures.retailers.value] : [],
    dialect: { ...dialect },
    categories: fixtures.categories.map(({ category }) => category),
    fields: { ...fields },
    fieldsByRetailer,
    statuses,
    rateLimit: {
      refused: traffic?.refused ?? exchanges.filter(({ response }) => response.status === 429).length,
      ...(traffic?.longestRetryAfterSeconds === undefined
        ? {}
        : { longestRetryAfterSeconds: traffic.longestRetryAfterSeconds }),
      ...(traffic?.accepted === undefined ? {} : { accepted: traffic.accepted }),
    },
    fixtures: describeFixtures(fixtures),
  };
}

function describeFixtures(fixtures: Fixtures): Discovered["fixtures"] {
  const product = ({ retailer, productId }: { retailer: string; productId: string }) =>
    `${retailer} / ${productId}`;
  return [
    describe("retailers of the primary key", fixtures.retailers, (slugs) => slugs.join(", ")),
    describe("retailers of the other organization", fixtures.otherRetailers, (slugs) => slugs.join(", ")),
    describe("a product by id", fixtures.product, product),
    describe("a product by URL", fixtures.productByUrl, ({ url }) => url),
    describe("products by GTIN", fixtures.productsByGtin, (all) => all.map(({ gtin }) => gtin).join(", ")),
    describe("an unentitled retailer", fixtures.unentitledRetailer, (slug) => slug),
    describe("a product of an unentitled retailer", fixtures.unentitledProduct, product),
    describe("a category", fixtures.category, ({ category }) => category),
    describe("the batch dialect", fixtures.batch, (batch) => JSON.stringify(batch)),
    describe("a second key of the organization", fixtures.sameOrgKey, () => "set"),
    describe("a key of another organization", fixtures.otherOrgKey, () => "set"),
  ];
}

function describe<T>(
  name: string,
  fixture: Fixture<T>,
  show: (value: T) => string,
): Discovered["fixtures"][number] {
  return fixture.present
    ? { name, present: true, value: show(fixture.value) }
    : { name, present: false, missing: fixture.missing, ...inWords(fixture.missing) };
}

// Until every reader of the results takes the finding.
function inWords(missing: Finding): { reason: string; mend?: string } {
  const mend = findingFix(missing, defaultWords);
  return { reason: findingText(missing, defaultWords), ...(mend === undefined ? {} : { mend }) };
}
