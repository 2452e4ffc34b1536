import { errorCodeOf } from "../../schemas/api.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";

/** The part of a k6 response that can be made to parse other texts. */
export interface ParsingResponse {
  body: unknown;
  /** The value at a path of gjson (https://github.com/tidwall/gjson/blob/master/SYNTAX.md). */
  json(path: string): unknown;
}

/** Parses JSON. The value is undefined if the text is not JSON, or may be nested so deeply that parsing takes seconds. */
export type ParseJson = (text: string) => unknown;

/** Checks that the text is JSON, and gives all of it. */
const wholeIfValid = "@valid";

/**
 * A parser made of one response: k6 creates a new function whenever a script reads a method of a response, which costs more
 * than to parse a product. The response must not be used after that. If this k6 does not let a script replace a body, the
 * parser is `JSON.parse`, which takes ten times as long.
 */
export function parserOf(response: ParsingResponse): ParseJson {
  const { body, json } = response;
  const parse = (text: string): unknown => {
    // The comparison saves a call for nearly every body.
    if (text.length > surelyShallow && mayBeDeep(text)) return undefined;
    response.body = text;
    return json(wholeIfValid);
  };
  try {
    const follows = String(parse('["first"]')) === "first" && String(parse('["second"]')) === "second";
    return follows && parse('{"unfinished":') === undefined ? parse : parseInScript;
  } catch {
    return parseInScript;
  } finally {
    response.body = body;
  }
}

const surelyShallow = 16_384;
const longest = 131_072;

/**
 * Whether a text may be nested so deeply that k6 takes seconds to parse it: k6 reads the whole rest again at every level.
 * The complete check refuses such a text quickly.
 */
export function mayBeDeep(text: string): boolean {
  if (text.length <= surelyShallow) return false;
  return (
    text.length > longest ||
    text.includes("]]]]]]]]") ||
    text.includes("}}}}}}}}") ||
    text.includes("]}]}]}]}")
  );
}

/** Where so many arrays and objects end at one place, k6 needs hundreds of megabytes to parse a large text. */
const deepEnd = /(?:[\]}]\s*){200}/;

/** Whether a text is nested more deeply than conformance reads. */
export function isTooDeep(text: string): boolean {
  return mayBeDeep(text) && deepEnd.test(text);
}

