import { batch, byCategory, byGtin, byId, byUrl, type Request, retailers } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { knownItems } from "./batch-items.ts";

// One of each retailer, where there are not more.
const itemsInBatch = 5;

/** A request of each endpoint that succeeds with the primary key. */
export const endpoints = {
  retailers: () => retailers(),
  "by-id": ({ fixtures }) => byId(need(fixtures.product).retailer, need(fixtures.product).productId),
  "by-url": ({ fixtures }) => byUrl(need(fixtures.productByUrl).url),
  "by-gtin": ({ fixtures }) => byGtin(need(fixtures.productsByGtin)[0].gtin),
  "by-category": ({ fixtures }) => byCategory(need(fixtures.category).category),
  batch: (context) => batch(knownItems(context, itemsInBatch), need(context.fixtures.batch)),
} as const satisfies Record<string, (context: CheckContext) => Request>;
