import type { DatabaseSync } from "node:sqlite";
import { createKey, keyHash } from "./access.ts";
import { transaction } from "./catalog/database.ts";
import { createWriter } from "./catalog/product-rows.ts";

/** A name does not exist, or exists already. */
export class AdministrationError extends Error {
  override readonly name = "AdministrationError";
  /** The subject of the `list` command that shows what exists. */
  readonly list: "organization" | "retailer" | "key";

  constructor(message: string, list: AdministrationError["list"]) {
    super(message);
    this.list = list;
  }
}

/** What an operator can change while the service runs. */
export class Administration {
  readonly #database: DatabaseSync;
  readonly #now: () => Date;

  constructor(database: DatabaseSync, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  addOrganization(name: string): void {
    const added = this.#run("insert into organization (name) values (?) on conflict do nothing", name);
    if (added.changes === 0) {
      throw new AdministrationError(`The organization "${name}" exists already`, "organization");
    }
  }

  /** Before this the keys of an organization are not active (spec, Authentication). */
  acceptTerms(organization: string): void {
    this.#run(
      "update organization set terms_accepted_at = coalesce(terms_accepted_at, ?) where id = ?",
      this.#now().toISOString(),
      this.#idOf("organization", organization),
    );
  }

  addRetailer(slug: string, name: string, domains: readonly string[]): void {
    transaction(this.#database, () =>
      createWriter(this.#database).write({ kind: "retailer", slug, name, domains }),
    );
  }

  setDisabled(slug: string, disabled: boolean): void {
    this.#run(
      "update retailer set disabled = ? where id = ?",
      disabled ? 1 : 0,
      this.#idOf("retailer", slug),
    );
  }

  grant(organization: string, slug: string): void {
    this.#run(
      "insert into entitlement (organization, retailer) values (?, ?) on conflict do nothing",
      this.#idOf("organization", organization),
      this.#idOf("retailer", slug),
    );
  }

  revoke(organization: string, slug: string): void {
    this.#run(
      "delete from entitlement where organization = ? and retailer = ?",
      this.#idOf("organization", organization),
      this.#idOf("retailer", slug),
    );
  }

  /** @returns the key, which cannot be shown again: only its hash is stored. */
  issueKey(
    organization: string,
    label: string,
    key: string = createKey(),
  ): { readonly id: number; readonly key: string } {
    const { lastInsertRowid } = this.#run(
      "insert into api_key (organization, label, hash, created_at) values (?, ?, ?, ?)",
      this.#idOf("organization", organization),
      label,
      keyHash(key),
      this.#now().toISOString(),
    );
    return { id: Number(lastInsertRowid), key };
  }

  revokeKey(id: number): void {
    const revoked = this.#run(
      "update api_key set revoked_at = coalesce(revoked_at, ?) where id = ?",
      this.#now().toISOString(),
      id,
    );
    if (revoked.changes === 0) throw new AdministrationError(`There is no key ${id}`, "key");
  }

  listOrganizations(): { name: string; termsAcceptedAt: string | undefined; retailers: string[] }[] {
    const rows = this.#all(
      `select name, terms_accepted_at, (select json_group_array(slug) from entitlement
         join retailer on retailer.id = retailer where organization = organization.id) as retailers
       from organization order by name`,
    );
    return rows.map((row) => ({
      name: String(row.name),
      termsAcceptedAt: optionalText(row.terms_accepted_at),
      retailers: JSON.parse(String(row.retailers)),
    }));
  }

  listRetailers(): { slug: string; name: string; disabled: boolean; domains: string[] }[] {
    const rows = this.#all(
      `select slug, name, disabled, (select json_group_array(domain) from retailer_domain
         where retailer = retailer.id) as domains from retailer order by slug`,
    );
    return rows.map((row) => ({
      slug: String(row.slug),
      name: String(row.name),
      disabled: row.disabled === 1,
      domains: JSON.parse(String(row.domains)),
    }));
  }

  listKeys(): { id: number; organization: string; label: string; revokedAt: string | undefined }[] {
    const rows = this.#all(
      `select api_key.id, name, label, revoked_at from api_key
       join organization on organization.id = organization order by api_key.id`,
    );
    return rows.map((row) => ({
      id: Number(row.id),
      organization: String(row.name),
      label: String(row.label),
      revokedAt: optionalText(row.revoked_at),
    }));
  }

  #run(statement: string, ...values: (string | number)[]) {
    return this.#database.prepare(statement).run(...values);
  }

  #all(query: string) {
    return this.#database.prepare(query).all();
  }

  #idOf(kind: "organization" | "retailer", name: string): number {
    const column = kind === "retailer" ? "slug" : "name";
    const row = this.#database.prepare(`select id from ${kind} where ${column} = ?`).get(name);
    if (row === undefined) throw new AdministrationError(`There is no ${kind} "${name}"`, kind);
    return Number(row.id);
  }
}

const optionalText = (value: unknown) => (typeof value === "string" ? value : undefined);
