import type { Finding } from "./contracts/finding.ts";
import { given, isObject, jsonIn, pointer } from "./json.ts";
import { leavesOf, looksLikeGtin, sameGtin } from "./product-values.ts";

// What must add up in one response, the counters and items of a batch, the count and products of a page, and
// when a walk through pages never ends. The suite and the load judge it with the same functions.

/** An entry of a list in a body, with its JSON Pointer. */
export interface PlacedEntry {
  readonly path: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

type BodyFieldValues = Readonly<Record<string, unknown>>;

/** A product, item or entry, by the two fields that name it. */
export interface NamedItem {
  readonly retailer?: unknown;
  readonly product_id?: unknown;
}

/** Retailer and id of a product or item as one text; undefined unless both are strings. */
export function itemName({ retailer, product_id: id }: NamedItem): string | undefined {
  return typeof retailer === "string" && typeof id === "string" ? JSON.stringify([retailer, id]) : undefined;
}

/** Who a product or item is, as a field of a finding; empty when retailer or product_id is missing. */
export function identityOf(entry: NamedItem): Pick<Finding, "product"> {
  const { retailer, product_id: productId } = entry;
  const isNamed = typeof retailer === "string" && typeof productId === "string";
  return isNamed ? { product: { retailer, productId } } : {};
}

/** The entries that are objects; `inner` names the field that holds each, if there is one. */
export function entriesOf(body: BodyFieldValues, field: string, inner = ""): PlacedEntry[] {
  const list = body[field];
  const entries: PlacedEntry[] = [];
  for (const [index, one] of (Array.isArray(list) ? list : []).entries()) {
    const entry: unknown = inner === "" ? one : isObject(one) ? one[inner] : undefined;
    const path = inner === "" ? pointer(field, index) : pointer(field, index, inner);
    if (isObject(entry)) entries.push({ path, entry });
  }
  return entries;
}

/** The items in the body of a batch request, whatever their field is called; none when it is malformed. */
export function itemsIn(requestBody: string): unknown[] {
  const sent = jsonIn(requestBody);
  const list = isObject(sent) ? Object.values(sent).find(Array.isArray) : sent;
  return Array.isArray(list) ? list : [];
}

/** The finding on a page whose count is not the number of its products. */
export function wrongPageCount({ products, meta }: BodyFieldValues): Finding[] {
  const count = isObject(meta) ? meta.count : undefined;
  if (!Array.isArray(products) || products.length === count) return [];
  const expected = products.length;
  return [{ code: "wrong-count", path: "/meta/count", subject: "products", expected, actual: count }];
}

/** The findings on products that a page has twice. */
export function repeatedOnPage(products: readonly PlacedEntry[]): Finding[] {
  const seen = new Set<string>();
  return products.flatMap(({ path, entry }): Finding[] => {
    const name = itemName(entry);
    if (name === undefined || seen.size < seen.add(name).size) return [];
    return [{ code: "item-repeated", path, ...identityOf(entry) }];
  });
}

/**
 * For counters that disagree with each other or with the lists.
 * @param sent Names of the items. One that was sent twice may be listed, or counted, once or twice.
 */
export function countersDisagree(
  body: BodyFieldValues,
  foundField: string | undefined,
  sent: readonly string[],
): Finding[] {
  const { total, found, not_found: notFound, other_errors: other } = isObject(body.meta) ? body.meta : {};
  if (![total, found, notFound, other].every((value) => typeof value === "number")) return [];
  const missed = { not_found: Number(notFound), other_errors: Number(other) };
  const hits = { found: Number(found) };
  const listed = (field: string, counters: Readonly<Record<string, number>>): Finding[] => {
    const list = body[field];
    if (!Array.isArray(list)) return [];
    return disagreement(pointer(field), list.length, counters).filter(
      ({ expected, actual }) => Math.abs(Number(expected) - Number(actual)) > repeatsIn(list, sent),
    );
  };
  return [
    ...disagreement("/meta/total", Number(total), { ...hits, ...missed }),
    ...(foundField === undefined ? [] : listed(foundField, hits)),
    ...listed("errors", missed),
  ];
}

/** How many more items were sent than different ones, of those in a list; of all, if an entry has no name. */
function repeatsIn(list: readonly unknown[], sent: readonly string[]): number {
  const names = list.map((entry) => (isObject(entry) ? itemName(entry) : undefined));
  const isListed = (name: string) => names.includes(name) || names.includes(undefined);
  return sent.filter((name, at) => sent.indexOf(name) < at && isListed(name)).length;
}

function disagreement(path: string, amount: number, counters: Readonly<Record<string, number>>): Finding[] {
  const expected = Object.values(counters).reduce((sum, count) => sum + count, 0);
  return amount === expected
    ? []
    : [{ code: "counters-disagree", path, expected, actual: amount, details: { counters } }];
}

/** For a total that is not the number of items. An item that was sent twice may count once or twice. */
export function wrongTotal(total: unknown, sent: readonly string[]): Finding[] {
  if (typeof total !== "number" || (total >= new Set(sent).size && total <= sent.length)) return [];
  const details = { counted: "sent" } as const;
  return [{ code: "wrong-count", path: "/meta/total", expected: sent.length, actual: total, details }];
}

/**
 * For items that are found or listed under errors more often than sent, or not at all. None when an entry
 * names no item, or one that was not sent: then items may be there under another name.
 */
export function miscountedItems(sent: readonly string[], listed: readonly PlacedEntry[]): Finding[] {
  const times = new Map<string, number>();
  for (const name of sent) times.set(name, (times.get(name) ?? 0) + 1);
  const places = new Map<string, string[]>();
  for (const { path, entry } of listed) {
    const name = itemName(entry);
    if (name === undefined || !times.has(name)) return [];
    places.set(name, [...(places.get(name) ?? []), path]);
  }
  const findings: Finding[] = [];
  for (const [name, expected] of times) {
    const all = places.get(name) ?? [];
    const [retailer, productId] = JSON.parse(name) as [string, string];
    const product = { retailer, productId };
    const { [expected]: path, length: actual } = all;
    if (actual === 0) findings.push({ code: "item-missing", path: "/errors", product });
    else if (path !== undefined) findings.push({ code: "item-miscounted", path, product, expected, actual });
  }
  return findings;
}

/** Whether a found product can be that of an item: it may lack a field (spec, Product), and says nothing by that. */
export function canBeOf(found: BodyFieldValues, item: BodyFieldValues): boolean {
  return (["retailer", "product_id"] as const).every((name) =>
    [undefined, null, "", item[name]].includes(found[name]),
  );
}

/** The finding on a product or entry that belongs to no item of the batch. */
export function itemNotSent(path: string, entry: BodyFieldValues): Finding {
  const { retailer, product_id } = entry;
  return { code: "item-not-sent", path, actual: given({ retailer, product_id }), ...identityOf(entry) };
}

/** For a product that shows GTINs, none of which was requested. Any field may hold the requested one. */
export function otherGtin(product: BodyFieldValues, asked: string, path: string): Finding[] {
  const leaves = leavesOf(product);
  const isThere = leaves.some(({ value }) => value !== null && sameGtin(String(value), asked));
  const shown = leaves.find((one) => one.path === path && looksLikeGtin(String(one.value)));
  if (shown === undefined || isThere || !looksLikeGtin(asked)) return [];
  const { at, value: actual } = shown;
  const told = { path: at, expected: [asked], actual, ...identityOf(product) };
  return [{ code: "told-otherwise", subject: "request", ...told }];
}

// A product may appear twice when the catalog changes during a walk. All three times is a cycle.
const timesAround = 3;
const longestRound = 10;
/** Pages in a row with a known cursor and no new product that end a walk: one page may be filtered. */
const pagesWithoutNews = 3;
/** Most products that are remembered. */
const longestMemory = 20_000;

export function createRounds() {
  const cursors = new Set<string>();
  const known = new Set<string>();
  let [withoutNews, total] = [0, 0];
  return {
    /** Adds a page that is not the last, by its products. Returns why the walk would never end, if so. */
    add(cursor: string, products: readonly string[]): "repeated cursor" | "repeated products" | undefined {
      const before = known.size;
      const isFull = before >= longestMemory;
      if (!isFull) {
        total += products.length;
        for (let place = 0; place < products.length; place += 1) known.add(products[place] ?? "");
      }
      if (total > longestRound + timesAround * known.size) return "repeated products";
      withoutNews = cursors.has(cursor) && known.size === before && !isFull ? withoutNews + 1 : 0;
      cursors.add(cursor);
      return withoutNews === pagesWithoutNews ? "repeated cursor" : undefined;
    },
  };
}
