import type { DatabaseSync } from "node:sqlite";
import { type Entitlements, organizations } from "./access.ts";
import { transaction } from "./catalog/database.ts";
import { generateCatalog } from "./catalog/generate.ts";
import { dotSegmentCategory, type GeneratedRetailer, generatedRetailers } from "./catalog/generator-data.ts";
import { importCatalog } from "./catalog/import.ts";
import { createWriter } from "./catalog/product-rows.ts";

/** What a new database is filled with. */
export interface Stock {
  /** NDJSON file to import. */
  readonly file?: string | undefined;
  /** Size and seed of the generated catalog, when there is no file. */
  readonly products: number;
  readonly seed: number;
}

/** Fills a new database. @returns the slugs of the retailers that each of the two organizations may use. */
export async function stock(database: DatabaseSync, { file, products, seed }: Stock): Promise<Entitlements> {
  if (file !== undefined) {
    await importCatalog(database, file);
    return entitlementsOfImported(database);
  }
  await transaction(database, () => {
    const writer = createWriter(database);
    for (const line of generateCatalog(products, seed)) writer.write(line);
  });
  const retailers: readonly GeneratedRetailer[] = generatedRetailers;
  const without = (other: "first" | "second") =>
    retailers.flatMap(({ slug, disabled, audience }) => (disabled || audience === other ? [] : [slug]));
  return new Map([
    [organizations.first, without("second")],
    [organizations.second, without("first")],
  ]);
}

/**
 * Entitles the two organizations to an imported catalog: to all retailers, except that of three or more the second
 * organization does not get the first in the order of slugs, and the first organization does not get the last.
 */
function entitlementsOfImported(database: DatabaseSync): Entitlements {
  const rows = database.prepare("select slug from retailer order by slug").all();
  const slugs = rows.map(({ slug }) => String(slug));
  const isShared = slugs.length < 3;
  return new Map([
    [organizations.first, isShared ? slugs : slugs.slice(0, -1)],
    [organizations.second, isShared ? slugs : slugs.slice(1)],
  ]);
}

/** Names of up to 20 categories that can be browsed. */
export function listCategories(database: DatabaseSync): string[] {
  const rows = database
    .prepare("select name from category where name <> ? order by id limit 20")
    .all(dotSegmentCategory);
  return rows.map((row) => String(row.name));
}
