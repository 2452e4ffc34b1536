import type { DatabaseSync } from "node:sqlite";
import { lockMilliseconds } from "./database.ts";
import { lookupIndexes } from "./schema.ts";

/**
 * Fills a database at a stretch: it gets all of what `fill` writes or, when that throws or the process dies, nothing.
 * One without products is filled the quick way. Its new pages need no journal but the length that the file had, and
 * the indexes that only lookups use are sorted once at the end.
 */
export async function bulkLoad<T>(database: DatabaseSync, fill: () => Promise<T>): Promise<T> {
  const isNew = database.prepare("select 1 from product limit 1").get() === undefined;
  if (isNew) setModes(database, { journal: "truncate", temporary: "file" });
  try {
    database.exec("begin immediate");
    if (isNew) for (const { name } of lookupIndexes) database.exec(`drop index ${name}`);
    const result = await fill();
    if (isNew) for (const { text } of lookupIndexes) database.exec(text);
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
    // Somebody else has the database open: the journal stays as it is, which is only slower.
  }
  database.exec(`pragma busy_timeout = ${lockMilliseconds}`);
}
