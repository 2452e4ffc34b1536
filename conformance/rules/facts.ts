import type { Exchange } from "../client/exchange.ts";
import { type Caller, type Organization, organizationOf } from "../client/target.ts";
import type { Discovery } from "../discovery/discover.ts";
import { isObject } from "../response/body-path.ts";
import { productsIn } from "../response/products-in.ts";
import type { RuleFacts } from "./rule.ts";

/** What the rules take of a discovery. */
type Discovered = Pick<Discovery, "dialect"> & Partial<Pick<Discovery, "fixtures">>;

/**
 * What the exchanges of a run say of the retailers. A retailer can be added or taken away at any time, so one
 * that any list of the run held counts as granted.
 */
export function factsOf(exchanges: readonly Exchange[], { dialect, fixtures }: Discovered): RuleFacts {
  const slugs = new Map<Organization | Caller, Set<string>>();
  // A second key that may be of another organization is held to its own list.
  const key = fixtures?.sameOrgKey;
  const isInDoubt = key?.present === true && key.value.told === "against";
  const organization = (caller: Caller) =>
    isInDoubt && caller === "sameOrg" ? caller : organizationOf[caller];
  const retailersSeen = new Set(
    exchanges.flatMap((exchange) => productsIn(exchange, dialect).map(({ product }) => product.retailer)),
  );
  const unclear = new Set<Organization | Caller>();
  const retailerNames = new Set<string>();
  for (const { endpoint, caller, response } of exchanges) {
    const list = isObject(response.json) ? response.json.retailers : undefined;
    if (endpoint !== "retailers" || response.status !== 200 || !Array.isArray(list)) continue;
    const own = slugs.get(organization(caller)) ?? new Set();
    for (const entry of list.filter(isObject)) {
      if (typeof entry.slug === "string") own.add(entry.slug);
      if (typeof entry.name === "string" && entry.name !== entry.slug) retailerNames.add(entry.name);
    }
    slugs.set(organization(caller), own);
    // A list whose entries do not all say their slug does not say what is granted.
    if (list.some((entry) => !isObject(entry) || typeof entry.slug !== "string"))
      unclear.add(organization(caller));
  }
  const listed = new Set([...slugs.values()].flatMap((own) => [...own]));
  const entitled = (caller: Caller) => {
    const granted = slugs.get(organization(caller));
    // Where no product at all is of a listed slug, the list and the products spell retailers differently:
    // that breaks another requirement, and what is granted does not show.
    return granted === undefined || unclear.has(organization(caller)) || retailersSeen.isDisjointFrom(listed)
      ? undefined
      : granted;
  };
  return { dialect, retailerNames, entitled, ...(fixtures === undefined ? {} : { fixtures }) };
}
