import { endpoints, mostBatchItems } from "../../schemas/api.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { LoadCatalog, Texts } from "./catalog.ts";

/** One request to send, complete except for base URL and key. */
export interface LoadCall {
  readonly name: RequestKindId;
  readonly path: string;
  /** What the body of the right response contains, as its JSON writes it. Default: nothing in particular */
  readonly sought?: string;
  /** JSON of a batch; lookups, which are GET requests, have none. */
  readonly body?: string | undefined;
  /** Number of the items of a batch. */
  readonly size?: number;
  /** Of the first page of a category: how many products an earlier walk found. */
  readonly had?: number | undefined;
}

/** Lookups come in blocks of this size. Each has the whole mix once, and one rare request (`rareCall`). */
export const blockSize = 20;
const byUrlShare = 4;
const byGtinShare = 2;
/** Each block has another one of these. */
const rareKinds = 4;

/** This many lookups contain every kind of the mix. */
export const mixPeriod = blockSize * rareKinds;

/** Lookups of one kind, most popular first. */
interface LookupSource {
  readonly name: RequestKindId;
  readonly texts: Texts;
  /** The most popular ones, once they were drawn. */
  readonly kept: (LoadCall | undefined)[];
}

/** Number of the most popular requests that a virtual user keeps, four of five draws of 400. */
const keptCalls = 128;

/** The request that a text of a catalog stands for. */
export function callOf(name: RequestKindId, text = ""): LoadCall {
  const end = text.indexOf("\n");
  return { name, path: text.slice(0, end), sought: text.slice(end + 1) };
}

/** The lookups that a seed selects. A kind for which the catalog has no data is replaced by lookups by id. */
export type LookupMix = ReturnType<typeof lookupMix>;

/** Of 20 lookups: 4 by URL, 2 by GTIN, 13 by id, 1 error or list of retailers, from where the seed says. */
export function lookupMix(catalog: LoadCatalog, seed: number) {
  const byId: LookupSource = { name: "lookup-by-id", texts: catalog.byId, kept: [] };
  const byUrl: LookupSource = { name: "lookup-by-url", texts: catalog.byUrl, kept: [] };
  const byGtin: LookupSource = { name: "lookup-by-gtin", texts: catalog.byGtin, kept: [] };
  return {
    catalog,
    byId,
    byUrl: catalog.byUrl.length === 0 ? byId : byUrl,
    byGtin: catalog.byGtin.length === 0 ? byId : byGtin,
    /** The place of the first lookup in a block. */
    start: Math.floor(uniform(seed, 0, orderStream) * blockSize),
    /** Mixed into the seed of the draws that choose a path of a source. */
    salt: saltOf(seed, popularityStream),
  };
}

/** By how many places a block is ahead of the one before: after `blockSize` blocks, all were first. */
const shiftPerBlock = 7;

/** Request of lookup `index`: a pure function of the mix and the index. */
export function lookupCall(mix: LookupMix, index: number): LoadCall {
  // Cut off with `|`, because k6 looks up `Math` and its function at each call.
  const block = (index / blockSize) | 0;
  const place = (mix.start + index + block * shiftPerBlock) % blockSize;
  if (place === 0) return rareCall(mix.catalog, block % rareKinds);
  const source = place <= byUrlShare ? mix.byUrl : place <= byUrlShare + byGtinShare ? mix.byGtin : mix.byId;
  return popular(source, mix.salt, index);
}

/** Not kept, because sources of their own would cost every virtual user more than they save. */
function rareCall(catalog: LoadCatalog, kind: number): LoadCall {
  const { unentitledRetailer: unentitled } = catalog;
  if (kind === 1) return callOf("lookup-unknown-retailer", catalog.unknownRetailer);
  if (kind === 2) return callOf("retailers", catalog.retailers);
  if (kind === 3 && unentitled !== undefined) return callOf("lookup-unentitled-retailer", unentitled);
  return callOf("lookup-unknown-product", catalog.unknownProduct);
}

/** The requests of a run of only lookups by id of existing products, by index. */
export function byIdCalls(catalog: LoadCatalog, seed: number): (index: number) => LoadCall {
  const { byId, salt } = lookupMix(catalog, seed);
  return (index) => popular(byId, salt, index);
}

