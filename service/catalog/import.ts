import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { transaction } from "./database.ts";
import { gtinNumber, pageAddress } from "./identifiers.ts";
import {
  allowedFields,
  type CatalogLine,
  createWriter,
  LineError,
  type ProductLine,
  type RetailerLine,
} from "./product-rows.ts";

/** A catalog file that cannot be imported. Nothing of it is stored. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
}

const longestLine = 1024 * 1024;
const newline = 0x0a;
/** Windows editors and spreadsheets begin UTF-8 files with a byte order mark. */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Imports NDJSON in UTF-8 in one transaction. A later line for the same retailer or product replaces the
 * earlier one.
 * @throws CatalogError that names file and line.
 */
export async function importCatalog(database: DatabaseSync, file: string): Promise<void> {
  const readLine = createLineReader();
  let isEmpty = true;
  let number = 0;
  try {
    await transaction(database, async () => {
      const write = createWriter(database);
      for await (const lines of linesOf(file)) {
        for (const bytes of lines) {
          number++;
          if (bytes.length === 0) continue;
          write(readLine(bytes));
          isEmpty = false;
        }
      }
      if (isEmpty) throw new CatalogError(`${file}: the file is empty.`);
    });
  } catch (error) {
    if (error instanceof LineError) {
      throw new CatalogError(`${file}:${number}: ${error.message}. Nothing was imported: correct the line.`, {
        cause: error,
      });
    }
    if (error instanceof Error && "syscall" in error) {
      throw new CatalogError(`${file}: cannot be read (${error.message}).`, { cause: error });
    }
    throw error;
  }
}

/**
 * The lines of each chunk together: waiting for each, as node:readline does, takes longer than reading it.
 * The last line may be longer than the others; the reader refuses it.
 */
async function* linesOf(file: string): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const read: Buffer = isFirst && chunk.indexOf(byteOrderMark) === 0 ? chunk.subarray(3) : chunk;
    isFirst = false;
    const bytes: Buffer = rest.length === 0 ? read : Buffer.concat([rest, read]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    yield lines;
    rest = bytes.subarray(start);
    if (rest.length > longestLine) break;
  }
  if (rest.length > 0) yield [rest];
}

const retailerSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    kind: { const: "retailer" },
    slug: { type: "string", minLength: 1 },
    name: { type: "string", minLength: 1 },
    domains: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 253, pattern: "^[^/\\\\:@?#\\s]+$" },
    },
  },
  required: ["kind", "slug", "name"],
};

const productSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    kind: { const: "product" },
    retailer: { type: "string", minLength: 1 },
    categories: { type: "array", items: { type: "string", minLength: 1 } },
    internal: { type: "object" },
    ...allowedFields,
  },
  required: ["kind", "retailer", "product_id"],
};

/** Makes a function that reads one line, and throws LineError when it is neither a retailer nor a product. */
function createLineReader(): (line: Buffer) => CatalogLine {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const isRetailer = ajv.compile<RetailerLine>(retailerSchema);
  const isProduct = ajv.compile<ProductLine>(productSchema);
  return (line) => {
    const value = parse(line);
    const kind = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
    switch (kind) {
      case "retailer":
        if (isRetailer(value)) return value;
        throw new LineError(mistakes(isRetailer.errors, "retailer", retailerSchema));
      case "product":
        if (!isProduct(value)) throw new LineError(mistakes(isProduct.errors, "product", productSchema));
        checkValues(value);
        return value;
      default:
        throw new LineError('`kind` is neither "retailer" nor "product"');
    }
  };
}

function mistakes(
  errors: readonly ErrorObject[] | null | undefined = [],
  kind: "retailer" | "product",
  { properties }: { readonly properties: object },
): string {
  const texts = (errors ?? []).map(({ keyword, instancePath, message, params }) =>
    keyword === "additionalProperties"
      ? `a ${kind} has no property \`${params.additionalProperty}\`; it has ${Object.keys(properties).join(", ")}`
      : `${kind}${instancePath} ${message}`,
  );
  return texts.join(", ");
}

function parse(line: Buffer): unknown {
  if (line.length > longestLine) throw new LineError("the line is longer than 1 MiB");
  if (!isUtf8(line)) throw new LineError("not UTF-8");
  try {
    return JSON.parse(line.toString());
  } catch {
    throw new LineError("not JSON");
  }
}

/** Checks that a JSON Schema cannot express. */
function checkValues({ gtin, product_url, last_updated, product_id }: ProductLine): void {
  if (typeof gtin === "string" && gtin !== "" && gtinNumber(gtin) === undefined) {
    throw new LineError("`gtin` is not 8, 12, 13 or 14 digits with a correct check digit");
  }
  if (typeof product_url === "string" && product_url !== "" && pageAddress(product_url) === undefined) {
    throw new LineError("`product_url` is not an absolute http or https URL");
  }
  if (typeof last_updated === "string" && last_updated !== "" && !isPointInTime(last_updated)) {
    throw new LineError("`last_updated` is not a point in time");
  }
  if (!product_id.isWellFormed()) throw new LineError("`product_id` is not well-formed Unicode");
}

/** Date.parse alone takes February 31 for a day in March. */
function isPointInTime(text: string): boolean {
  const day = text.slice(0, "2026-02-31".length);
  return !Number.isNaN(Date.parse(text)) && String(new Date(day).toJSON()).startsWith(day);
}
