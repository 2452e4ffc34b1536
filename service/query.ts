import { gtinNumber, type PageAddress, pageAddress } from "./catalog/identifiers.ts";
import { badRequest } from "./errors.ts";

/** The query of GET /v1/products: exactly one mode (spec, Endpoints). */
export type ProductQuery =
  | { readonly mode: "url"; readonly address: PageAddress }
  | { readonly mode: "gtin"; readonly gtin: number; readonly retailer?: string | undefined }
  | {
      readonly mode: "category";
      readonly category: string;
      readonly limit: number;
      readonly cursor?: string | undefined;
    };

/** The spec shows neither number. A larger `limit` is cut to the largest. */
const defaultLimit = 20;
export const largestLimit = 100;

const modes = ["url", "gtin", "category"] as const;
const belongsTo = { retailer: "gtin", limit: "category", cursor: "category" } as const;

/**
 * Reads the query of GET /v1/products.
 * @throws HttpError 400 for no mode, two modes, a parameter of another mode, an empty or malformed value.
 */
export function parseProductQuery(query: string): ProductQuery {
  const parameters = parseQuery(query);
  const [mode, second] = modes.filter((name) => parameters.has(name));
  if (mode === undefined) throw badRequest("Give one of `url`, `gtin` and `category`.");
  if (second !== undefined) throw badRequest(`\`${mode}\` and \`${second}\` exclude each other.`);
  for (const [name, owner] of Object.entries(belongsTo)) {
    if (owner !== mode && parameters.has(name)) throw badRequest(`\`${name}\` goes with \`${owner}\` only.`);
  }
  for (const name of [mode, ...Object.keys(belongsTo)]) {
    if (parameters.get(name) === "") throw badRequest(`\`${name}\` is empty.`);
  }
  const value = parameters.get(mode) ?? "";
  switch (mode) {
    case "url":
      return { mode, address: readAddress(value) };
    case "gtin": {
      const retailer = parameters.get("retailer");
      return { mode, gtin: readGtin(value), retailer };
    }
    case "category": {
      const cursor = parameters.get("cursor");
      const limit = readLimit(parameters.get("limit"));
      return { mode, category: value, limit, cursor };
    }
    default:
      return mode satisfies never;
  }
}

function readAddress(text: string): PageAddress {
  const address = pageAddress(text);
  if (address === undefined) throw badRequest("`url` is not an absolute http or https URL.");
  return address;
}

function readGtin(text: string): number {
  const gtin = gtinNumber(text);
  if (gtin === undefined) {
    throw badRequest("`gtin` is not 8, 12, 13 or 14 digits with a correct check digit.");
  }
  return gtin;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) < 1) {
    throw badRequest("`limit` is not a whole number of 1 or more.");
  }
  return Math.min(Number(text), largestLimit);
}

/**
 * Decodes strictly: `+` is a space, no parameter comes twice, percent-encodings are well-formed UTF-8.
 * URLSearchParams decodes malformed queries too: "one request uses exactly one mode" leaves no room for a
 * guess.
 * @throws HttpError 400
 */
function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) throw badRequest("A query parameter is given twice.");
    parameters.set(name, equals === -1 ? "" : decode(pair.slice(equals + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest("The query is not well-formed: percent-encode it as UTF-8.");
  }
}
