import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { ResponseBody } from "./response-rules.ts";
import type { LoadCall } from "./traffic.ts";

// The quick check reads the text of a body, because k6 takes longer to parse one than for all the rest of a request. What it
// suspects goes to the complete check, which alone decides: a `null` in a title costs time, and is no false alarm.
// A scenario names the checks of the bodies that it gets: each function costs every virtual user memory.

/** Whether the body of an expected response looks right; for a page, what a walk needs of it. */
export type QuickCheck = (text: string, call: LoadCall, fieldNames: FieldNames) => boolean | Page;

/** Bodies without one get the complete check. */
export type QuickChecks = { readonly [Body in ResponseBody]?: QuickCheck };

/** A page of a category as far as a walk through the category uses it. */
export interface Page {
  readonly cursor: string;
  /** Number of its products. */
  readonly count: number;
  /** Retailer and id of its products: after the quick check only of the first and the last one, which show where a walk is. */
  readonly names: readonly string[];
}

/** Retailer and id as one text. */
export function nameOf(retailer: unknown, productId: string): string {
  return `${retailer}\n${productId}`;
}

/** Whether a text looks like a JSON object that has what was requested, no null and no empty text. */
export function looksRight(text: string, sought = ""): boolean {
  return (
    text[0] === "{" &&
    text.includes(sought) &&
    !text.includes("null") &&
    !text.includes('""') &&
    isClosed(text)
  );
}

function isClosed(text: string): boolean {
  const last = text.length - 1;
  return text[last] === "}" || (text[last] === "\n" && text[last - 1] === "}");
}

/** Of a product and of a list of retailers, what was requested is enough. */
export const single: QuickCheck = (text, { sought }) => looksRight(text, sought);

const idField = '"product_id"';
const retailerField = '"retailer"';

export const productList: QuickCheck = (text) => {
  const at = text.lastIndexOf('"meta"');
  const meta = at < 0 ? "" : text.slice(at);
  const cursor = textAfter(meta, '"next_cursor"');
  if (cursor === undefined || text[0] !== "{" || !isClosed(text) || text.includes("null")) return false;
  // Only the cursor of the last page may be empty.
  const empty = text.indexOf('""');
  if (empty >= 0 && (cursor !== "" || empty < at || text.includes('""', empty + 1))) return false;
  const parts = text.split(idField);
  const count = parts.length - 1;
  // Whether there is an empty list, the text does not show.
  if (count === 0 || numberAfter(meta, '"count"') !== count || !areDifferent(parts)) return false;
  const first = textAfter(parts[1] ?? "");
  const last = textAfter(parts[count] ?? "");
  const retailer = textAfter(text, retailerField);
  const lastRetailer = textAfter(text.slice(text.lastIndexOf(retailerField)), retailerField);
  if (first === undefined || last === undefined) return false;
  return { cursor, count, names: [nameOf(retailer, first), nameOf(lastRetailer, last)] };
};

const counters = ['"total"', '"found"', '"not_found"', '"other_errors"'] as const;

export const batchResult: QuickCheck = (text, { body = "" }, { batchFoundProduct }) => {
  const sent = body.split(idField);
  const size = sent.length - 1;
  const first = textAfter(sent[1] ?? "");
  if (first === undefined || !looksRight(text, `"${first}"`)) return false;
  if (!text.includes(`"${textAfter(sent[size] ?? "")}"`)) return false;
  const at = text.lastIndexOf('"meta"');
  const meta = at < 0 ? "" : text.slice(at);
  const [total = -1, found = 0, missing = 0, other = 0] = counters.map((name) => numberAfter(meta, name));
  if (total !== size || total !== found + missing + other) return false;
  const shown = text.split(idField);
  if (shown.length - 1 === total) return areDifferent(shown);
  // Each item that was found may be echoed beside its product.
  return batchFoundProduct ? shown.length - 1 === 2 * found + missing + other : false;
};

/** So much of a product from its id on is different from that of any other: a longer id goes to the complete check. */
const idLength = 48;

/** Whether the texts after the ids of products are different: each begins with the id. */
function areDifferent(parts: readonly string[]): boolean {
  const ids: string[] = [];
  for (let place = 1; place < parts.length; place += 1)
    ids[place - 1] = (parts[place] as string).slice(0, idLength);
  // The set is made by k6 itself, in a fraction of the time that a loop takes.
  return new Set(ids).size === ids.length;
}

/**
 * The text of the first field with a quoted name; undefined if it is none, or has escapes. Without a name, of the field whose
 * name is before the JSON.
 */
function textAfter(json: string, name = ""): string | undefined {
  const colon = json.indexOf(name) + name.length;
  const from = json.indexOf('"', colon);
  if (from < 0 || json.slice(colon, from).trim() !== ":") return undefined;
  const text = json.slice(from + 1, json.indexOf('"', from + 1));
  return text.includes("\\") ? undefined : text;
}

/** The number that the first field with a quoted name has; NaN if it is none. */
function numberAfter(json: string, name: string): number {
  const colon = json.indexOf(":", json.indexOf(name));
  return Number.parseInt(json.slice(colon + 1, colon + 12), 10);
}
