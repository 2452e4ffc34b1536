import { endpoints, mostBatchItems } from "../../schemas/api.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { LoadCatalog, Texts } from "./catalog.ts";

/** One request to send, complete except for base URL and key. */
export interface LoadCall {
  readonly name: RequestKindId;
  readonly path: string;
  /** A parameter that the API does not have. Default: none */
  readonly query?: string;
  /** JSON of a batch; lookups, which are GET requests, have none. */
  readonly body?: string;
}

/** Lookups come in blocks of this size. Each block contains the whole mix once, with one expected error. */
export const blockSize = 20;
const byUrlShare = 4;
const byGtinShare = 2;
const errorCycle = [
  "lookup-unknown-product",
  "lookup-unknown-retailer",
  "lookup-unknown-product",
  "lookup-unentitled-retailer",
] as const;

/** This many lookups contain every kind of the mix: one block for each error of the cycle. */
export const mixPeriod = blockSize * errorCycle.length;

/** Lookups of one kind: the paths among which they draw, or the only path. */
interface LookupSource {
  readonly name: RequestKindId;
  readonly paths: Texts;
  readonly onlyPath: string | undefined;
}

/** The lookups that a seed selects. */
export interface LookupMix {
  /** Source of each lookup, until the order repeats. Computed before, since conditions take k6 longer at each request. */
  readonly sources: readonly LookupSource[];
  /** Mixed into the seed of the draws that choose a path of a source. */
  readonly salt: number;
}

/**
 * The mix of lookups: of 20, 1 expected error, 4 by URL, 2 by GTIN and 13 by id, in an order that starts where the seed
 * says. Kinds for which the catalog has no data are replaced: expected errors by lookups of an unknown product, others by
 * lookups by id.
 */
export function lookupMix(catalog: LoadCatalog, seed: number): LookupMix {
  const drawn = (name: RequestKindId, paths: Texts): LookupSource => ({ name, paths, onlyPath: undefined });
  const error = (name: RequestKindId, onlyPath: string): LookupSource => ({
    name,
    paths: catalog.idPaths,
    onlyPath,
  });
  const byId = drawn("lookup-by-id", catalog.idPaths);
  const byUrl = catalog.urlPaths.length > 0 ? drawn("lookup-by-url", catalog.urlPaths) : byId;
  const byGtin = catalog.gtinPaths.length > 0 ? drawn("lookup-by-gtin", catalog.gtinPaths) : byId;
  const unknownProduct = error("lookup-unknown-product", catalog.unknownProductPath);
  const unentitled = catalog.unentitledRetailerPath;
  const errors: Readonly<Record<(typeof errorCycle)[number], LookupSource>> = {
    "lookup-unknown-product": unknownProduct,
    "lookup-unknown-retailer": error("lookup-unknown-retailer", catalog.unknownRetailerPath),
    "lookup-unentitled-retailer":
      unentitled === undefined ? unknownProduct : error("lookup-unentitled-retailer", unentitled),
  };
  const sources: LookupSource[] = [];
  const start = Math.floor(uniform(seed, 0, orderStream) * blockSize);
  for (let block = 0; block < blockSize; block += 1) {
    for (let place = 0; place < blockSize; place += 1) {
      const slot = (start + place + block * shiftPerBlock) % blockSize;
      if (slot === 0) sources.push(errors[errorCycle[block % errorCycle.length] ?? errorCycle[0]]);
      else if (slot <= byUrlShare) sources.push(byUrl);
      else sources.push(slot <= byUrlShare + byGtinShare ? byGtin : byId);
    }
  }
  return { sources, salt: saltOf(seed, popularityStream) };
}

/** By how many places the order of a block is ahead of that of the block before: after `blockSize` blocks, all were first. */
const shiftPerBlock = 7;

/** Lookups after which the order repeats. */
const orderLength = blockSize * blockSize;

function lookupSource({ sources }: LookupMix, index: number): LookupSource {
  return sources[index % orderLength] as LookupSource;
}

export function lookupKind(mix: LookupMix, index: number): RequestKindId {
  return lookupSource(mix, index).name;
}

/** Request of lookup `index`: a pure function of the mix and the index. */
export function lookupCall(mix: LookupMix, index: number): LoadCall {
  const source = lookupSource(mix, index);
  return { name: source.name, path: source.onlyPath ?? popular(source.paths, mix.salt, index) };
}

/** Request of lookup `index` in a run of only lookups by id of existing products. */
export function byIdCall(catalog: LoadCatalog, seed: number, index: number): LoadCall {
  return { name: "lookup-by-id", path: popular(catalog.idPaths, saltOf(seed, popularityStream), index) };
}

function popular(paths: Texts, salt: number, index: number): string {
  return paths.at(popularRank(draw(salt, index), paths.length)) ?? "";
}

/** One batch in this many has one item that does not exist. */
const unknownItemEvery = 5;

/** Number of items of batch `index`: sizes from 1 to 50 (or to the catalog's size), spread evenly. */
export function batchSize(catalog: LoadCatalog, seed: number, index: number): number {
  const largest = Math.min(mostBatchItems, catalog.batchItems.length);
  const turn = Math.floor(uniform(seed, 0, sizeStream) * largest);
  // A stride without a common divisor visits all sizes before it repeats one, alternating small and large.
  return 1 + ((index * strideFor(largest) + turn) % largest);
}

function strideFor(count: number): number {
  for (let stride = Math.max(1, Math.round(count * 0.618)); stride < count; stride += 1) {
    if (greatestCommonDivisor(stride, count) === 1) return stride;
  }
  return 1;
}

/** The numbers are whole and not negative. */
function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/**
 * Request of batch `index`. Its items are distinct: a popular product and its neighbours by popularity.
 * Throws when the target's name for the list of items is not known (the spec does not give it).
 */
export function batchCall(catalog: LoadCatalog, seed: number, index: number): LoadCall {
  const field = catalog.fieldNames.batchRequestField;
  if (field === undefined) {
    throw new Error(
      "The field that carries the items of a batch is not known: set it in the config, under `dialect.batchRequestField` of the target.",
    );
  }
  const { batchItems } = catalog;
  const size = batchSize(catalog, seed, index);
  const first = popularRank(uniform(seed, index, popularityStream), batchItems.length);
  const items: string[] = [];
  for (let place = 0; place < size; place += 1) {
    items.push(batchItems.at((first + place) % batchItems.length) ?? "");
  }
  if (index % unknownItemEvery === 0) items[items.length - 1] = catalog.unknownBatchItem;
  const list = `[${items.join(",")}]`;
  return {
    name: "batch",
    path: endpoints.batch.path,
    body: field === "" ? list : `{${JSON.stringify(field)}:${list}}`,
  };
}

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
