import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { SpellingName } from "../../schemas/contracts/vocabulary.ts";
import { byCategory, byGtin, keyIn, type Request } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "./check/check.ts";

// What a client may write differently with the same meaning, by section of RFC 9110, 3986 and 8259.

/** One thing that is written differently. */
export interface RequestSpelling {
  readonly name: SpellingName;
  /** The header as it is sent, or its name where it is not. */
  readonly sent?: string;
  /** The name of that header. A target's own headers stay as they are configured. */
  readonly header?: string;
  /** The key is that of its caller. A request that has nothing to be written in this way stays as it is. */
  readonly write: (request: Request, key: string) => Request;
}

/** Spellings that are written together in one request. */
export interface SpellingRow {
  readonly spellings: readonly RequestSpelling[];
  /** The request to be written. Default: the good one of the endpoint. Undefined: none of this endpoint */
  readonly of?: (good: Request, context: CheckContext) => Request | undefined;
  /** A status by which HTTP lets a server refuse it. */
  readonly refusedBy?: number;
}

type Headers = Readonly<Record<string, string | undefined>>;

const jsonType = "application/json";

/**
 * What usual clients send, and what any client may send. User-Agent names no right (RFC 9110, 10.1.5).
 * Whoever sends no Accept takes any type; these accept JSON (12.5.1), plain content (12.5.3) and any language
 * (12.5.4). Unknown fields are ignored (5.1). A client may close its connection (RFC 9112, 9.6) and ask for
 * what is fresh (RFC 9111, 5.2.1.4).
 */
const usualClients: readonly Headers[] = [
  { "user-agent": "curl/8.11.0", accept: "*/*" },
  {
    "user-agent": "python-requests/2.32.3",
    accept: "*/*",
    "accept-encoding": "gzip, deflate",
    connection: "keep-alive",
  },
  { "user-agent": "Go-http-client/1.1", accept: undefined, "accept-encoding": "gzip" },
  { "user-agent": "Java-http-client/21.0.5", accept: undefined },
  {
    "user-agent": "axios/1.7.9",
    accept: "application/json, text/plain, */*",
    "accept-encoding": "gzip, deflate, br",
  },
  {
    "user-agent": "Ruby",
    accept: "text/html;q=0.2, application/*;q=0.9, */*;q=0.1",
    "accept-encoding": "gzip;q=1.0,deflate;q=0.6,identity;q=0.3",
    connection: "close",
  },
  {
    "user-agent": "okhttp/4.12.0",
    "accept-encoding": "br",
    "accept-language": "de-DE,de;q=0.9,*;q=0.5",
    "cache-control": "no-cache",
    pragma: "no-cache",
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "x-request-id": "7b0c2b3e-6a3d-4a55-9d0c-5f1f6f0f7a11",
  },
  { "user-agent": "Wget/1.24.5", accept: "*/*", "accept-encoding": "identity" },
];

/** The rows of usual clients, which fit any request. */
export const clientRows: readonly SpellingRow[] = usualClients.map((headers) => ({
  spellings: inHeaders(headers),
}));

/** Every recipient can read a body in chunks (RFC 9112, 7.1), but may insist on a length (6.3). */
const chunked: SpellingRow = { of: withBody, spellings: inHeaders({ "transfer-encoding": "chunked" }) };

/** HTTP, the syntax of URIs and JSON, and the spec say that these mean the same. */
export const settledRows: readonly SpellingRow[] = [
  ...clientRows,
  // Names of fields are case-insensitive (RFC 9110, 5.1). What reads them comes before the endpoints.
  headerCase(keyHeaders.bearer, (name) => name.toUpperCase()),
  headerCase(keyHeaders.plain, (name) => name.toLowerCase()),
  // Unreserved characters may be encoded, and hexadecimal digits have no case (RFC 3986, 6.2.2).
  {
    spellings: [
      { name: "unreserved", write: (request) => onValues(request, encodedMore) },
      { name: "hex-case", write: (request) => onValues(request, inLowerHex) },
    ],
  },
  // The spec names the parameters and gives them no order.
  {
    of: ofTwoParameters,
    spellings: [{ name: "parameter-order", write: (request) => onPairs(request, (all) => all.toReversed()) }],
  },
  {
    of: withBody,
    spellings: [
      // Type and subtype are case-insensitive (RFC 9110, 8.3.1).
      ...inHeaders({ "content-type": "Application/JSON" }),
      // No order in objects, blanks between tokens, any character escaped (RFC 8259, 1, 2 and 7).
      { name: "json-order", write: onBody(inOtherOrder) },
      {
        name: "json-blanks",
        write: onBody((body) => `\r\n${JSON.stringify(JSON.parse(body), undefined, "\t ")}\n`),
      },
      { name: "json-escapes", write: onBody(escaped) },
    ],
  },
  { ...chunked, refusedBy: 411 },
];

