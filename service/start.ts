import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, isIPv6 } from "node:net";
import type { DatabaseSync } from "node:sqlite";
import { createKey, type Entitlements, type Keys, organizations, readPermissions } from "./access.ts";
import { type App, createApp } from "./app.ts";
import { type Catalog, type Eventually, sqliteCatalog } from "./catalog/catalog.ts";
import { openDatabase, transaction } from "./catalog/database.ts";
import { generateCatalog } from "./catalog/generate.ts";
import { dotSegmentCategory, type GeneratedRetailer, generatedRetailers } from "./catalog/generator-data.ts";
import { importCatalog } from "./catalog/import.ts";
import { createWriter } from "./catalog/product-rows.ts";
import { createCursors } from "./cursor.ts";
import { upstreamFailed, upstreamSilent } from "./errors.ts";
import { createLimiter, createSteps } from "./steps.ts";
import { applyChanges, type Send, type WireChange } from "./wire.ts";

/** What the service does unless told otherwise. */
export const serviceDefaults = { products: 400, seed: 1, rate: 40, burst: 200 } as const;

/** See `serviceDefaults`. */
export interface ServiceOptions {
  /** Address to listen on. Default: 127.0.0.1 */
  host?: string | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Keys of this start. Those that are not given are random. */
  keys?: Partial<Keys> | undefined;
  /** Products of the generated catalog. */
  products?: number;
  /** Seed of the generated catalog. */
  seed?: number;
  /** Requests per second of an organization. */
  rate?: number;
  /** Requests of an organization at once. */
  burst?: number;
  /** NDJSON file to import instead of generating a catalog. */
  catalog?: string | undefined;
  /** Changes of requests and responses, the first one innermost. */
  wire?: readonly WireChange[];
  /** Receives structured (JSON) log lines; no key is in them. */
  log?: (line: string) => void;
}

export interface RunningService {
  /** http://HOST:PORT/v1 */
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly categories: string[];
  /** Handles a request directly, without a connection. */
  readonly send: Send;
  /** Waits for open requests, at most 3 seconds, and forgets the catalog. */
  stop(): Promise<void>;
}

const loopback = "127.0.0.1";
const upstreamMilliseconds = 2000;
const stopMilliseconds = 3000;

/** @throws CatalogError for a file that cannot be imported, the system's EADDRINUSE for a port in use. */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const { products, seed, rate, burst } = { ...serviceDefaults, ...options };
  const { host = loopback, port = 0, wire = [] } = options;
  const keys = { primary: createKey(), sameOrg: createKey(), otherOrg: createKey(), ...options.keys };
  const database = openDatabase();
  try {
    const entitlements = await stock(database, { file: options.catalog, products, seed });
    const allKey = createKey();
    const sources = {
      permissions: readPermissions(database, entitlements, keys, allKey),
      catalog: withinTime(sqliteCatalog(database), upstreamMilliseconds),
      limiter: createLimiter(rate, burst),
      cursors: createCursors(randomBytes(32)),
    };
    const app = createApp(
      createSteps(sources),
      options.log,
      wire.length === 0 ? undefined : (send) => applyChanges(send, wire, { ...keys, all: allKey }),
    );
    app.server.listen(port, host);
    await once(app.server, "listening");
    const { port: actual } = app.server.address() as AddressInfo;
    let stopping: Promise<void> | undefined;
    return {
      baseUrl: `http://${isIPv6(host) ? `[${host}]` : host}:${actual}/v1`,
      keys,
      categories: listCategories(database),
      send: app.send,
      stop() {
        stopping ??= stop(app, () => database.close());
        return stopping;
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function stop(app: App, closeDatabase: () => void): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), stopMilliseconds);
  try {
    await app.close();
  } finally {
    clearTimeout(cutOff);
    closeDatabase();
  }
}

/** An error of the catalog becomes 502, and no response within `milliseconds` becomes 504 (spec, Errors). */
export function withinTime(catalog: Catalog, milliseconds: number): Catalog {
  function guard<T>(ask: () => Eventually<T>): Eventually<T> {
    try {
      const answer = ask();
      return answer instanceof Promise ? race(answer, milliseconds) : answer;
    } catch (error) {
      throw Object.assign(upstreamFailed(), { cause: error });
    }
  }
  return {
    byIdentifier: (retailer, productId) => guard(() => catalog.byIdentifier(retailer, productId)),
    byIdentifiers: (items) => guard(() => catalog.byIdentifiers(items)),
    byGtin: (gtin) => guard(() => catalog.byGtin(gtin)),
    byPagePath: (path) => guard(() => catalog.byPagePath(path)),
    inCategory: (category, after, limit) => guard(() => catalog.inCategory(category, after, limit)),
  };
}

async function race<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(upstreamSilent()), milliseconds);
  const failed = answer.catch((error: unknown) => {
    throw Object.assign(upstreamFailed(), { cause: error });
  });
  try {
    return await Promise.race([failed, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a new database is filled with. */
export interface Stock {
  /** NDJSON file to import. */
  readonly file?: string | undefined;
  /** Size and seed of the generated catalog, when there is no file. */
  readonly products: number;
  readonly seed: number;
}

/** The last small catalog that was made: the proof and tests start many services with the same one. */
let generated: { readonly name: string; readonly bytes: Uint8Array } | undefined;
const mostKept = 1000;

/** Fills a new database. @returns the slugs of the retailers that each of the two organizations may use. */
export async function stock(database: DatabaseSync, { file, products, seed }: Stock): Promise<Entitlements> {
  if (file !== undefined) {
    await importCatalog(database, file);
    return entitlementsOfImported(database);
  }
  const name = `${products} ${seed}`;
  if (generated?.name === name) database.deserialize(generated.bytes);
  else {
    await transaction(database, () => {
      generateCatalog(products, seed).forEach(createWriter(database));
    });
    if (products <= mostKept) generated = { name, bytes: database.serialize() };
  }
  const retailers: readonly GeneratedRetailer[] = generatedRetailers;
  const without = (other: "first" | "second") =>
    retailers.flatMap(({ slug, disabled, audience }) => (disabled || audience === other ? [] : [slug]));
  return new Map([
    [organizations.first, without("second")],
    [organizations.second, without("first")],
  ]);
}

/**
 * Gives both organizations all retailers of an imported catalog; of three or more, by slug, the second does
 * not get the first one, and the first not the last.
 */
function entitlementsOfImported(database: DatabaseSync): Entitlements {
  const rows = database.prepare("select slug from retailer order by slug").all();
  const slugs = rows.map(({ slug }) => String(slug));
  const isShared = slugs.length < 3;
  return new Map([
    [organizations.first, isShared ? slugs : slugs.slice(0, -1)],
    [organizations.second, isShared ? slugs : slugs.slice(1)],
  ]);
}

/** Names of up to 20 categories that can be browsed. */
export function listCategories(database: DatabaseSync): string[] {
  const rows = database
    .prepare("select name from category where name <> ? order by id limit 20")
    .all(dotSegmentCategory);
  return rows.map((row) => String(row.name));
}
