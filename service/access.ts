import { hash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { DatabaseSync } from "node:sqlite";
import { keyHeaders } from "../schemas/api.ts";
import { unauthorized } from "./errors.ts";

/** A retailer, whether or not any organization may use it. */
export interface StoredRetailer {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly domains: readonly string[];
  /** Beginning of the JSON of its products, up to the stored fields. */
  readonly opening: Buffer;
}

/** Keys, retailers and entitlements at one moment. */
export interface Permissions {
  readonly retailersBySlug: ReadonlyMap<string, StoredRetailer>;
  readonly retailersById: ReadonlyMap<number, StoredRetailer>;
  readonly retailersByDomain: ReadonlyMap<string, StoredRetailer>;
  /** Entitled retailers by organization, without the disabled ones. */
  readonly entitlements: ReadonlyMap<number, ReadonlySet<number>>;
  /** The organization of an active key; undefined for any other key. */
  readonly organizationOf: (key: string) => number | undefined;
}

/** The organization that sent a request with one of its keys. */
export interface AuthenticatedCaller {
  readonly organization: number;
  /** Ids of the retailers that the organization may use now. */
  readonly entitled: ReadonlySet<number>;
  /** Permissions at the time of the request. They apply to all of it, even if they change in the meantime. */
  readonly permissions: Permissions;
}

/** The organization of the key to every retailer, which faults and variants use. It is in no database, and has no limit. */
export const everyRetailer = 0;

export const createKey = (): string => `pcl_${randomBytes(24).toString("base64url")}`;

/** Keys are long and random, so a plain digest is safe: no dictionary contains them. */
export const keyHash = (key: string): string => hash("sha256", key, "hex");

/**
 * Keeps the permissions in memory and reads them again when another connection has changed the database, so that an
 * admin command takes effect with the next request.
 * @param version changes with every such change (`changeCounter`).
 * @param allKey the key to every retailer.
 */
export function watchPermissions(
  database: DatabaseSync,
  version: () => number,
  allKey: string,
): () => Permissions {
  let readVersion = version();
  let permissions = readPermissions(database, allKey);
  return () => {
    const now = version();
    if (now !== readVersion) {
      permissions = readPermissions(database, allKey);
      readVersion = now;
    }
    return permissions;
  };
}

function readPermissions(database: DatabaseSync, allKey: string): Permissions {
  const domains = new Map<number, string[]>();
  for (const row of database.prepare("select retailer, domain from retailer_domain order by domain").all()) {
    const id = Number(row.retailer);
    domains.set(id, [...(domains.get(id) ?? []), String(row.domain)]);
  }
  const retailers = database
    .prepare("select id, slug, name from retailer order by slug")
    .all()
    .map((row): StoredRetailer => {
      const [id, slug, name] = [Number(row.id), String(row.slug), String(row.name)];
      const opening = Buffer.from(
        `{"retailer":${JSON.stringify(slug)},"retailer_name":${JSON.stringify(name)},`,
      );
      return { id, slug, name, domains: domains.get(id) ?? [], opening };
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
  entitlements.set(everyRetailer, new Set(retailers.map(({ id }) => id)));
  const keys = database.prepare(`
    select hash, organization from api_key join organization on organization.id = organization
    where revoked_at is null and terms_accepted_at is not null`);
  return {
    retailersBySlug: new Map(retailers.map((retailer) => [retailer.slug, retailer])),
    retailersById: new Map(retailers.map((retailer) => [retailer.id, retailer])),
    retailersByDomain: new Map(retailers.flatMap((its) => its.domains.map((domain) => [domain, its]))),
    entitlements,
    organizationOf: keyFinder(
      new Map([
        [keyHash(allKey), everyRetailer],
        ...keys.all().map((row) => [String(row.hash), Number(row.organization)] as const),
      ]),
    ),
  };
}

/** Caches the active keys that were used: hashing a key takes a tenth of the time of a lookup. */
function keyFinder(organizationsByHash: ReadonlyMap<string, number>): Permissions["organizationOf"] {
  const used = new Map<string, number>();
  return (key) => {
    const known = used.get(key);
    if (known !== undefined) return known;
    const organization = organizationsByHash.get(keyHash(key));
    if (organization !== undefined) used.set(key, organization);
    return organization;
  };
}

const noRetailers: ReadonlySet<number> = new Set();

/**
 * The organization whose key a request carries, in either header (spec, Authentication). Two headers must carry the same
 * key. An Authorization header with another scheme than Bearer counts as no key.
 * @throws HttpError 401 when the key is missing, unknown, revoked or not active yet.
 */
export function authenticate(headers: IncomingHttpHeaders, permissions: Permissions): AuthenticatedCaller {
  const organization = permissions.organizationOf(readKey(headers));
  if (organization === undefined) throw unauthorized();
  return {
    organization,
    entitled: permissions.entitlements.get(organization) ?? noRetailers,
    permissions,
  };
}

const bearerHeader = keyHeaders.bearer.toLowerCase() as Lowercase<typeof keyHeaders.bearer>;
const plainHeader = keyHeaders.plain.toLowerCase() as Lowercase<typeof keyHeaders.plain>;

function readKey(headers: IncomingHttpHeaders): string {
  const bearer = bearerToken(headers[bearerHeader]);
  const plain = headers[plainHeader];
  if (bearer === undefined && typeof plain === "string") return plain;
  if (bearer === undefined || (plain !== undefined && plain !== bearer)) throw unauthorized();
  return bearer;
}

/** The token of a Bearer authorization; the scheme's case does not matter (RFC 9110, 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}
