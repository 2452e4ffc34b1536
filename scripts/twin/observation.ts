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

/** Place of the status, and of the media type. A JSON Pointer begins with a slash or is empty. */
export const statusPlace = "status";
const mediaTypePlace = "content-type";

/** @param baseUrl Of the deployment: its own address in a value is no difference. */
export function observe({ response }: Pick<Exchange, "response">, baseUrl: string): SeenResponse {
  const { status, headers, text, json } = response;
  const facts = new Map<string, SeenValue>();
  const { origin } = new URL(baseUrl);
  const add = (place: string, value: unknown, is: string, pattern = place, path = "") =>
    facts.set(place, { is, value, pattern, path });
  add(statusPlace, status, String(status));
  const [mediaType = ""] = (headers["content-type"] ?? "").toLowerCase().split(";");
  add(mediaTypePlace, mediaType.trim(), mediaType.trim());
  if (json === undefined) add("", text.slice(0, 200), `no JSON: ${text.replaceAll(origin, "")}`);
  else walk(json, { place: "", pattern: "", path: "" });
  return facts;

  function walk(value: unknown, at: { place: string; pattern: string; path: string }): void {
    if (Array.isArray(value)) {
      add(at.place, value.length === 0 ? [] : undefined, "a list", at.pattern, at.path);
      const seen = new Map<string, number>();
      value.forEach((item, index) => {
        const name = identityOf(item) ?? String(index);
        const times = (seen.get(name) ?? 0) + 1;
        seen.set(name, times);
        walk(item, {
          place: at.place + pointer(times === 1 ? name : `${name} (${times})`),
          pattern: `${at.pattern}/*`,
          path: at.path + pointer(index),
        });
      });
      return;
    }
    if (isObject(value)) {
      // An item that only one of the two has is named.
      const name = at.pattern.endsWith("*") ? identityOf(value) : undefined;
      add(at.place, name, "an object", at.pattern, at.path);
      for (const [name, own] of Object.entries(value)) {
        const step = pointer(name);
        const below = { place: at.place + step, pattern: at.pattern + step, path: at.path + step };
        if (isWording(name, value) && typeof own === "string" && own !== "")
          add(below.place, own, "a text", below.pattern, below.path);
        else walk(own, below);
      }
      return;
    }
    add(at.place, value, comparable(value, at.pattern, origin), at.pattern, at.path);
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
  const of = (place: string): Mismatch => ({ place, old: old.get(place), new: now.get(place) });
  const differ = ({ old: one, new: other }: Mismatch) => one?.is !== other?.is;
  const places = [...new Set([...old.keys(), ...now.keys()])];
  const statuses = places
    .filter((place) => place.endsWith(statusPlace))
    .map(of)
    .filter(differ);
  if (statuses.length > 0) return statuses;
  return places
    .map(of)
    .filter(differ)
    .filter(({ place }) => !isInside(place));

  /** Inside something that only one of them has, which is one mismatch. */
  function isInside(place: string): boolean {
    const end = place.lastIndexOf("/");
    if (end < 0) return false;
    const holder = place.slice(0, end);
    const [one, other] = [old.get(holder), now.get(holder)];
    return one !== undefined || other !== undefined ? one?.is !== other?.is : isInside(holder);
  }
}
