import type { Retailer } from "../access/permissions.ts";
import type { Caller } from "../call.ts";
import { badRequest, forbidden } from "../refusal.ts";

/**
 * The retailer with this slug, for a caller who may use it.
 * @throws Refusal 400 for a slug that does not exist, 403 for one that the organization is not entitled to.
 */
export function entitledRetailer(slug: string, caller: Caller): Retailer {
  const retailer = caller.permissions.retailersBySlug.get(slug);
  if (retailer === undefined) throw badRequest("There is no retailer with this slug: see GET /v1/retailers.");
  if (!caller.entitled.has(retailer.id)) throw notEntitled();
  return retailer;
}

export const notEntitled = () => forbidden("Your organization may not use this retailer.");
