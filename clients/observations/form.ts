import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import { given } from "../../schemas/json.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import { itemsOf, kindOf, modesOf } from "../lab/exchange.ts";
import { type ClientRun, merged, type Observed } from "./observation.ts";

// What every single request shows.

/** Exactly one of url, gtin and category. */
export function severalIdentifiers({ exchanges }: ClientRun): Observed {
  const queries = exchanges.filter(({ request: { path } }) => path === "/v1/products");
  const sightings = queries
    .map((exchange) => ({ shows: [exchange], details: { names: modesOf(exchange) } }))
    .filter(({ details: { names } }) => names.length > 1);
  return {
    chances: queries.length,
    findings: merged("several-identifiers", sightings, { total: queries.length, of: "requests" }),
  };
}

const batchesOf = (exchanges: readonly ClientExchange[]) =>
  exchanges.filter((exchange) => kindOf(exchange) === "batch");

export function largeBatches({ exchanges }: ClientRun): Observed {
  const batches = batchesOf(exchanges);
  const sightings = batches
    .map((exchange) => ({ shows: [exchange], details: { items: itemsOf(exchange.request)?.length ?? 0 } }))
    .filter(({ details: { items } }) => items > mostBatchItems);
  return {
    chances: batches.length,
    findings: merged("batch-too-large", sightings, { total: batches.length, of: "requests" }),
  };
}

const keyHeaderNames = Object.values(keyHeaders).map((name) => name.toLowerCase());

export function requestsWithoutKey(run: ClientRun): Observed {
  // Whether a server is there at all may be tried without a key.
  const exchanges = run.exchanges.filter(({ request: { path } }) => path.startsWith("/v1/"));
  const sightings = exchanges
    .filter(({ request: { headers } }) => keyHeaderNames.every((name) => (headers[name] ?? "") === ""))
    .map((exchange) => ({ shows: [exchange], details: {} }));
  return {
    chances: exchanges.length,
    findings: merged("no-key", sightings, { total: exchanges.length, of: "requests" }),
  };
}

export function keysOutsideHeaders({ exchanges, key }: ClientRun): Observed {
  const sightings = exchanges.flatMap((exchange) => {
    const { path, query, body } = exchange.request;
    const places = { path, query, body: body.toString() };
    const where = (["path", "query", "body"] as const).find((place) => places[place].includes(key));
    return where === undefined ? [] : [{ shows: [exchange], details: { where } }];
  });
  return {
    chances: exchanges.length,
    findings: merged("key-outside-headers", sightings, { total: exchanges.length, of: "requests" }),
  };
}

/** Headers that only a page in a browser has. Node's fetch sends `sec-fetch-mode` too, so that one says nothing. */
const browserHeaders = ["origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"];

export function browserRequests({ exchanges }: ClientRun): Observed {
  const sightings = exchanges
    .map((exchange) => ({
      shows: [exchange],
      details: { names: browserHeaders.filter((name) => exchange.request.headers[name] !== undefined) },
    }))
    .filter(({ details: { names } }) => names.length > 0);
  return {
    chances: exchanges.length,
    findings: merged("browser-headers", sightings, { total: exchanges.length, of: "requests" }),
  };
}

export function bodiesThatAreNotJson({ exchanges }: ClientRun): Observed {
  const batches = batchesOf(exchanges);
  const sightings = batches
    .filter(({ request }) => !isJson(request.body))
    .map((exchange) => ({ shows: [exchange], details: {} }));
  return {
    chances: batches.length,
    findings: merged("body-not-json", sightings, { total: batches.length, of: "requests" }),
  };
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}

export function typesThatAreNotJson({ exchanges }: ClientRun): Observed {
  const batches = batchesOf(exchanges);
  const sightings = batches
    .map((exchange) => ({ exchange, contentType: exchange.request.headers["content-type"] }))
    .filter(({ contentType }) => !/^application\/json *(?:;|$)/i.test(contentType ?? ""))
    .map(({ exchange, contentType }) => ({
      shows: [exchange],
      details: given({ contentType }),
    }));
  return {
    chances: batches.length,
    findings: merged("type-not-json", sightings, { total: batches.length, of: "requests" }),
  };
}
