import { endpoints, mostBatchItems } from "../../schemas/api.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { LoadCatalog, Texts } from "./catalog.ts";

/** One request to send, complete except for base URL and key. */
export interface LoadCall {
  readonly name: RequestKindId;
  readonly path: string;
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

/**
 * Kind of lookup `index`: of 20, 13 by id, 4 by URL, 2 by GTIN and 1 expected error, in an order that the seed rotates in
 * each block. Kinds for which the catalog has no data are replaced by lookups by id.
 */
export function lookupKind(catalog: LoadCatalog, seed: number, index: number): RequestKindId {
  const block = Math.floor(index / blockSize);
  const slot = (index + turnOf(seed, block)) % blockSize;
  if (slot === 0) return errorKind(catalog, block);
  if (slot <= byUrlShare && catalog.urlPaths.length > 0) return "lookup-by-url";
  if (slot > byUrlShare && slot <= byUrlShare + byGtinShare && catalog.gtinPaths.length > 0) {
    return "lookup-by-gtin";
  }
  return "lookup-by-id";
}

let lastTurn = { seed: -1, block: -1, turn: 0 };

/** By how many places a block is rotated. The last one is kept, because a virtual user draws several lookups of a block. */
function turnOf(seed: number, block: number): number {
  if (lastTurn.block !== block || lastTurn.seed !== seed) {
    lastTurn = { seed, block, turn: Math.floor(uniform(seed, block, 0) * blockSize) };
  }
  return lastTurn.turn;
}

function errorKind(catalog: LoadCatalog, block: number): RequestKindId {
  const kind = errorCycle[block % errorCycle.length] ?? "lookup-unknown-product";
  return kind === "lookup-unentitled-retailer" && catalog.unentitledRetailerPath === undefined
    ? "lookup-unknown-product"
    : kind;
}

/** Request of lookup `index`: a pure function of catalog, seed and index. */
export function lookupCall(catalog: LoadCatalog, seed: number, index: number): LoadCall {
  const name = lookupKind(catalog, seed, index);
  return { name, path: lookupPath(catalog, seed, index, name) };
}

/** Request of lookup `index` in a run of only lookups by id of existing products. */
export function byIdCall(catalog: LoadCatalog, seed: number, index: number): LoadCall {
  return { name: "lookup-by-id", path: popular(catalog.idPaths, seed, index) };
}

function lookupPath(catalog: LoadCatalog, seed: number, index: number, name: RequestKindId): string {
  switch (name) {
    case "lookup-unknown-product":
      return catalog.unknownProductPath;
    case "lookup-unknown-retailer":
      return catalog.unknownRetailerPath;
    case "lookup-unentitled-retailer":
      return catalog.unentitledRetailerPath ?? catalog.unknownProductPath;
    case "lookup-by-url":
      return popular(catalog.urlPaths, seed, index);
    case "lookup-by-gtin":
      return popular(catalog.gtinPaths, seed, index);
    default:
      return popular(catalog.idPaths, seed, index);
  }
}

function popular(paths: Texts, seed: number, index: number): string {
  return paths.at(popularRank(uniform(seed, index, 1), paths.length)) ?? "";
}

/** One batch in this many has one item that does not exist. */
const unknownItemEvery = 5;

/** Number of items of batch `index`: sizes from 1 to 50 (or to the catalog's size), spread evenly. */
export function batchSize(catalog: LoadCatalog, seed: number, index: number): number {
  const largest = Math.min(mostBatchItems, catalog.batchItems.length);
  const turn = Math.floor(uniform(seed, 0, 2) * largest);
  // A stride without a common divisor visits all sizes before it repeats one, alternating small and large.
  return 1 + ((index * strideFor(largest) + turn) % largest);
}

function strideFor(count: number): number {
  for (let stride = Math.max(1, Math.round(count * 0.618)); stride < count; stride += 1) {
    if (greatestCommonDivisor(stride, count) === 1) return stride;
  }
  return 1;
}

/** Of two whole numbers that are not negative. */
export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/**
 * Request of batch `index`. Its items are distinct: a popular product and its neighbours by popularity.
 * Throws when the target's name for the list of items is not known (the spec does not give it).
 */
export function batchCall(catalog: LoadCatalog, seed: number, index: number): LoadCall {
  const field = catalog.dialect.batchRequestField;
  if (field === undefined) {
    throw new Error(
      "The field that carries the items of a batch is not known: set it in the config, under `dialect.batchRequestField` of the target.",
    );
  }
  const { batchItems } = catalog;
  const size = batchSize(catalog, seed, index);
  const first = popularRank(uniform(seed, index, 1), batchItems.length);
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

/** Exponent of the popularity law: the most popular product of a shop takes about this power law. */
const popularityExponent = 1;

/**
 * Rank, from 0 to `count - 1`, of the thing that the draw `u` in [0, 1) picks when popularity follows Zipf's
 * law. The law's continuous form is inverted, so that a draw costs one power and no table: rank k takes
 * the share of [k + 1, k + 2) under x^-exponent on [1, count + 1).
 */
export function popularRank(u: number, count: number, exponent: number = popularityExponent): number {
  if (count <= 1) return 0;
  const x =
    exponent === 1 ? (count + 1) ** u : (u * ((count + 1) ** (1 - exponent) - 1) + 1) ** (1 / (1 - exponent));
  return Math.min(count - 1, Math.floor(x) - 1);
}

// In k6 every access to a property of a global object costs as much as the multiplication.
const { imul } = Math;

/**
 * A number in [0, 1) that is a pure function of its arguments, so that any virtual user, process or shard
 * that serves iteration `index` draws the same one. `stream` distinguishes the draws of one iteration.
 */
export function uniform(seed: number, index: number, stream: number): number {
  let hash = (seed ^ imul(stream + 1, 0x9e3779b1)) + imul(index + 1, 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = imul(hash ^ (hash >>> 15), 0x735a2d97);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}
