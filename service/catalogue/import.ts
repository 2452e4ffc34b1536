import { createReadStream } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { createWriter, UnknownRetailer } from "../store/writer.ts";
import { BadLine, createLineReader } from "./read-line.ts";

/** A catalogue file that cannot be imported; nothing of it was. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
}

export interface Imported {
  readonly retailers: number;
  readonly products: number;
}

const longestLine = 1024 * 1024;
const newline = 0x0a;

/**
 * Imports a catalogue file (NDJSON, UTF-8): retailers and products that are there already are replaced. All of
 * it or nothing, in one transaction.
 * @throws CatalogueError that names file and line.
 */
export async function importCatalogue(database: DatabaseSync, file: string): Promise<Imported> {
  const read = createLineReader();
  const writer = createWriter(database);
  const imported = { retailers: 0, products: 0 };
  let number = 0;
  database.exec("begin immediate");
  try {
    for await (const bytes of linesOf(file)) {
      number++;
      if (bytes.length === 0) continue;
      const line = read(bytes);
      writer.write(line);
      imported[`${line.kind}s`]++;
    }
    if (imported.products + imported.retailers === 0) throw new BadLine("the file is empty");
    database.exec("commit");
    return imported;
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw explain(error, file, number);
  }
}

function explain(error: unknown, file: string, number: number): unknown {
  if (error instanceof BadLine || error instanceof UnknownRetailer || error instanceof LineTooLong) {
    const line = error instanceof LineTooLong ? number + 1 : number;
    return new CatalogueError(`${file}:${line}: ${error.message}. Nothing was imported: mend the line.`, {
      cause: error,
    });
  }
  if (error instanceof Error && "syscall" in error) {
    return new CatalogueError(`${file}: cannot be read (${error.message}).`, { cause: error });
  }
  return error;
}

class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

async function* linesOf(file: string): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > longestLine) throw new LineTooLong("the line is longer than 1 MiB");
  }
  if (rest.length > 0) yield rest;
}