function parseInScript(text: string): unknown {
  if (mayBeDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// k6 looks a name of the global object up for longer than one of a module.
const encode = encodeURIComponent;

type FieldValues = Readonly<Record<string, unknown>>;

/**
 * Whether the body of a 200 is almost certainly a valid product, and the one at `path` when that is given. False means only that
 * the complete check has to decide. Of several fields with the same name, which JSON
 * leaves undefined, the first counts here.
 *
 * @param text The body.
 * @param path Path of a lookup by id.
 */
export function isPlainlyProduct(parse: ParseJson, text: string, path?: string): boolean {
  if (mayHoldAbsence(text)) return false;
  const product = parse(text) as FieldValues | undefined;
  if (product === undefined) return false;
  const { product_id: productId, retailer } = product;
  // With these it is an object.
  if (typeof productId !== "string" || typeof retailer !== "string") return false;
  // Identifiers of dots, which paths escape, are left to the complete check.
  if (path !== undefined && path !== `/products/${encode(retailer)}/${encode(productId)}`) return false;
  return product.error === undefined && hasPlainTypes(product) && hasPlainFormats(product);
}

/** The GTIN in the path of a lookup; empty in any other. */
export function gtinIn(path: string): string {
  return /[?&]gtin=([^&]*)/.exec(path)?.[1] ?? "";
}

/** Whether the body of a lookup may show its GTIN, which may have other zeros before it there. */
export function mayShowGtin(text: string, path: string): boolean {
  return text.includes(gtinIn(path).replace(/^0+/, ""));
}

/**
 * Whether every other field of a product that has a type has it, or is missing; none is null in such a text. A loop over the
 * names would take twice as long in k6. What takes longer to see is left to the complete check of one response in many: a name
 * with two values, the content type, and in lists the formats.
 */
function hasPlainTypes(product: FieldValues): boolean {
  return (
    typeof (product.retailer_name ?? "") === "string" &&
    typeof (product.title ?? "") === "string" &&
    typeof (product.price ?? 0) === "number" &&
    typeof (product.currency ?? "") === "string" &&
    typeof (product.availability ?? "") === "string" &&
    typeof (product.product_url ?? "") === "string" &&
    isLikelyTime(product.last_updated)
  );
}

/** Whether the fields of a product with plain types certainly have their formats. Too much for each product of a page. */
function hasPlainFormats(product: FieldValues): boolean {
  const { currency = "EUR", product_url: url = "http" } = product as Readonly<Record<string, never>>;
  return (currency as string).length === 3 && (url as string).startsWith("http");
}

/**
 * Whether a value may be a time in UTC and is not the year 1, which stands for no time. More is left to the suite: an
 * expression for the whole form would cost a lookup more than all the rest of this check.
 */
export function isLikelyTime(value: unknown): boolean {
  return (
    value === undefined || (typeof value === "string" && value.endsWith("Z") && !value.startsWith("0001"))
  );
}

/**
 * The page in the body of a 200, if it is certainly valid with all its products; undefined if the complete check has to
 * decide.
 */
export function plainPage(parse: ParseJson, text: string): Page | undefined {
  const page = parse(text) as PageInBody | null | undefined;
  const cursor = page?.meta?.next_cursor;
  if (typeof cursor !== "string" || !isCount(page?.meta?.count)) return undefined;
  // Only the cursor of the last page may be empty.
  if (mayHoldAbsence(cursor === "" ? text.replace('"next_cursor":""', "") : text)) return undefined;
  const names = namesOf(page?.products);
  // The set is made by k6 itself, in a fraction of the time that a loop takes.
  const isRight = page?.meta?.count === names?.length && new Set(names).size === names?.length;
  return isRight && names !== undefined ? { cursor, names } : undefined;
}

/** What the body of a page may have. */
export interface PageInBody {
  readonly products?: unknown;
  readonly meta?: { readonly next_cursor?: unknown; readonly count?: unknown };
}

/** A page of a category as far as a walk through the category uses it. */
export interface Page {
  readonly cursor: string;
  /** Retailer and id of its products, without those that lack an id. */
  readonly names: readonly string[];
}

/** Retailer and id as one text. */
export function nameOf(retailer: unknown, productId: string): string {
  return `${retailer}\n${productId}`;
}

/** Whether the body of a 200 is certainly a valid result of a batch. */
export function isPlainlyBatchResult(
  parse: ParseJson,
  text: string,
  { batchFoundField, batchFoundProduct }: FieldNames,
  sent?: string,
): boolean {
  if (mayHoldAbsence(text)) return false;
  const result = parse(text) as FieldValues | null | undefined;
  const meta = result?.meta as FieldValues | undefined;
  if (!isCount(meta?.total) || !isCount(meta?.found) || !isCount(meta?.not_found)) return false;
  if (!isCount(meta?.other_errors) || !Array.isArray(result?.errors)) return false;
  const { total, found, not_found: missing, other_errors: other } = meta as unknown as Counters;
  if (total !== found + missing + other || result.errors.length !== missing + other) return false;
  for (let place = 0; place < result.errors.length; place += 1) {
    const { retailer, product_id: productId } = result.errors[place] as FieldValues;
    if (typeof retailer !== "string" || typeof productId !== "string") return false;
  }
  if (batchFoundField === undefined) return sent === undefined || total === itemsInText(sent);
  const items = itemsOf(result[batchFoundField], batchFoundProduct);
  if (items === undefined || items.length !== found) return false;
  if (sent === undefined || (found === total && areAllInOrder(sent, items))) return true;
  return total === itemsInText(sent) && accountFor(sent, items, result.errors as FieldValues[]);
}

interface Counters {
  readonly total: number;
  readonly found: number;
  readonly not_found: number;
  readonly other_errors: number;
}

const idField = '"product_id":';

/** The number of items in the text of a batch request. Inside a text, quotes are escaped. */
function itemsInText(sent: string): number {
  let count = 0;
  for (let at = sent.indexOf(idField); at >= 0; at = sent.indexOf(idField, at + 1)) count += 1;
  return count;
}

/** Whether the body of a 200 is certainly a valid list of retailers. */
export function isPlainlyRetailerList(parse: ParseJson, text: string): boolean {
  if (mayHoldAbsence(text)) return false;
  const list = (parse(text) as FieldValues | null | undefined)?.retailers;
  if (!Array.isArray(list)) return false;
  for (let place = 0, { length } = list; place < length; place += 1) {
    const { slug, name, domains } = list[place] as FieldValues;
    if (typeof slug !== "string" || !(name === undefined || typeof name === "string")) return false;
    if (!Array.isArray(domains) || !domains.every((domain) => typeof domain === "string")) return false;
  }
  return true;
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value % 1 === 0;
}

/** The names of a list of valid products; undefined if it is none. One loop reads each field once: reading is what takes time in k6. */
function namesOf(list: unknown): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const names: string[] = [];
  for (let place = 0, { length } = list; place < length; place += 1) {
    const product = list[place] as FieldValues | null;
    const productId = product?.product_id;
    const retailer = product?.retailer;
    // With an identity it is an object.
    if (typeof productId !== "string" || typeof retailer !== "string") return undefined;
    if (!hasPlainTypes(product as FieldValues)) return undefined;
    names[place] = `${retailer}\n${productId}`;
  }
  return names;
}

/** Valid products as the items of a batch request that found them, or objects that have one in the field `below`; undefined otherwise. */
function itemsOf(list: unknown, below?: string): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const items: string[] = [];
  for (let place = 0, { length } = list; place < length; place += 1) {
    const entry = list[place] as FieldValues | null;
    const product = below ? (entry?.[below] as FieldValues | undefined) : entry;
    const productId = product?.product_id;
    const retailer = product?.retailer;
    if (typeof productId !== "string" || typeof retailer !== "string") return undefined;
    if (!hasPlainTypes(product as FieldValues)) return undefined;
    items[place] = itemText(retailer, productId);
  }
  return items;
}

