import type { Finding } from "../../schemas/contracts/finding.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import type { Discovered, Results } from "../../schemas/contracts/results.ts";
import { jsonType } from "../../schemas/json.ts";
import { placesIn } from "../../schemas/product-values.ts";
import { type Exchange, requestOf, secondsToWait } from "../client/exchange.ts";
import type { HttpClient } from "../client/http-client.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import type { Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import type { Discovery } from "../discovery/discover.ts";
import { mustSucceed, NotJudged } from "../requirements/outcome.ts";
import { productsIn } from "../response/products-in.ts";
import type { CheckContext, Fuzz } from "../suite/check/check.ts";
import { failedRequests, lostRequests, noticesOf } from "./notices.ts";

interface SessionOptions {
  readonly target: Target;
  readonly http: HttpClient;
  /** The client that discovery used, which knows whether the target is still reachable. */
  readonly client: PoliteClient;
  readonly discovery: Discovery;
  readonly fuzz?: Fuzz | undefined;
}

/** The state that all checks of a run share. */
export type Session = ReturnType<typeof openSession>;

/** Opens the session of a run. Its checks share the rate limit, the request budget and the controls. */
export function openSession({ target, http, client, discovery, fuzz }: SessionOptions) {
  // Products that discovery found need not be requested again.
  const memory = new Map<string, Promise<unknown>>(
    http.exchanges
      .filter(findsProducts)
      .map((exchange) => [nameOfShared(requestOf(exchange, target)), Promise.resolve(exchange)]),
  );
  return {
    /** Ends the run. */
    signal: http.signal,
    /**
     * For one attempt of a check; appends its exchanges. With `fresh`, controls are requested again.
     * @param choices those of the attempts before
     */
    context(seen: Exchange[], fresh?: "fresh", choices: CheckContext["choices"] = new Map()): CheckContext {
      const noted = async <Response>(response: Promise<Response>): Promise<Response> => {
        const result = await response;
        if (!(result instanceof Error)) seen.push(result as Exchange);
        return result;
      };
      const ask = (request: Request) => noted(client.ask(request));
      // A fresh attempt does not reuse results of an earlier one.
      const renewed = new Set<string>();
      const once = <T>(name: string, work: () => Promise<T>): Promise<T> => {
        const earlier = fresh && !renewed.has(name) ? undefined : memory.get(name);
        renewed.add(name);
        const done = (earlier as Promise<T> | undefined) ?? work();
        memory.set(name, done);
        // A failed attempt may succeed next time.
        done.catch(() => memory.get(name) === done && memory.delete(name));
        return done;
      };
      const shared = (request: Request) => noted(once(nameOfShared(request), () => client.ask(request)));
      return {
        ...discovery,
        target,
        ask,
        shared,
        once,
        cached: <T>(name: string) => memory.get(name) as Promise<T> | undefined,
        async sendAtOnce(request) {
          if (target.avoid?.includes("burst")) throw new NotJudged({ code: "avoided", subject: "burst" });
          return await client.sendAtOnce(request);
        },
        tryOut: (request) => noted(client.tryOut(request)),
        exchanges: http.exchanges,
        choices,
        fuzz,
        async sleep(milliseconds, why) {
          if (why !== undefined) http.report(milliseconds);
          await http.clock.sleep(milliseconds);
        },
        control: async (request) => mustSucceed(await shared(request)),
      };
    },
  };
}

function nameOfShared({ method, path, caller, keyHeader, headers, body }: Request): string {
  return `shared ${JSON.stringify([method, path, caller, keyHeader, headers, body])}`;
}

/** Whether products were looked up and found. Lists may change, and the cursor of a page may expire. */
function findsProducts({ endpoint, response }: Exchange): boolean {
  return response.status === 200 && (endpoint.startsWith("lookup-") || endpoint === "batch");
}

/** The traffic of a run: requests, rate limit, and statistics about the contract. */
export type SessionTraffic = ReturnType<typeof trafficOf>;

