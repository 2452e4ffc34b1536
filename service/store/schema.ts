/** Raised with every change of the tables; a database of another version is refused. */
export const schemaVersion = 1;

/** Indexes that lookups need, and writers do not. */
export const lookupIndexes = [
  { name: "product_gtin", text: "create index product_gtin on product (gtin) where gtin is not null;" },
  {
    name: "product_page",
    text: "create index product_page on product (page_path) where page_path is not null;",
  },
] as const;

/**
 * The tables. A product's `answer` is the JSON that may leave the house, made once when the product is written;
 * `internal` never leaves it. `retailer` and `retailer_name` are not in `answer`: a retailer can be renamed.
 */
export const schemaText = `
create table setting (name text primary key, value blob not null) strict, without rowid;
create table organization (
  id integer primary key,
  name text not null unique,
  terms_accepted_at text
) strict;
create table api_key (
  id integer primary key,
  organization integer not null references organization,
  label text not null,
  hash text not null unique,
  created_at text not null,
  revoked_at text
) strict;
create table retailer (
  id integer primary key,
  slug text not null unique,
  name text not null,
  disabled integer not null default 0
) strict;
create table retailer_domain (
  domain text primary key,
  retailer integer not null references retailer
) strict, without rowid;
create table entitlement (
  organization integer not null references organization,
  retailer integer not null references retailer,
  primary key (organization, retailer)
) strict, without rowid;
create table product (
  id integer primary key autoincrement,
  retailer integer not null references retailer,
  product_id text not null,
  gtin integer,
  page_host text,
  page_path text,
  categories text not null,
  answer text not null,
  internal text
) strict;
create unique index product_identity on product (retailer, product_id);
create table category (id integer primary key, name text not null unique) strict;
create table category_product (
  category integer not null references category,
  product integer not null references product,
  primary key (category, product)
) strict, without rowid;
${lookupIndexes.map(({ text }) => text).join("\n")}
`;
