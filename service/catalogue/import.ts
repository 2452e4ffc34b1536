import { createReadStream } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { bulkLoad } from "../store/bulk-load.ts";
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
  const imported = { retailers: 0, products: 0 };
  let number = 0;
  try {
    return await bulkLoad(database, async () => {
      const writer = createWriter(database);
      for await (const lines of linesOf(file)) {
        for (const bytes of lines) {
          number++;
          if (bytes.length === 0) continue;
          const line = read(bytes);
          writer.write(line);
          imported[`${line.kind}s`]++;
        }
      }
      if (imported.products + imported.retailers === 0) throw new BadLine("the file is empty");
      return imported;
    });
  } catch (error) {
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

/** Many lines at a time: waiting for each would cost more than reading it. */
async function* linesOf(file: string): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    yield lines;
    rest = bytes.subarray(start);
    if (rest.length > longestLine) throw new LineTooLong("the line is longer than 1 MiB");
  }
  if (rest.length > 0) yield [rest];
}
