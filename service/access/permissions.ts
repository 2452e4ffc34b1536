import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { productOpening } from "../store/public-product.ts";

/** A retailer that exists, whether or not somebody may use it. */
export interface Retailer {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly domains: readonly string[];
  /** How every answered product of this retailer begins. */
  readonly opening: Buffer;
}

/** Who may ask for what, at one moment. */
export interface Permissions {
  readonly retailersBySlug: ReadonlyMap<string, Retailer>;
  readonly retailersById: ReadonlyMap<number, Retailer>;
  readonly retailersByDomain: ReadonlyMap<string, Retailer>;
  /** Entitled retailers by organization; a disabled retailer is nobody's. */
  readonly entitlements: ReadonlyMap<number, ReadonlySet<number>>;
  /** The organization of a key that may be used; undefined for any other key. */
  readonly organizationOf: (key: string) => number | undefined;
}

/** Keys are random and long, so a plain digest is enough: there is nothing to guess from a dictionary. */
export const keyHash = (key: string): string => hash("sha256", key, "hex");

/**
 * Keeps the permissions in memory and reads them again when another connection has changed the database: an
 * admin command takes effect with the next request.
 * @param version changes with every such change (store/database.ts).
 */
export function watchPermissions(database: DatabaseSync, version: () => number): () => Permissions {
  let seen = version();
  let permissions = readPermissions(database);
  return () => {
    const now = version();
    if (now !== seen) {
      permissions = readPermissions(database);
      seen = now;
    }
    return permissions;
  };
}

function readPermissions(database: DatabaseSync): Permissions {
  const domains = new Map<number, string[]>();
  for (const row of database.prepare("select retailer, domain from retailer_domain order by domain").all()) {
    const id = Number(row.retailer);
    domains.set(id, [...(domains.get(id) ?? []), String(row.domain)]);
  }
  const retailers = database
    .prepare("select id, slug, name from retailer order by slug")
    .all()
    .map((row): Retailer => {
      const [id, slug, name] = [Number(row.id), String(row.slug), String(row.name)];
      return { id, slug, name, domains: domains.get(id) ?? [], opening: productOpening(slug, name) };
    });
  const entitlements = new Map<number, Set<number>>();
  const entitled = database.prepare(
    "select organization, retailer from entitlement join retailer on retailer.id = retailer where not disabled",
  );
  for (const row of entitled.all()) {
    const organization = Number(row.organization);
    const its = entitlements.get(organization) ?? new Set();
    entitlements.set(organization, its.add(Number(row.retailer)));
  }
  const keys = database.prepare(`
    select hash, organization from api_key join organization on organization.id = organization
    where revoked_at is null and terms_accepted_at is not null`);
  return {
    retailersBySlug: new Map(retailers.map((retailer) => [retailer.slug, retailer])),
    retailersById: new Map(retailers.map((retailer) => [retailer.id, retailer])),
    retailersByDomain: new Map(retailers.flatMap((its) => its.domains.map((domain) => [domain, its]))),
    entitlements,
    organizationOf: keyFinder(new Map(keys.all().map((row) => [String(row.hash), Number(row.organization)]))),
  };
}

/** Remembers the good keys that came, in memory alone: hashing each time is a tenth of what a lookup costs. */
function keyFinder(organizationsByHash: ReadonlyMap<string, number>): Permissions["organizationOf"] {
  const met = new Map<string, number>();
  return (key) => {
    const known = met.get(key);
    if (known !== undefined) return known;
    const organization = organizationsByHash.get(keyHash(key));
    if (organization !== undefined) met.set(key, organization);
    return organization;
  };
}
