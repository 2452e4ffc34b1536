import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Raised with every change of the tables; a database of another version is refused. */
const schemaVersion = 1;

/** Indexes that only lookups need. */
const lookupIndexes = {
  product_gtin: "create index product_gtin on product (gtin) where gtin is not null;",
  product_page: "create index product_page on product (page_path) where page_path is not null;",
};

/**
 * A product's `answer` is the JSON that may be returned, made once when the product is written; `internal` is never
 * returned. `retailer` and `retailer_name` are not in `answer`, because a retailer can be renamed.
 */
const tables = `
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
${Object.values(lookupIndexes).join("\n")}
`;

/** The database file cannot be used as it is. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
}

/** How long a statement waits for another connection's lock. */
const lockMilliseconds = 5000;

/**
 * Opens a database and creates its tables when it is new. Close it when done.
 * @param file a path, or `:memory:`.
 * @throws DatabaseError when the file is not a database of this service.
 */
export function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: lockMilliseconds });
    database.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;");
    database.exec("pragma cache_size = -65536; pragma temp_store = memory;");
    createTables(database, file);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof DatabaseError) throw error;
    throw notOpened(error, file);
  }
}

function notOpened(error: unknown, file: string): DatabaseError {
  const reason = error instanceof Error ? error.message : String(error);
  return new DatabaseError(`${file}: cannot be opened as a database (${reason}). Name another file.`, {
    cause: error,
  });
}

/** The SQLite code of an error; 0 for other errors. */
function errorCodeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
}

/** Turns SQLite's error about a damaged file into a DatabaseError; returns other errors unchanged. */
export function explainedDamage(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !sqliteDamage.includes(errorCodeOf(error))) return error;
  return new DatabaseError(
    `${file}: is damaged (${error.message}). Restore it from a copy, or name another file.`,
    { cause: error },
  );
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const sqliteDamage = [11, 26];
const sqliteBusy = 5;

/**
 * Locks a database file, so that only one service at a time uses it: each start issues keys and revokes the previous ones.
 * The lock is SQLite's own on a second file, which the system releases however the process ends.
 * @throws DatabaseError when another service has locked it.
 */
export function lockDatabase(file: string): Disposable {
  if (file === ":memory:") return { [Symbol.dispose]: () => undefined };
  const beside = `${file}.serving`;
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(beside, { timeout: 0 });
    lock.exec(
      "pragma locking_mode = exclusive; begin exclusive; create table if not exists lock (id integer); commit;",
    );
  } catch (error) {
    lock?.close();
    if (errorCodeOf(error) !== sqliteBusy) throw notOpened(error, file);
    throw new DatabaseError(
      `${file}: another service uses it, and a second one would make the keys of the first invalid. End that one, or name another file.`,
      { cause: error },
    );
  }
  return {
    [Symbol.dispose]: () => {
      lock?.close();
      rmSync(beside, { force: true });
    },
  };
}

function createTables(database: DatabaseSync, file: string): void {
  transaction(database, () => {
    const version = database.prepare("pragma user_version").get()?.user_version;
    if (version === schemaVersion) return;
    const known = database.prepare("select count(*) as count from sqlite_schema").get()?.count;
    if (version !== 0 || known !== 0) {
      throw new DatabaseError(
        `${file}: is a database, but not one of this version of the service. Name another file.`,
      );
    }
    database.exec(tables);
    database.prepare("insert into setting values ('cursor_secret', ?)").run(randomBytes(32));
    database.exec(`pragma user_version = ${schemaVersion}`);
  });
}

/** Makes all changes of `change`, or none of them when it throws. */
export function transaction<T>(database: DatabaseSync, change: () => T): T {
  database.exec("begin immediate");
  try {
    const result = change();
    database.exec("commit");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

/**
 * Like `transaction`, for very many changes. A database without products is filled faster: its journal keeps only the
 * old length of the file, and the indexes for lookups are built at the end.
 */
export async function bulkLoad<T>(database: DatabaseSync, fill: () => Promise<T>): Promise<T> {
  const isNew = database.prepare("select 1 from product limit 1").get() === undefined;
  if (isNew) setModes(database, { journal: "truncate", temporary: "file" });
  try {
    database.exec("begin immediate");
    if (isNew) for (const name of Object.keys(lookupIndexes)) database.exec(`drop index ${name}`);
    const result = await fill();
    if (isNew) for (const statement of Object.values(lookupIndexes)) database.exec(statement);
    database.exec("commit");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  } finally {
    if (isNew) setModes(database, { journal: "wal", temporary: "memory" });
  }
}

function setModes(
  database: DatabaseSync,
  { journal, temporary }: { journal: string; temporary: string },
): void {
  database.exec(`pragma temp_store = ${temporary}; pragma busy_timeout = 0`);
  try {
    database.exec(`pragma journal_mode = ${journal}`);
  } catch {
    // Another connection is open: the journal stays as it is, which is only slower.
  }
  database.exec(`pragma busy_timeout = ${lockMilliseconds}`);
}

/**
 * A number that changes whenever another connection, of this process or another, has changed the database. It is read
 * once in a turn of the event loop, which several requests may share.
 */
export function changeCounter(database: DatabaseSync): () => number {
  const version = database.prepare("pragma data_version");
  version.setReturnArrays(true);
  let known: number | undefined;
  const forget = () => {
    known = undefined;
  };
  return () => {
    if (known === undefined) {
      known = (version.get() as unknown as readonly [number])[0];
      setImmediate(forget);
    }
    return known;
  };
}
