import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

// A second implementation of the spec, for what stands in front of a service. It shares nothing with the built-in reference
// service and nothing with the suite, so that a gateway in front of it shows what the suite expects of services in general.

export interface IndependentOptions {
  readonly keys: { readonly primary: string; readonly sameOrg: string; readonly otherOrg: string };
  /** Headers of every response. Default: none, so that nothing but its form tells a response from that of a gateway */
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests per second and organization, and how many at once. Default: 150 */
  readonly limit?: number;
  /** Retailers that this instance lacks. Default: none */
  readonly lacks?: readonly string[];
  /** The headers in which it accepts keys. Default: both */
  readonly keyHeaders?: readonly ("authorization" | "x-api-key")[];
  /** It knows none of the keys. Default: false */
  readonly foreignKeys?: boolean;
  /** Milliseconds before each response. Default: 0 */
  readonly delay?: number;
  readonly cacheControl?: string;
  /** Characters of a cursor. Default: as few as it takes */
  readonly cursorLength?: number;
  /** Responds to some requests in its own way; returns whether it did. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface IndependentService extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly address: string;
  readonly categories: readonly string[];
}

interface SentItem {
  readonly retailer: string;
  readonly retailer_name: string;
  readonly product_id: string;
  readonly title: string;
  readonly price: number;
  readonly currency: string;
  readonly product_url: string;
  readonly last_updated: string;
  readonly gtin: string;
  readonly category: string;
}

const names: Readonly<Record<string, string>> = {
  birchwood: "Birchwood & Co",
  "lamp-yard": "The Lamp Yard",
  northsea: "North Sea Outfitters",
  tinyshop: "tiny shop",
};
const ownSlugs = ["birchwood", "lamp-yard", "northsea"];
const otherSlugs = ["birchwood", "tinyshop"];
const categories = ["lamps", "rain wear"];
const perRetailer = 14;

class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const badRequest = (message: string) => new Refused(400, "bad_request", message);
const notFound = () => new Refused(404, "not_found", "Nothing matches this request.");

function checked(twelve: string): string {
  const sum = [...twelve].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return `${twelve}${(10 - (sum % 10)) % 10}`;
}

/** The catalog: ids with a slash, a blank and other characters among plain ones. */
function catalog(): SentItem[] {
  return Object.keys(names).flatMap((retailer, at) =>
    Array.from({ length: perRetailer }, (_, number): SentItem => {
      const id =
        number === 3 ? `AB/${at}${number}/x` : number === 5 ? `k ${at}+${number}` : `P${at}${number}7`;
      return {
        retailer,
        retailer_name: names[retailer] ?? "",
        product_id: id,
        title: `Item ${number} of ${retailer}`,
        price: 10 + number + at / 4,
        currency: "EUR",
        product_url: `https://www.${retailer}.example/p/${encodeURIComponent(id)}?ref=${number}`,
        last_updated: `2026-10-${String(number + 1).padStart(2, "0")}T08:00:00Z`,
        gtin: checked(`40${String(1000000000 + at * 10_000 + number * 37)}`),
        category: categories[number % 2] ?? "",
      };
    }),
  );
}

/** Starts the service on a free port. */
export async function startIndependent(options: IndependentOptions): Promise<IndependentService> {
  const { keys, limit = 150, lacks = [], keyHeaders = ["authorization", "x-api-key"] } = options;
  const items = catalog().filter(({ retailer }) => !lacks.includes(retailer));
  const buckets = new Map<string, { tokens: number; at: number }>();

  function organizationOf(request: IncomingMessage): "own" | "other" {
    const given = keyHeaders.flatMap((name) => {
      const value = request.headers[name]?.toString();
      return value === undefined ? [] : [name === "authorization" ? value.replace(/^Bearer +/i, "") : value];
    });
    const [key] = given;
    if (key === undefined) throw new Refused(401, "unauthorized", "An API key is required.");
    if (options.foreignKeys === true) throw new Refused(401, "unauthorized", "This API key is not known.");
    if (given.some((one) => one === keys.primary || one === keys.sameOrg)) return "own";
    if (given.includes(keys.otherOrg)) return "other";
    throw new Refused(401, "unauthorized", "This API key is not known.");
  }

  function spend(organization: string): void {
    const now = performance.now();
    const { tokens, at } = buckets.get(organization) ?? { tokens: limit, at: now };
    const left = Math.min(limit, tokens + ((now - at) / 1000) * limit);
    buckets.set(organization, { tokens: left < 1 ? left : left - 1, at: now });
    if (left < 1) throw new Refused(429, "rate_limited", "Too many requests.");
  }

  function grantedTo(organization: "own" | "other"): string[] {
    return (organization === "own" ? ownSlugs : otherSlugs).filter((slug) => !lacks.includes(slug));
  }

  async function answer(request: IncomingMessage): Promise<unknown> {
    const granted = grantedTo(spendFor(request));
    const { pathname, query } = parts(request.url ?? "");
    const route = `${request.method} ${pathname}`;
    if (route === "GET /v1/retailers")
      return {
        retailers: granted.map((slug) => ({ slug, name: names[slug], domains: [`www.${slug}.example`] })),
      };
    if (route === "POST /v1/products/batch-lookup") return batch(await buffer(request), granted);
    if (route === "GET /v1/products") return search(query, granted);
    const found = /^GET \/v1\/products\/([^/]+)\/([^/]+)$/.exec(route);
    if (found === null) throw notFound();
    return byId(decoded(found[1] ?? ""), decoded(found[2] ?? ""), granted);
  }

  function spendFor(request: IncomingMessage): "own" | "other" {
    const organization = organizationOf(request);
    spend(organization);
    return organization;
  }

  function known(slug: string, granted: readonly string[]): void {
    if (!Object.hasOwn(names, slug)) throw badRequest("There is no such retailer.");
    if (!granted.includes(slug)) throw new Refused(403, "forbidden", "This retailer is not granted.");
  }

  function byId(slug: string, id: string, granted: readonly string[]): unknown {
    known(slug, granted);
    const item = items.find(({ retailer, product_id }) => retailer === slug && product_id === id);
    if (item === undefined) throw notFound();
    return shown(item);
  }

  function search(query: URLSearchParams, granted: readonly string[]): unknown {
    const modes = ["url", "gtin", "category"].filter((name) => query.has(name));
    if (modes.length !== 1 || [...query.keys()].some((name, at, all) => all.indexOf(name) !== at))
      throw badRequest("Give exactly one of url, gtin, category, once.");
    const value = query.get(modes[0] ?? "") ?? "";
    if (value.trim() === "") throw badRequest("The parameter is empty.");
    if (modes[0] === "category") return page(value, query, granted);
    const visible = items.filter(({ retailer }) => granted.includes(retailer));
    if (modes[0] === "url") {
      if (!URL.canParse(value)) throw badRequest("url is not a URL.");
      const item = visible.find(({ product_url }) => product_url === value);
      if (item === undefined) throw notFound();
      return shown(item);
    }
    if (!/^\d{8,14}$/.test(value)) throw badRequest("gtin is not a GTIN.");
    const scope = query.get("retailer");
    if (scope !== null) known(scope, granted);
    const item = visible.find(({ gtin, retailer }) => gtin === value && (scope ?? retailer) === retailer);
    if (item === undefined) throw notFound();
    return shown(item);
  }

  function page(category: string, query: URLSearchParams, granted: readonly string[]): unknown {
    if (!categories.includes(category)) throw badRequest("There is no such category.");
    const limitGiven = query.get("limit") ?? "5";
    if (!/^\d{1,3}$/.test(limitGiven) || Number(limitGiven) < 1) throw badRequest("limit is not valid.");
    const size = Math.min(50, Number(limitGiven));
    const cursor = query.get("cursor") ?? "";
    const from = cursor === "" ? 0 : offsetOf(cursor);
    const all = items.filter((item) => item.category === category);
    const next = from + size < all.length ? cursorTo(from + size).padEnd(options.cursorLength ?? 0, ".") : "";
    const products = all.slice(from, from + size).filter(({ retailer }) => granted.includes(retailer));
    return { products: products.map(shown), meta: { next_cursor: next, count: products.length } };
  }

  function batch(body: Buffer, granted: readonly string[]): unknown {
    const sent = parsed(body);
    const list = typeof sent === "object" && sent !== null && "items" in sent ? sent.items : undefined;
    if (!Array.isArray(list) || list.length < 1 || list.length > 50)
      throw badRequest("items must be a list of 1 to 50 items.");
    const results: unknown[] = [];
    const errors: unknown[] = [];
    for (const entry of list) {
      const { retailer, product_id: id } = (entry ?? {}) as Record<string, unknown>;
      if (typeof retailer !== "string" || typeof id !== "string")
        throw badRequest("An item needs retailer and product_id.");
      try {
        results.push(byId(retailer, id, granted));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        errors.push({ retailer, product_id: id, error: { code: error.code, message: error.message } });
      }
    }
    const missing = errors.filter((one) => JSON.stringify(one).includes('"not_found"')).length;
    const meta = {
      total: list.length,
      found: results.length,
      not_found: missing,
      other_errors: errors.length - missing,
    };
    return { results, errors, meta };
  }

  const server = createServer({ maxHeaderSize: 32 * 1024 }, async (request, response) => {
    response.on("error", () => undefined);
    try {
      if (options.instead?.(request, response) === true) return;
      const body = await answer(request);
      send(response, 200, body);
    } catch (error) {
      const refused =
        error instanceof Refused
          ? error
          : error instanceof URIError
            ? badRequest("The path is malformed.")
            : new Refused(500, "internal_error", "Something failed.");
      if (refused.status === 429) response.setHeader("Retry-After", "1");
      send(response, refused.status, { error: { code: refused.code, message: refused.message } });
    }
  });
  function send(response: ServerResponse, status: number, body: unknown): void {
    const text = JSON.stringify(body);
    const head = {
      ...options.headers,
      ...(options.cacheControl && { "Cache-Control": options.cacheControl }),
    };
    setTimeout(() => {
      response.writeHead(status, { "Content-Type": "application/json", ...head }).end(text);
    }, options.delay ?? 0);
  }
  server.keepAliveTimeout = 30_000;
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    categories,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function shown({ category: _own, ...item }: SentItem): unknown {
  return item;
}

function parts(url: string): { pathname: string; query: URLSearchParams } {
  const [pathname = "", query = ""] = url.split(/\?(.*)/s);
  // A NUL or bytes that are not UTF-8 are nobody's.
  decoded(query);
  return { pathname, query: new URLSearchParams(query) };
}

function decoded(text: string): string {
  const plain = decodeURIComponent(text);
  if (plain.includes("\0")) throw badRequest("A NUL is not allowed.");
  return plain;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw badRequest("The body is not JSON.");
  }
}

function cursorTo(offset: number): string {
  return Buffer.from(`from:${offset}`).toString("base64url");
}

function offsetOf(cursor: string): number {
  const offset = Number(
    /^from:(\d{1,4})$/.exec(Buffer.from(cursor.replace(/\.+$/, ""), "base64url").toString())?.[1],
  );
  if (!Number.isInteger(offset) || offset < 1) throw badRequest("The cursor is not valid.");
  return offset;
}
