import { once } from "node:events";
import { type AddressInfo, isIPv6 } from "node:net";
import type { DatabaseSync } from "node:sqlite";
import { createKey, watchPermissions } from "./access.ts";
import { type App, createApp } from "./app.ts";
import type { Catalog, Eventually } from "./catalog/catalog.ts";
import { changeCounter, explainedDamage, lockDatabase, openDatabase } from "./catalog/database.ts";
import { cachedCatalog, sqliteCatalog } from "./catalog/sqlite.ts";
import { createCursors } from "./cursor.ts";
import { upstreamFailed, upstreamSilent } from "./errors.ts";
import { createLimiter, createSteps } from "./steps.ts";
import { type Keys, listCategories, stock } from "./stock.ts";
import { applyChanges, type WireChange } from "./wire.ts";

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
  /** Products of the generated catalog. Ignored when the database has a catalog already. */
  products?: number;
  /** Seed of the generated catalog. */
  seed?: number;
  /** Requests per second of an organization. */
  rate?: number;
  /** Requests of an organization at once. */
  burst?: number;
  /** File of the database. Default: in memory. */
  db?: string;
  /** NDJSON file to import instead of generating a catalog. */
  catalog?: string | undefined;
  /** Changes of requests and responses, the first one innermost. */
  wire?: readonly WireChange[];
  /** Receives structured (JSON) log lines; no key is in them. */
  log?: (line: string) => void;
  /** Receives the first bytes of a connection that are no HTTP request. */
  malformed?: (bytes: Buffer) => void;
}

export interface RunningService {
  /** http://HOST:PORT/v1 */
  readonly baseUrl: string;
  /** Two keys of the first organization and one of the second. */
  readonly keys: { primary: string; sameOrg: string; otherOrg: string };
  readonly categories: string[];
  /** Waits for open requests, at most 3 seconds, and closes the database. */
  stop(): Promise<void>;
}

const loopback = "127.0.0.1";
const upstreamMilliseconds = 2000;
const stopMilliseconds = 3000;

/**
 * Starts the reference service.
 * @throws DatabaseError for a file that is no database of the service, CatalogError for a file that cannot be
 * imported, the system's own error (EADDRINUSE) for a port in use.
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const { products, seed, rate, burst } = { ...serviceDefaults, ...options };
  const { host = loopback, port = 0, db = ":memory:", wire = [] } = options;
  const lock = lockDatabase(db);
  const database = openLocked(db, lock);
  try {
    const keys = await stock(database, { file: options.catalog, products, seed, keys: options.keys });
    const allKey = createKey();
    const version = changeCounter(database);
    const catalog = cachedCatalog(sqliteCatalog(database), version);
    const secret = database.prepare("select value from setting where name = 'cursor_secret'").get();
    const sources = {
      permissions: watchPermissions(database, version, allKey),
      catalog: withinTime(catalog, upstreamMilliseconds),
      limiter: createLimiter(rate, burst),
      cursors: createCursors(secret?.value as Uint8Array),
    };
    const app = createApp(
      createSteps(sources),
      options.log,
      wire.length === 0 ? undefined : (send) => applyChanges(send, wire, { ...keys, all: allKey }),
    );
    const { malformed } = options;
    if (malformed !== undefined)
      app.server.on("clientError", ({ rawPacket }: { readonly rawPacket?: Buffer }) => {
        if (rawPacket !== undefined) malformed(rawPacket);
      });
    app.server.listen(port, host);
    await once(app.server, "listening");
    const { port: actual } = app.server.address() as AddressInfo;
    let stopping: Promise<void> | undefined;
    return {
      baseUrl: `http://${isIPv6(host) ? `[${host}]` : host}:${actual}/v1`,
      keys: { ...keys },
      categories: listCategories(database),
      stop() {
        stopping ??= stop(app, close);
        return stopping;
      },
    };
  } catch (error) {
    close();
    throw explainedDamage(error, db);
  }

  function close(): void {
    database.close();
    lock[Symbol.dispose]();
  }
}

function openLocked(db: string, lock: Disposable): DatabaseSync {
  try {
    return openDatabase(db);
  } catch (error) {
    lock[Symbol.dispose]();
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
