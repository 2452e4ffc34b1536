import { openClient } from "../../../conformance/client/http-client.ts";
import { NoResponse } from "../../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../../conformance/client/polite-client.ts";
import { byId } from "../../../conformance/client/requests.ts";
import type { Target } from "../../../conformance/client/target.ts";
import { unknownProductIds } from "../../../conformance/discovery/unknown-values.ts";
import type { LoadFixtures } from "../../../schemas/contracts/load-fixtures.ts";
import { defaults } from "../../config/settings.ts";

/**
 * The fixtures with a product id that nothing has. A made-up id of the usual form may belong to a product, above all where ids
 * are numbered without gaps, so it is looked up first.
 */
export async function withUnknownProduct(
  fixtures: LoadFixtures,
  target: Target,
  signal?: AbortSignal,
): Promise<LoadFixtures> {
  const [known] = fixtures.products;
  if (known === undefined) return fixtures;
  const { retailer, product_id: id } = known;
  const candidates = [fixtures.unknownProductId, ...unknownProductIds(id), `${id}-unknown`];
  const maxRequests = 2 * candidates.length;
  await using http = openClient({ target, maxRequests, maxSeconds: defaults.glanceSeconds, signal });
  const client = createPoliteClient(http);
  try {
    for (const unknownProductId of candidates) {
      const { response } = await client.ask(byId(retailer, unknownProductId), signal);
      if (response.status !== 200) return { ...fixtures, unknownProductId };
    }
  } catch (error) {
    // What keeps a request from its response, the load shows as well.
    if (!(error instanceof NoResponse)) throw error;
  }
  return fixtures;
}
