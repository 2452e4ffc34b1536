import { randomBytes } from "node:crypto";
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

/** Keys, retailers and entitlements. They do not change while the service runs. */
export interface Permissions {
  readonly retailersBySlug: ReadonlyMap<string, StoredRetailer>;
  readonly retailersById: ReadonlyMap<number, StoredRetailer>;
  readonly retailersByDomain: ReadonlyMap<string, StoredRetailer>;
  /** Entitled retailers by organization. */
  readonly entitlements: ReadonlyMap<number, ReadonlySet<number>>;
  /** The organization of a key. */
  readonly organizations: ReadonlyMap<string, number>;
}

/** The organization that sent a request with one of its keys. */
export interface AuthenticatedCaller {
  readonly organization: number;
  /** Ids of the retailers that the organization may use. */
  readonly entitled: ReadonlySet<number>;
  readonly permissions: Permissions;
}

/** The two, and that of the key to every retailer, which faults and variants use and which has no limit. */
export const organizations = { everyRetailer: 0, first: 1, second: 2 } as const;

/** Names of the two organizations. */
export const organizationNames = ["First organization", "Second organization"] as const;

/** The slugs of the retailers that each organization may use. */
export type Entitlements = ReadonlyMap<number, readonly string[]>;

/** Two keys of the first organization and one of the second. */
export interface Keys {
  readonly primary: string;
  readonly sameOrg: string;
  readonly otherOrg: string;
}

export const createKey = (): string => `pcl_${randomBytes(24).toString("base64url")}`;

/** @param allKey the key to every retailer. */
export function readPermissions(
  database: DatabaseSync,
  entitlements: Entitlements,
  { primary, sameOrg, otherOrg }: Keys,
  allKey: string,
): Permissions {
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
  const idsOf = (its: readonly StoredRetailer[]) => new Set(its.map(({ id }) => id));
  return {
    retailersBySlug: new Map(retailers.map((retailer) => [retailer.slug, retailer])),
    retailersById: new Map(retailers.map((retailer) => [retailer.id, retailer])),
    retailersByDomain: new Map(retailers.flatMap((its) => its.domains.map((domain) => [domain, its]))),
    entitlements: new Map([
      [organizations.everyRetailer, idsOf(retailers)],
      ...[...entitlements].map(
        ([id, slugs]) => [id, idsOf(retailers.filter(({ slug }) => slugs.includes(slug)))] as const,
      ),
    ]),
    organizations: new Map<string, number>([
      [allKey, organizations.everyRetailer],
      [primary, organizations.first],
      [sameOrg, organizations.first],
      [otherOrg, organizations.second],
    ]),
  };
}

const noRetailers: ReadonlySet<number> = new Set();

/**
 * The organization whose key a request carries, in either header (spec, Authentication); in both, it must be
 * the same. Another scheme than Bearer counts as no key.
 * @throws HttpError 401 when the key is missing or unknown.
 */
export function authenticate(headers: IncomingHttpHeaders, permissions: Permissions): AuthenticatedCaller {
  const organization = permissions.organizations.get(readKey(headers));
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
