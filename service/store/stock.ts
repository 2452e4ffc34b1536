import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { keyHash } from "../access/permissions.ts";
import { generateCatalogue } from "../catalogue/generate.ts";
import { type RetailerSketch, retailerSketches } from "../catalogue/retailers.ts";
import { transaction } from "./database.ts";
import { createWriter } from "./writer.ts";

export interface Keys {
  readonly primary: string;
  readonly sameOrg: string;
  readonly otherOrg: string;
}

/** The two organizations that every database of a started service has. */
const organizations = { first: "First organization", second: "Second organization" } as const;

/** Whether somebody has put a catalogue into the database already. */
export function isStocked(database: DatabaseSync): boolean {
  return database.prepare("select 1 from retailer limit 1").get() !== undefined;
}

/** Whether anybody could have been granted anything. */
export function hasOrganizations(database: DatabaseSync): boolean {
  return database.prepare("select 1 from organization limit 1").get() !== undefined;
}

/** Fills a new database with a generated catalogue and grants it to the two organizations. */
export function stockGenerated(database: DatabaseSync, products: number, seed: number): void {
  transaction(database, () => {
    const writer = createWriter(database);
    for (const line of generateCatalogue(products, seed)) writer.write(line);
    const disable = database.prepare("update retailer set disabled = 1 where slug = ?");
    for (const sketch of retailerSketches as readonly RetailerSketch[]) {
      if (sketch.disabled) disable.run(sketch.slug);
      if (sketch.audience !== "second") grant(database, organizations.first, sketch.slug);
      if (sketch.audience !== "first") grant(database, organizations.second, sketch.slug);
    }
  });
}

/**
 * Grants an imported catalogue to the two organizations: all retailers, but the first in the order of slugs is
 * kept from the second organization and the last from the first one, so that both meet an unentitled retailer.
 */
export function grantImported(database: DatabaseSync): void {
  transaction(database, () => {
    const slugs = database
      .prepare("select slug from retailer order by slug")
      .all()
      .map((row) => String(row.slug));
    for (const [index, slug] of slugs.entries()) {
      if (slugs.length < 3 || index < slugs.length - 1) grant(database, organizations.first, slug);
      if (slugs.length < 3 || index > 0) grant(database, organizations.second, slug);
    }
  });
}

function grant(database: DatabaseSync, organization: string, slug: string): void {
  database
    .prepare(
      `insert into entitlement (organization, retailer)
       select ?, retailer.id from retailer where slug = ? on conflict do nothing`,
    )
    .run(organizationId(database, organization), slug);
}

function organizationId(database: DatabaseSync, name: string): number {
  const now = new Date().toISOString();
  const row = database
    .prepare(
      `insert into organization (name, terms_accepted_at) values (?, ?)
       on conflict (name) do update set name = excluded.name returning id`,
    )
    .get(name, now);
  return Number(row?.id);
}

/** Makes the three keys of this start, in place of those of the last one. Only their hashes are kept. */
export function issueStartKeys(database: DatabaseSync): Keys {
  return transaction(database, () => {
    const first = organizationId(database, organizations.first);
    const second = organizationId(database, organizations.second);
    return {
      primary: issueKey(database, first, "start: primary"),
      sameOrg: issueKey(database, first, "start: same organization"),
      otherOrg: issueKey(database, second, "start: other organization"),
    };
  });
}

function issueKey(database: DatabaseSync, organization: number, label: string): string {
  const key = newKey();
  database.prepare("delete from api_key where organization = ? and label = ?").run(organization, label);
  database
    .prepare("insert into api_key (organization, label, hash, created_at) values (?, ?, ?, ?)")
    .run(organization, label, keyHash(key), new Date().toISOString());
  return key;
}

/** A random key of 192 bits. */
export function newKey(): string {
  return `pcl_${randomBytes(24).toString("base64url")}`;
}

/** Names of the categories that can be browsed, those with the most products first. */
export function listCategories(database: DatabaseSync): string[] {
  const rows = database
    .prepare("select name from category where name <> ? order by id limit 20")
    .all("dot segments");
  return rows.map((row) => String(row.name));
}
