import type { DatabaseSync } from "node:sqlite";
import { keyHash } from "../access/permissions.ts";
import { transaction } from "../store/database.ts";
import { newKey } from "../store/stock.ts";
import { createWriter } from "../store/writer.ts";

/** Something that a command names is not there, or is there already. */
export class AdministrationError extends Error {
  override readonly name = "AdministrationError";
}

/** What an operator can change while the service runs; each change is made as a whole or not at all. */
export interface Administration {
  addOrganization(name: string): void;
  /** Until then its keys are not active (spec, Authentication). */
  acceptTerms(organization: string): void;
  addRetailer(slug: string, name: string, domains: readonly string[]): void;
  setDisabled(slug: string, disabled: boolean): void;
  grant(organization: string, slug: string): void;
  revoke(organization: string, slug: string): void;
  /** @returns the key, which is shown this one time: only its hash is kept. */
  issueKey(organization: string, label: string): { readonly id: number; readonly key: string };
  revokeKey(id: number): void;
  listOrganizations(): readonly { name: string; termsAcceptedAt: string | undefined; retailers: string[] }[];
  listRetailers(): readonly { slug: string; name: string; disabled: boolean; domains: string[] }[];
  listKeys(): readonly { id: number; organization: string; label: string; revokedAt: string | undefined }[];
}

export function createAdministration(database: DatabaseSync, now: () => Date): Administration {
  const organizationId = (name: string) =>
    idOf(database.prepare("select id from organization where name = ?").get(name), `organization "${name}"`);
  const retailerId = (slug: string) =>
    idOf(database.prepare("select id from retailer where slug = ?").get(slug), `retailer "${slug}"`);
  const change = <T>(make: () => T) => transaction(database, make);

  return {
    addOrganization: (name) =>
      change(() => {
        const added = database
          .prepare("insert into organization (name) values (?) on conflict do nothing")
          .run(name);
        if (added.changes === 0)
          throw new AdministrationError(`The organization "${name}" is there already.`);
      }),
    acceptTerms: (organization) =>
      change(() => {
        database
          .prepare("update organization set terms_accepted_at = coalesce(terms_accepted_at, ?) where id = ?")
          .run(now().toISOString(), organizationId(organization));
      }),
    addRetailer: (slug, name, domains) =>
      change(() => createWriter(database).write({ kind: "retailer", slug, name, domains })),
    setDisabled: (slug, disabled) =>
      change(() => {
        database
          .prepare("update retailer set disabled = ? where id = ?")
          .run(disabled ? 1 : 0, retailerId(slug));
      }),
    grant: (organization, slug) =>
      change(() => {
        database
          .prepare("insert into entitlement (organization, retailer) values (?, ?) on conflict do nothing")
          .run(organizationId(organization), retailerId(slug));
      }),
    revoke: (organization, slug) =>
      change(() => {
        database
          .prepare("delete from entitlement where organization = ? and retailer = ?")
          .run(organizationId(organization), retailerId(slug));
      }),
    issueKey: (organization, label) =>
      change(() => {
        const key = newKey();
        const { lastInsertRowid } = database
          .prepare("insert into api_key (organization, label, hash, created_at) values (?, ?, ?, ?)")
          .run(organizationId(organization), label, keyHash(key), now().toISOString());
        return { id: Number(lastInsertRowid), key };
      }),
    revokeKey: (id) =>
      change(() => {
        const revoked = database
          .prepare("update api_key set revoked_at = coalesce(revoked_at, ?) where id = ?")
          .run(now().toISOString(), id);
        if (revoked.changes === 0)
          throw new AdministrationError(`There is no key ${id}: see \`service key list\`.`);
      }),
    listOrganizations: () =>
      database
        .prepare(
          `select name, terms_accepted_at, (select json_group_array(slug) from entitlement
             join retailer on retailer.id = retailer where organization = organization.id) as retailers
           from organization order by name`,
        )
        .all()
        .map((row) => ({
          name: String(row.name),
          termsAcceptedAt: text(row.terms_accepted_at),
          retailers: JSON.parse(String(row.retailers)),
        })),
    listRetailers: () =>
      database
        .prepare(
          `select slug, name, disabled, (select json_group_array(domain) from retailer_domain
             where retailer = retailer.id) as domains from retailer order by slug`,
        )
        .all()
        .map((row) => ({
          slug: String(row.slug),
          name: String(row.name),
          disabled: row.disabled === 1,
          domains: JSON.parse(String(row.domains)),
        })),
    listKeys: () =>
      database
        .prepare(
          `select api_key.id, name, label, revoked_at from api_key
           join organization on organization.id = organization order by api_key.id`,
        )
        .all()
        .map((row) => ({
          id: Number(row.id),
          organization: String(row.name),
          label: String(row.label),
          revokedAt: text(row.revoked_at),
        })),
  };
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

function idOf(row: Record<string, unknown> | undefined, what: string): number {
  if (row === undefined) throw new AdministrationError(`There is no ${what}.`);
  return Number(row.id);
}
