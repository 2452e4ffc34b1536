import { badRequest } from "../refusal.ts";
import { gtinNumber } from "./gtin.ts";
import { type PageAddress, pageAddress } from "./product-url.ts";
import { parseQuery } from "./query-string.ts";

/** What GET /v1/products asks for: exactly one mode (spec, Endpoints). */
export type ProductQuery =
  | { readonly mode: "url"; readonly address: PageAddress }
  | { readonly mode: "gtin"; readonly gtin: number; readonly retailer?: string }
  | {
      readonly mode: "category";
      readonly category: string;
      readonly limit: number;
      readonly cursor?: string;
    };

/** The spec shows neither: pages of 20, and never more than 100; a larger wish is cut to that. */
export const defaultLimit = 20;
export const largestLimit = 100;

const modes = ["url", "gtin", "category"] as const;
const belongsTo = { retailer: "gtin", limit: "category", cursor: "category" } as const;

/**
 * Reads the query of GET /v1/products.
 * @throws Refusal 400 for no mode, two modes, a parameter of another mode, an empty or malformed value.
 */
export function parseProductQuery(query: string): ProductQuery {
  const parameters = parseQuery(query);
  const [mode, second] = modes.filter((name) => parameters.has(name));
  if (mode === undefined) throw badRequest("Give one of `url`, `gtin` and `category`.");
  if (second !== undefined) throw badRequest(`\`${mode}\` and \`${second}\` exclude each other.`);
  for (const [name, its] of Object.entries(belongsTo)) {
    if (its !== mode && parameters.has(name)) throw badRequest(`\`${name}\` goes with \`${its}\` only.`);
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
      return { mode, gtin: readGtin(value), ...(retailer === undefined ? {} : { retailer }) };
    }
    case "category": {
      const cursor = parameters.get("cursor");
      const limit = readLimit(parameters.get("limit"));
      return { mode, category: value, limit, ...(cursor === undefined ? {} : { cursor }) };
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
    throw badRequest("`gtin` is not 8, 12, 13 or 14 digits with a right check digit.");
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