/** HTTP lets a server refuse these, or does not say that they mean the same. */
export const openRows: readonly SpellingRow[] = [
  // The spec has the service called by servers only. No body has a type (RFC 9110, 8.3).
  {
    spellings: inHeaders({
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
      accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "accept-language": "de-DE,de;q=0.9",
      origin: "https://app.example",
      referer: "https://app.example/search?q=1",
      cookie: "session=1; theme=dark",
      "sec-fetch-mode": "cors",
      "content-type": jsonType,
    }),
  },
  {
    of: (good) => ({ ...good, keyHeader: keyHeaders.bearer }),
    spellings: [
      // Java's URLConnection sends this, malformed: `*` is no range, `.2` no weight (12.4.2 and 12.5.1).
      ...inHeaders({
        "user-agent": "Java/1.8.0_432",
        accept: "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
      }),
      // The scheme of credentials is case-insensitive (RFC 9110, 11.1), but the spec shows it as Bearer.
      {
        name: "scheme-case",
        write: (request, key) => withHeaders(request, { [keyHeaders.bearer]: `bearer ${key}` }),
      },
    ],
  },
  // A charset of JSON has no effect (RFC 8259, 11), but the spec names no media type.
  { of: withBody, spellings: inHeaders({ "content-type": `${jsonType};charset=UTF-8` }) },
  chunked,
  // An empty query is another URI (RFC 3986, 6.2.3).
  {
    of: (good) => (good.endpoint === "retailers" ? good : undefined),
    spellings: [{ name: "empty-query", write: (request) => ({ ...request, path: `${request.path}?` }) }],
  },
];

/** A spelling for each header; undefined does without. */
function inHeaders(headers: Headers): RequestSpelling[] {
  return Object.entries(headers).map(([header, value]) => ({
    name: value === undefined ? "no-header" : "header",
    sent: value === undefined ? header : `${header}: ${value}`,
    header,
    write: (request) => withHeaders(request, { [header]: value }),
  }));
}

function withHeaders(request: Request, headers: Headers): Request {
  return { ...request, headers: { ...request.headers, ...headers } };
}

function withBody(good: Request): Request | undefined {
  return good.body === undefined ? undefined : good;
}

/** The names of all headers in one case, of a request without a body and of one with a body. */
function headerCase(keyHeader: KeyHeader, change: (name: string) => string): SpellingRow {
  return {
    of: (good) => (["retailers", "batch"].includes(good.endpoint) ? { ...good, keyHeader } : undefined),
    spellings: [
      {
        name: "header-case",
        write(request, key) {
          const all = Object.entries({ accept: jsonType, ...keyIn(keyHeader, key), ...request.headers });
          const none = Object.fromEntries(all.map(([name]) => [name, undefined]));
          const changed = Object.fromEntries(all.map(([name, value]) => [change(name), value]));
          return withHeaders(request, { ...none, ...changed });
        },
      },
    ],
  };
}

/** Changes the parameters in the path or in the query, each as it is encoded. */
function onValues(request: Request, change: (text: string) => string): Request {
  if (request.endpoint !== "lookup-by-id")
    return onPairs(request, (all) => all.map((pair) => pair.replace(/(?<==).*/s, (value) => change(value))));
  const [empty = "", products = "", ...values] = request.path.split("/");
  return { ...request, path: [empty, products, ...values.map(change)].join("/") };
}

function onPairs(request: Request, change: (pairs: readonly string[]) => readonly string[]): Request {
  const [path = "", query] = request.path.split("?");
  return query === undefined
    ? request
    : { ...request, path: `${path}?${change(query.split("&")).join("&")}` };
}

/** With its first plain character and each hyphen percent-encoded. */
function encodedMore(text: string): string {
  return text.replace(/^[A-Za-z\d]|-/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function inLowerHex(text: string): string {
  return text.replace(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase());
}

function ofTwoParameters({ endpoint }: Request, { fixtures }: CheckContext): Request | undefined {
  if (endpoint === "category-page") return byCategory(need(fixtures.category).category, { limit: "3" });
  if (endpoint !== "lookup-by-gtin") return undefined;
  const [{ gtin, retailer }] = need(fixtures.productsByGtin);
  return byGtin(gtin, retailer);
}

function onBody(change: (body: string) => string): RequestSpelling["write"] {
  return ({ body = "", ...request }) => ({ ...request, body: change(body) });
}

function inOtherOrder(body: string): string {
  const reversed = (_name: string, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value;
  return JSON.stringify(JSON.parse(body, reversed));
}

function escaped(body: string): string {
  const inHex = (unit: string) =>
    unit === "/" ? "\\/" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return body.replace(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const plain: string = JSON.parse(text);
    return `"${plain.split("").map(inHex).join("")}"`;
  });
}
