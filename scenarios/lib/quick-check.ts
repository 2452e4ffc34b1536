import type { FieldNames } from "../../schemas/contracts/product.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { LoadCall } from "./traffic.ts";

// The quick check reads the text of a body, because k6 takes longer to parse one than for all the rest of a
// request. What it suspects goes to the complete check, which alone decides: a `null` in a title costs time,
// and is no false alarm. A scenario names the checks of the lists that it gets: each function costs every
// virtual user memory.

/** Whether the body of an expected response looks right; for a page, what a walk needs of it. */
export type QuickCheck = (text: string, call: LoadCall, fieldNames: FieldNames) => boolean | Page;

/** The checks of lists; anything else gets `single`. */
export type ListChecks = { readonly [Name in RequestKindId]?: QuickCheck };

/** A page of a category as far as a walk through the category uses it. */
export interface Page {
  readonly cursor: string;
  /** Number of its products. */
  readonly count: number;
  /** Retailer and id; after the quick check of the first and last product only: they show where a walk is. */
  readonly names: readonly string[];
}

/** Retailer and id as one text. */
export function nameOf(retailer: unknown, productId: string): string {
  return `${retailer}\n${productId}`;
}

/** Whether it looks like an object with what was requested, no null, no empty text: enough but for lists. */
export function single(text: string, { sought = "" }: Pick<LoadCall, "sought">): boolean {
  const last = text.length - 1;
  return (
    text[0] === "{" &&
    (text[last] === "}" || (text[last] === "\n" && text[last - 1] === "}")) &&
    text.includes(sought) &&
    !text.includes("null") &&
    !text.includes('""')
  );
}

// Without the quote in front: Go, which searches for k6, looks at each place that has the first character.
const idField = 'product_id"';
const retailerField = 'retailer"';

// The complete check finds equal products of a list: telling fifty ids apart takes k6 as long as all else.

export const productList: QuickCheck = (text) => {
  const at = text.lastIndexOf('"meta"');
  const meta = at < 0 ? "" : text.slice(at);
  const cursor = textAfter(meta, '"next_cursor"');
  const isObject = text[0] === "{" && (text.endsWith("}") || text.endsWith("}\n"));
  if (cursor === undefined || !isObject || text.includes("null")) return false;
  // Only the cursor of the last page may be empty.
  const empty = text.indexOf('""');
  if (empty >= 0 && (cursor !== "" || empty < at || text.includes('""', empty + 1))) return false;
  const parts = text.split(idField);
  const count = parts.length - 1;
  // Whether there is an empty list, the text does not show.
  if (count === 0 || numberAfter(meta, '"count"') !== count) return false;
  const first = textAfter(parts[1] ?? "", "");
  const last = textAfter(parts[count] ?? "", "");
  if (first === undefined || last === undefined) return false;
  const retailer = textAfter(text, retailerField);
  const lastRetailer = textAfter(text.slice(text.lastIndexOf(retailerField)), retailerField);
  return { cursor, count, names: [nameOf(retailer, first), nameOf(lastRetailer, last)] };
};

/** So many items do not leave a catalog and come back at once: whether they did, the complete check asks. */
export const fewestLost = 5;

export const batchResult: QuickCheck = (text, { body = "", size }, { batchFoundProduct }) => {
  const first = textAfter(body, idField);
  const last = textAfter(body.slice(body.lastIndexOf(idField)), idField);
  if (first === undefined || !single(text, { sought: `"${first}"` }) || !text.includes(`"${last}"`))
    return false;
  const at = text.lastIndexOf('"meta"');
  const meta = at < 0 ? "" : text.slice(at);
  const found = numberAfter(meta, '"found"');
  const unfound = numberAfter(meta, '"not_found"');
  const missed = unfound + numberAfter(meta, '"other_errors"');
  if (found === 0 || unfound >= fewestLost) return false;
  if (size !== found + missed || size !== numberAfter(meta, '"total"')) return false;
  const shown = text.split(idField).length - 1;
  // Each item that was found may be echoed beside its product.
  return shown === size || (batchFoundProduct ? shown === size + found : false);
};

/** The text of the first field with a quoted name; undefined if it is none, or has escapes. */
function textAfter(json: string, name: string): string | undefined {
  const colon = json.indexOf(name) + name.length;
  const from = json.indexOf('"', colon);
  if (from < 0 || json.slice(colon, from).trim() !== ":") return undefined;
  const text = json.slice(from + 1, json.indexOf('"', from + 1));
  return text.includes("\\") ? undefined : text;
}

// In k6 every access to a property of a global object takes long.
const wholeNumber = Number.parseInt;

/** The number that the first field with a quoted name has; NaN if it is none. */
function numberAfter(json: string, name: string): number {
  return wholeNumber(json.slice(json.indexOf(":", json.indexOf(name)) + 1), 10);
}
