import type { DatabaseSync } from "node:sqlite";
import { Administration } from "./administration.ts";
import { transaction } from "./catalog/database.ts";
import { generateCatalog } from "./catalog/generate.ts";
import { dotSegmentCategory, type GeneratedRetailer, generatedRetailers } from "./catalog/generator-data.ts";
import { importCatalog } from "./catalog/import.ts";
import { createWriter } from "./catalog/product-rows.ts";

export interface Keys {
  readonly primary: string;
  readonly sameOrg: string;
  readonly otherOrg: string;
}

/** The two organizations that every database of a started service has. */
const organizations = { first: "First organization", second: "Second organization" } as const;

/** What a database without a catalog is filled with. */
export interface Stock {
  /** NDJSON file to import; it is imported into a database with a catalog too. */
  readonly file: string | undefined;
  /** Size and seed of the generated catalog, when there is no file. */
  readonly products: number;
  readonly seed: number;
  /** Keys of this start. Those that are not given are random. */
  readonly keys?: Partial<Keys> | undefined;
}

/** Names of the two organizations. */
export const organizationNames: readonly string[] = Object.values(organizations);

/** Makes sure that there are a catalog and two organizations that may use it, and issues the keys of this start. */
export async function stock(database: DatabaseSync, { file, products, seed, keys }: Stock): Promise<Keys> {
  const has = (table: string) => database.prepare(`select 1 from ${table} limit 1`).get() !== undefined;
  if (file !== undefined) await importCatalog(database, file);
  else if (!has("retailer")) stockGenerated(database, products, seed);
  if (!has("organization")) grantImported(database);
  return issueStartKeys(database, keys);
}

/** Fills a new database with a generated catalog and grants it to the two organizations. */
export function stockGenerated(database: DatabaseSync, products: number, seed: number): void {
  transaction(database, () => {
    const writer = createWriter(database);
    for (const line of generateCatalog(products, seed)) writer.write(line);
    const administration = withOrganizations(database);
    for (const { slug, disabled, audience } of generatedRetailers as readonly GeneratedRetailer[]) {
      if (disabled) administration.setDisabled(slug, true);
      if (audience !== "second") administration.grant(organizations.first, slug);
      if (audience !== "first") administration.grant(organizations.second, slug);
    }
  });
}

/**
 * Grants an imported catalog to the two organizations: all retailers, except that of three or more the second
 * organization does not get the first in the order of slugs, and the first organization does not get the last.
 */
function grantImported(database: DatabaseSync): void {
  transaction(database, () => {
    const administration = withOrganizations(database);
    const retailers = administration.listRetailers();
    for (const [index, { slug }] of retailers.entries()) {
      if (retailers.length < 3 || index < retailers.length - 1)
        administration.grant(organizations.first, slug);
      if (retailers.length < 3 || index > 0) administration.grant(organizations.second, slug);
    }
  });
}

/** Issues the three keys of this start, in place of those of the last one. */
export function issueStartKeys(database: DatabaseSync, given: Partial<Keys> = {}): Keys {
  return transaction(database, () => {
    const administration = withOrganizations(database);
    const issue = (organization: string, label: string, key: string | undefined) => {
      database
        .prepare(
          "delete from api_key where label = ? and organization in (select id from organization where name = ?)",
        )
        .run(label, organization);
      return administration.issueKey(organization, label, key).key;
    };
    return {
      primary: issue(organizations.first, "start: primary", given.primary),
      sameOrg: issue(organizations.first, "start: same organization", given.sameOrg),
      otherOrg: issue(organizations.second, "start: other organization", given.otherOrg),
    };
  });
}

/** An administration of a database that has the two organizations. */
function withOrganizations(database: DatabaseSync): Administration {
  const administration = new Administration(database, () => new Date());
  const known = administration.listOrganizations().map(({ name }) => name);
  for (const name of Object.values(organizations).filter((each) => !known.includes(each))) {
    administration.addOrganization(name);
    administration.acceptTerms(name);
  }
  return administration;
}

/** Names of up to 20 categories that can be browsed. */
export function listCategories(database: DatabaseSync): string[] {
  const rows = database
    .prepare("select name from category where name <> ? order by id limit 20")
    .all(dotSegmentCategory);
  return rows.map((row) => String(row.name));
}
