import { DatabaseSync } from "node:sqlite";

/**
 * `answer` is the JSON that may be returned, made when the product is written, without `retailer` and
 * `retailer_name`, which all products of a retailer share; `internal` is never returned.
 */
const tables = `
create table retailer (
  id integer primary key,
  slug text not null unique,
  name text not null
) strict;
create table retailer_domain (
  domain text primary key,
  retailer integer not null references retailer
) strict, without rowid;
create table product (
  id integer primary key autoincrement,
  retailer integer not null references retailer,
  product_id text not null,
  gtin integer,
  page_host text,
  page_path text,
  answer text not null,
  internal text
) strict;
create unique index product_identity on product (retailer, product_id);
create index product_gtin on product (gtin) where gtin is not null;
create index product_page on product (page_path) where page_path is not null;
create table category (id integer primary key, name text not null unique) strict;
create table category_product (
  category integer not null references category,
  product integer not null references product on delete cascade,
  primary key (category, product)
) strict, without rowid;
`;

/** Opens a database in memory, with empty tables. Close it when done. */
export function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(`pragma foreign_keys = on; ${tables}`);
  return database;
}

/** Makes all changes of `change`, or none of them when it throws. */
export async function transaction<T>(database: DatabaseSync, change: () => T | Promise<T>): Promise<T> {
  database.exec("begin");
  try {
    const result = await change();
    database.exec("commit");
    return result;
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}