function popular({ name, texts, kept }: LookupSource, salt: number, index: number): LoadCall {
  const rank = popularRank(draw(salt, index), texts.length);
  const known = kept[rank];
  if (known !== undefined) return known;
  const call = callOf(name, texts.at(rank));
  if (rank < keptCalls) kept[rank] = call;
  return call;
}

/** One batch in this many has one item that does not exist, at any place: a mix-up of batches may come after it. */
const unknownItemEvery = 5;

/** Between two batches, in items: a prime visits all sizes before it repeats one, small and large in turn. */
const sizeStride = 131;

/**
 * The batches by index, pure functions of catalog and seed: sizes from 1 to 50 (or the catalog's size),
 * spread evenly, of distinct items, a popular product and its neighbours by popularity.
 *
 * A batch throws when the target's name for the list of items is not known (the spec does not give it).
 */
export function batchCalls(catalog: LoadCatalog, seed: number): (index: number) => LoadCall {
  const { batchItems, unknownBatchItem } = catalog;
  const field = catalog.fieldNames.batchRequestField;
  const { length } = batchItems;
  const largest = Math.min(mostBatchItems, length);
  const turn = Math.floor(uniform(seed, 0, sizeStream) * largest);
  const salt = saltOf(seed, popularityStream);
  const [start, end] = field === "" ? ["[", "]"] : [`{${JSON.stringify(field)}:[`, "]}"];
  /** The most popular items, read at the first batch, so that most batches are a slice of them. */
  const popularItems: string[] = [];
  return (index) => {
    if (field === undefined) {
      throw new Error(
        "The field that carries the items of a batch is not known: set it in the config, under `dialect.batchRequestField` of the target.",
      );
    }
    while (popularItems.length < Math.min(length, keptItems)) popularItems.push(itemAt(popularItems.length));
    const size = 1 + ((index * sizeStride + turn) % largest);
    const first = popularRank(draw(salt, index), length);
    const items = popularItems.slice(first, first + size);
    for (let place = first + items.length; items.length < size; place += 1)
      items.push(itemAt(place % length));
    if (index % unknownItemEvery === 0) items[index % size] = unknownBatchItem;
    return { name: "batch", path: endpoints.batch.path, body: start + items.join(",") + end, size };
  };

  function itemAt(place: number): string {
    return batchItems.at(place) ?? "";
  }
}

/** Most popular items that a virtual user with batches keeps: k6 parses a shared one at each access. */
const keptItems = 1000;

/** First page of the category that walk `index` goes through. */
export function walkStart(catalog: LoadCatalog, index: number): LoadCall {
  const path = catalog.categoryPaths.at(index % Math.max(1, catalog.categoryPaths.length));
  if (path === undefined) {
    throw new Error(
      "fixtures without categories: paging needs one; give --category or SHELFCHECK_CATEGORIES",
    );
  }
  return { name: "category-page", path };
}

/**
 * Rank, from 0 to `count - 1`, of the thing that the draw `u` in [0, 1) picks when popularity follows Zipf's
 * law. The law's continuous form is inverted, so that a draw costs one power and no table: rank k takes
 * the share of [k + 1, k + 2) under 1/x on [1, count + 1).
 */
export function popularRank(u: number, count: number): number {
  if (count <= 1) return 0;
  // Cut off with `|`, because k6 looks up `Math` and its function at each call.
  const rank = (((count + 1) ** u) | 0) - 1;
  // The power can be rounded up to `count + 1`.
  return rank < count ? rank : count - 1;
}

// In k6 every access to a property of a global object costs as much as the multiplication.
const { imul } = Math;

/**
 * A number in [0, 1) that is a pure function of its arguments, so that any virtual user, process or shard
 * that serves iteration `index` draws the same one. `stream` distinguishes the draws of one iteration.
 */
export function uniform(seed: number, index: number, stream: number): number {
  return draw(saltOf(seed, stream), index);
}

const orderStream = 0;
const popularityStream = 1;
const sizeStream = 2;

function saltOf(seed: number, stream: number): number {
  return seed ^ imul(stream + 1, 0x9e3779b1);
}

function draw(salt: number, index: number): number {
  let hash = salt + imul(index + 1, 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = imul(hash ^ (hash >>> 15), 0x735a2d97);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}
