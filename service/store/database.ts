import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { schemaText, schemaVersion } from "./schema.ts";

/** The database file cannot be used as it is. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
}

/** How long a statement waits for another connection's lock. */
export const lockMilliseconds = 5000;

/**
 * Opens a database and lays its tables out when it is new. Close it when done.
 * @param file a path, or `:memory:`.
 * @throws DatabaseError when the file is no database of this service.
 */
export function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: lockMilliseconds });
    database.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;");
    database.exec("pragma cache_size = -65536; pragma temp_store = memory;");
    layOut(database, file);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof DatabaseError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseError(`${file}: cannot be opened as a database (${reason}). Name another file.`, {
      cause: error,
    });
  }
}

function layOut(database: DatabaseSync, file: string): void {
  transaction(database, () => {
    const version = database.prepare("pragma user_version").get()?.user_version;
    if (version === schemaVersion) return;
    const tables = database.prepare("select count(*) as count from sqlite_schema").get()?.count;
    if (version !== 0 || tables !== 0) {
      throw new DatabaseError(
        `${file}: is a database, but not one of this version of the service. Name another file.`,
      );
    }
    database.exec(schemaText);
    database.prepare("insert into setting values ('cursor_secret', ?)").run(randomBytes(32));
    database.exec(`pragma user_version = ${schemaVersion}`);
  });
}

/** Runs `change` so that the database gets all of it or, when it throws, nothing. */
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
 * A number that changes whenever another connection, of this process or another, has changed the database. It is
 * asked for once in a turn of the event loop, which several requests may share.
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