/** The traffic so far, discovery included. */
export function trafficOf(
  http: Pick<HttpClient, "exchanges" | "requests">,
  { fieldNames }: Pick<Discovery, "fieldNames">,
  client: Pick<PoliteClient, "gone">,
) {
  const { exchanges } = http;
  const { total, burst: ofBursts = 0, ...counts } = http.requests();
  const ordinary = total - ofBursts;
  const failed = failedRequests(exchanges, ordinary);
  const requests: Results<Finding>["requests"] = { total, burst: ofBursts, ...counts, failed };
  const refusals = exchanges.filter(({ response }) => response.status === 429);
  const waits = refusals.flatMap((exchange) => secondsToWait(exchange) ?? []);
  const burst = exchanges.filter(({ purpose, caller }) => purpose === "burst" && caller === "primary");
  const first = burst.findIndex(({ response }) => response.status === 429);
  const before = first < 0 ? burst : burst.slice(0, first);
  const rateLimit: Discovered["rateLimit"] = {
    refused: refusals.length,
    longestRetryAfterSeconds: waits.length === 0 ? undefined : Math.max(...waits),
    ...(burst.length > 0 && { accepted: before.filter(({ response }) => response.status === 200).length }),
  };
  return {
    /** Responses of gateways in the service's place. */
    lost: lostRequests(exchanges, ordinary),
    /** What no requirement is about, and the user of the service should know. */
    notices: noticesOf(exchanges, ordinary),
    requests,
    rateLimit,
    survey: surveyOf(exchanges, fieldNames),
    /** Why no more requests could be sent: the target stopped responding, or limited every request. */
    gone: client.gone(),
  };
}

/** Most field paths to count, overall and for each retailer: field names may be data. */
const mostPaths = 400;
const mostRetailers = 200;

/**
 * Statistics about the contract with the primary key. Other keys see other products, and a run may lack them.
 *
 * A product that appears several times counts once, with all fields it ever had. A field that is null or
 * empty counts as missing: it must be omitted, and once it is, the contract has not changed.
 */
export function surveyOf(exchanges: readonly Exchange[], fieldNames: FieldNames) {
  const surveyed = new Map<string, { readonly retailer: unknown; readonly paths: Set<string> }>();
  const types = new Map<string, Map<string, Set<string>>>();
  const texts = new Set<string>();
  for (const exchange of exchanges.filter(({ caller }) => caller === "primary"))
    for (const { product } of productsIn(exchange, fieldNames)) {
      const { retailer, product_id: id } = product;
      const text = JSON.stringify(product);
      // Most products appear again as they were.
      if (texts.size === texts.add(text).size) continue;
      const identity = typeof id === "string" ? JSON.stringify([retailer, id]) : text;
      const { paths } = surveyed.get(identity) ?? { paths: new Set<string>() };
      surveyed.set(identity, { retailer, paths });
      for (const { path, value } of placesIn(product)) {
        if (value === null) continue;
        const type = jsonType(value);
        const known = types.get(path) ?? new Map<string, Set<string>>();
        if (known.size > 0 || types.size < mostPaths)
          types.set(path, known.set(type, (known.get(type) ?? new Set()).add(identity)));
        if (typeof value !== "object" && value !== "") paths.add(path);
      }
    }
  const products = [...surveyed.values()];
  const ofRetailers = [...Map.groupBy(products, ({ retailer }) => retailer)].filter(
    ([retailer]) => typeof retailer === "string" && retailer !== "",
  );
  return {
    /** Number of different products that have each field path. */
    fields: countsOf(products),
    fieldsByRetailer: Object.fromEntries(
      ofRetailers
        .slice(0, mostRetailers)
        .map(([slug, own]) => [String(slug), { products: own.length, fields: countsOf(own) }]),
    ),
    productsByType: Object.fromEntries(
      [...types].map(([path, seen]) => [
        path,
        Object.fromEntries([...seen].map(([type, { size }]) => [type, size])),
      ]),
    ),
  };
}

function countsOf(products: readonly { readonly paths: ReadonlySet<string> }[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const path of products.flatMap(({ paths }) => [...paths])) {
    const count = counts.get(path);
    if (count !== undefined || counts.size < mostPaths) counts.set(path, (count ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
