import type { Exchange } from "../../conformance/client/exchange.ts";
import type { HttpClient } from "../../conformance/client/http-client.ts";
import { NoResponse, TransportError } from "../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../conformance/client/polite-client.ts";
import type { Request } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import { isUtcTimestamp } from "../../schemas/product-values.ts";
import type { BySide } from "./twin-result.ts";

/** What a deployment answered. That there was no response is an answer as well. */
export interface TwinAnswer {
  readonly observation: SeenResponse;
  readonly exchange?: Exchange;
}

export type Deployment = ReturnType<typeof deploymentOn>;

/** One of the two deployments, ready to be asked. */
export function deploymentOn(http: HttpClient, { baseUrl }: Target) {
  let asked: Request | undefined;
  let first: TwinAnswer | undefined;
  const client = createPoliteClient({
    ...http,
    async send(request, options) {
      try {
        const exchange = await http.send(request, options);
        if (request === asked && exchange.response.status !== 429)
          first ??= { observation: observe(exchange, baseUrl), exchange };
        return exchange;
      } catch (error) {
        if (request === asked && error instanceof TransportError) first ??= noResponse;
        throw error;
      }
    },
  });
  return {
    /** The first response that is no 429. What fails is sent again, as to any target, but does not count. */
    async ask(request: Request): Promise<TwinAnswer> {
      [asked, first] = [request, undefined];
      await client.ask(request).catch((error: unknown) => {
        if (!(error instanceof NoResponse)) throw error;
      });
      return first ?? noResponse;
    },
    redaction: http.redaction,
    /** Why it is no longer asked. */
    gone: () => client.gone(),
  };
}

/** One value in a response. */
export interface SeenValue {
  /** As it is compared: equal texts are the same value. */
  readonly is: string;
  readonly value: unknown;
  /** Its place, with `*` for each item of a list. */
  readonly pattern: string;
  /** JSON Pointer into this response. */
  readonly path: string;
}

/**
 * A response as compared: its values by place, without order of keys, headers and formatting. Items of a list
 * are placed by what identifies them, so that another order is no difference.
 */
export type SeenResponse = ReadonlyMap<string, SeenValue>;

/** Of the status and media type. A value's place in the body is empty or begins with a slash. */
export const statusPlace = "status";
const mediaTypePlace = "content-type";

/** @param baseUrl Of the deployment: its own address in a value is no difference. */
export function observe({ response }: Pick<Exchange, "response">, baseUrl: string): SeenResponse {
  const { status, headers, text, json } = response;
  const { origin, pathname } = new URL(baseUrl);
  // What its path has before /v1 is part of the address; no longer host or port begins like it.
  const above = pathname.slice(0, pathname.lastIndexOf("/"));
  const address = `${RegExp.escape(origin)}(?:${RegExp.escape(above)}(?=/))?(?![\\w.:-]*\\w)`;
  const own = new RegExp(address, "g");
  const [mediaType = ""] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const seen = new Map([headOf(statusPlace, status), headOf(mediaTypePlace, mediaType.trim())]);
  if (json === undefined)
    seen.set("", { pattern: "", path: "", value: text, is: `no JSON: ${text.replaceAll(own, "")}` });
  else walk(json, "", { pattern: "", path: "" });
  return seen;

  function walk(
    value: unknown,
    place: string,
    at: Pick<SeenValue, "pattern" | "path">,
    isWording = false,
  ): void {
    const { pattern, path } = at;
    const add = (is: string) => seen.set(place, { ...at, value, is });
    if (Array.isArray(value)) {
      add("a list");
      const times = new Map<string, number>();
      for (const [index, item] of value.entries()) {
        const name = identityOf(item) ?? String(index);
        const nth = (times.get(name) ?? 0) + 1;
        times.set(name, nth);
        const own = pointer(nth === 1 ? name : `${name} (${nth})`);
        walk(item, place + own, { pattern: `${pattern}/*`, path: path + pointer(index) });
      }
    } else if (isObject(value)) {
      add("an object");
      for (const [name, own] of Object.entries(value)) {
        const step = pointer(name);
        // A message's wording may change (spec, Error body), and a cursor is opaque (spec, Product list page).
        const isFree = (name === "message" && Object.hasOwn(value, "code")) || name === "next_cursor";
        walk(own, place + step, { pattern: pattern + step, path: path + step }, isFree);
      }
    } else if (isWording && typeof value === "string" && value !== "") add("a text");
    else add(comparable(value, pattern, own));
  }
}

function headOf(place: string, value: unknown): [string, SeenValue] {
  return [place, { pattern: place, path: "", value, is: String(value) }];
}

/** In place of a status. */
export const unanswered = "no response";
export const noResponse: TwinAnswer = { observation: new Map([headOf(statusPlace, unanswered)]) };

function comparable(value: unknown, pattern: string, own: RegExp): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isTime = pattern.endsWith("/last_updated") && isUtcTimestamp(value);
  // The same second may be written in several ways.
  const second = isTime ? Math.floor(Date.parse(value) / 1000) : Number.NaN;
  return JSON.stringify(Number.isNaN(second) ? value.replaceAll(own, "") : second);
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

/** A place where two observations differ, with both values; undefined where there is none. */
export interface Mismatch extends BySide<SeenValue | undefined> {
  readonly place: string;
}

/** The places where two responses differ. With another status, nothing else is compared. */
export function mismatches(old: SeenResponse, now: SeenResponse): Mismatch[] {
  const all = [...new Set([...old.keys(), ...now.keys()])]
    .map((place): Mismatch => ({ place, old: old.get(place), new: now.get(place) }))
    .filter(({ old: one, new: other }) => one?.is !== other?.is);
  const status = all.filter(({ place }) => place === statusPlace);
  if (status.length > 0) return status;
  const places = new Set(all.map(({ place }) => place));
  // What is inside something that only one of them has is one mismatch with it.
  const holders = (place: string) => [...place.matchAll(/\//g)].map(({ index }) => place.slice(0, index));
  return all.filter(({ place }) => !holders(place).some((holder) => places.has(holder)));
}
