import type { Exchange } from "../../conformance/client/exchange.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import { isUtcTimestamp } from "../../schemas/timestamp.ts";

/** One value in a response. */
export interface SeenValue {
  /** As it is compared: equal texts are the same value. */
  readonly is: string;
  readonly value: unknown;
  /** Its place, with `*` for each item of a list. */
  readonly pattern: string;
  /** JSON Pointer into this response. */
  readonly path: string;
  /** Of a walk: the number of its response, from 0. */
  readonly page?: number;
}

/**
 * A response as far as two deployments are compared: its values by place. The order of keys, headers and formatting are
 * not part of it. Items of a list are placed by what identifies them, so that another order is no difference.
 */
export type SeenResponse = ReadonlyMap<string, SeenValue>;

/** Place of the status, and of the media type. That of a value of the body is empty or has a slash. */
export const statusPlace = "status";
const mediaTypePlace = "content-type";

export function isStatus(place: string): boolean {
  return place.endsWith(statusPlace) && !place.includes("/");
}

interface Place extends Pick<SeenValue, "pattern" | "path"> {
  readonly place: string;
}

/** @param baseUrl Of the deployment: its own address in a value is no difference. */
export function observe({ response }: Pick<Exchange, "response">, baseUrl: string): SeenResponse {
  const { status, headers, text, json } = response;
  const { origin } = new URL(baseUrl);
  const seen = new Map<string, SeenValue>();
  const add = ({ place, ...at }: Place, value: unknown, is: string) => seen.set(place, { is, value, ...at });
  const head = (place: string) => ({ place, pattern: place, path: "" });
  add(head(statusPlace), status, String(status));
  const [mediaType = ""] = (headers["content-type"] ?? "").toLowerCase().split(";");
  add(head(mediaTypePlace), mediaType.trim(), mediaType.trim());
  if (json === undefined) add(head(""), text.slice(0, 200), `no JSON: ${text.replaceAll(origin, "")}`);
  else walk(json, head(""));
  return seen;

  function walk(value: unknown, at: Place): void {
    const { place, pattern, path } = at;
    if (Array.isArray(value)) {
      add(at, value.length === 0 ? [] : undefined, "a list");
      const times = new Map<string, number>();
      for (const [index, item] of value.entries()) {
        const name = identityOf(item) ?? String(index);
        const nth = (times.get(name) ?? 0) + 1;
        times.set(name, nth);
        const own = place + pointer(nth === 1 ? name : `${name} (${nth})`);
        walk(item, { place: own, pattern: `${pattern}/*`, path: path + pointer(index) });
      }
    } else if (isObject(value)) {
      // An item that only one of the two has is named.
      add(at, pattern.endsWith("*") ? identityOf(value) : undefined, "an object");
      for (const [name, own] of Object.entries(value)) {
        const step = pointer(name);
        const below = { place: place + step, pattern: pattern + step, path: path + step };
        if (isWording(name, value) && typeof own === "string" && own !== "") add(below, own, "a text");
        else walk(own, below);
      }
    } else add(at, value, comparable(value, pattern, origin));
  }
}

/** The wording of a message may change (spec, Error body), and a cursor is opaque (spec, Product list page). */
function isWording(name: string, holder: Record<string, unknown>): boolean {
  return (name === "message" && Object.hasOwn(holder, "code")) || name === "next_cursor";
}

function comparable(value: unknown, pattern: string, origin: string): string {
  if (typeof value !== "string") return JSON.stringify(value);
  // The same second may be written with or without a fraction.
  if (pattern.endsWith("/last_updated") && isUtcTimestamp(value)) {
    const time = Date.parse(value);
    if (!Number.isNaN(time)) return JSON.stringify(new Date(time - (time % 1000)).toISOString());
  }
  return JSON.stringify(value.replaceAll(origin, ""));
}

/** What identifies an item of a list: a product, an item of a batch, a retailer. */
function identityOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const { retailer, product_id, slug } = item;
  if (typeof retailer === "string" && typeof product_id === "string") return `${retailer} ${product_id}`;
  if (typeof slug === "string") return slug;
  // A batch may wrap the product that it found.
  const inner = Object.values(item).filter(isObject);
  return inner.length === 1 ? identityOf(inner[0]) : undefined;
}

/** A walk through pages as one observation, each page below its number. */
export function observeAll(pages: readonly SeenResponse[]): SeenResponse {
  return new Map(
    pages.flatMap((facts, page) =>
      [...facts].map(([place, fact]) => [`page ${page + 1} ${place}`, { ...fact, page }] as const),
    ),
  );
}

/** A place where two observations differ, with both values; undefined where there is none. */
export interface Mismatch {
  readonly place: string;
  readonly old: SeenValue | undefined;
  readonly new: SeenValue | undefined;
}

/** The places where two responses differ. With another status, nothing else is compared. */
export function mismatches(old: SeenResponse, now: SeenResponse): Mismatch[] {
  const all = [...new Set([...old.keys(), ...now.keys()])]
    .map((place): Mismatch => ({ place, old: old.get(place), new: now.get(place) }))
    .filter(({ old: one, new: other }) => one?.is !== other?.is);
  const statuses = all.filter(({ place }) => isStatus(place));
  if (statuses.length > 0) return statuses;
  const places = new Set(all.map(({ place }) => place));
  // What is inside something that only one of them has is one mismatch with it.
  return all.filter(({ place }) => !holdersOf(place).some((holder) => places.has(holder)));
}

function holdersOf(place: string): string[] {
  return [...place.matchAll(/\//g)].map(({ index }) => place.slice(0, index));
}