function itemText(retailer: unknown, productId: unknown): string {
  return `"retailer":"${retailer}","product_id":"${productId}"`;
}

/**
 * Whether all these items and errors are in the text of the batch request `sent`, and none is there twice. Items with escapes
 * are not found there: then the complete check decides.
 */
function accountFor(sent: string, items: readonly string[], errors: readonly FieldValues[]): boolean {
  const places = new Set<number>();
  for (let place = 0; place < items.length; place += 1) places.add(sent.indexOf(items[place] ?? ""));
  for (let place = 0; place < errors.length; place += 1) {
    const { retailer, product_id: productId } = errors[place] as FieldValues;
    places.add(sent.indexOf(itemText(retailer, productId)));
  }
  return !places.has(-1) && places.size === items.length + errors.length;
}

/** Whether these are exactly the items of a batch request, one after the other: a few calls see that for any number of them. */
function areAllInOrder(sent: string, items: readonly string[]): boolean {
  const all = items.join("},{");
  const at = sent.indexOf(all);
  return at >= 0 && sent.indexOf(idField) > at && sent.indexOf(idField, at + all.length) < 0;
}

/** Whether the body is certainly an error with the code of this status. False means that the complete check has to decide. */
export function isPlainlyError(parse: ParseJson, text: string, status: number): boolean {
  const expected = errorCodeOf(status);
  const error = (parse(text) as FieldValues | undefined)?.error as FieldValues | null | undefined;
  const { code, message } = error ?? {};
  return expected !== undefined && code === expected && typeof message === "string" && message.trim() !== "";
}

/** Whether a value in the JSON text may be null or empty; false only if none can be. */
export function mayHoldAbsence(text: string): boolean {
  return text.includes("null") || text.includes('""');
}
