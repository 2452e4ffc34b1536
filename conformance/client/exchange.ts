import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { type KeyHeader, keyHeaders, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import { headersOf } from "../../schemas/connection.ts";
import { given } from "../../schemas/json.ts";
import { type ReceivedBody, readBody } from "./body.ts";
import type { Redaction } from "./redaction.ts";
import { type Endpoint, keyIn, type Request } from "./requests.ts";
import type { Caller, Target } from "./target.ts";
import { classifyTransportFailure, type RequestAsSent, TransportError } from "./transport-error.ts";

/** A request and its response as sent and received, keys included. Redact it before showing or writing it. */
export interface Exchange {
  /** Counts from 1 in the order in which responses arrived. */
  readonly number: number;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly request: RequestAsSent;
  readonly response: ReceivedBody & {
    readonly status: number;
    /** Names in lower case; several headers of one name are joined with a comma. */
    readonly headers: Readonly<Record<string, string>>;
    readonly milliseconds: number;
  };
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt?: number;
  /** Sent regardless of the rate limit, to be refused. */
  readonly isOfBurst?: true;
  /** Sent to see whether unusual input makes the target fail. */
  readonly isOfHostileInput?: true;
}

/** What a request asks for, as a text that equal requests share. Its headers, and so its key, are not part of it. */
export function requestName({ request: { method, url, body } }: Exchange): string {
  return JSON.stringify([method, url, body]);
}

/** The seconds that a response's Retry-After asks to wait; undefined when it is missing or malformed (spec, Errors). */
export function secondsToWait({ response }: Pick<Exchange, "response">): number | undefined {
  return retryAfterSeconds(response.headers[retryAfterHeader.toLowerCase()]);
}

/** The headers of a request that carry a key. */
export function keyHeadersIn({ request }: { readonly request: Pick<Request, "headers"> }): KeyHeader[] {
  const names = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  return Object.values(keyHeaders).filter((header) => names.has(header.toLowerCase()));
}

/** The request of an exchange, to send it again. */
export function requestOf(
  { endpoint, caller, request: { method, url, body } }: Exchange,
  { baseUrl }: Pick<Target, "baseUrl">,
): Request {
  return {
    endpoint,
    method,
    path: url.slice(baseUrl.length),
    caller,
    keyHeader: "either",
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body,
  };
}

interface Wire {
  readonly target: Target;
  readonly dispatcher: Dispatcher;
  readonly redaction: Redaction;
  /** The header of the key in requests that leave it open. */
  readonly preferred: KeyHeader;
  /** Longest time until the whole response is there; a whole number. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  readonly requestId: Readonly<Record<string, string>>;
}

/**
 * Sends one request and reads the whole response.
 * @throws TransportError when no complete response arrives.
 */
export async function exchangeOnce(request: Request, wire: Wire): Promise<Omit<Exchange, "number">> {
  const { target, redaction, signal } = wire;
  const { method, endpoint, caller, body } = request;
  const url = `${target.baseUrl}${request.path}`;
  const { origin, pathname } = new URL(target.baseUrl);
  const headers: Record<string, string> = given({
    accept: "application/json",
    ...headersOf(target.connection),
    ...wire.requestId,
    ...keyOf(request, wire),
    ...request.headers,
  });
  // The transport sends a stream in chunks, with a header of its own.
  const { "transfer-encoding": coding, ...sent } = headers;
  const isChunked = coding !== undefined && body !== undefined;
  const timeout = AbortSignal.timeout(wire.milliseconds);
  const started = performance.now();
  let nothingReceived = true;
  try {
    // Not a URL object: parsing would remove segments of dots and change quotes.
    const received = await wire.dispatcher.request({
      origin,
      path: `${pathname}${request.path}`,
      method: method as Dispatcher.HttpMethod,
      headers: sent,
      body: isChunked ? Readable.from([body.slice(0, 9), body.slice(9)]) : (body ?? null),
      signal: AbortSignal.any([signal, timeout]),
    });
    nothingReceived = false;
    const raw = Buffer.from(await received.body.arrayBuffer());
    const milliseconds = performance.now() - started;
    const ofResponse = flattened(received.headers);
    const read = readBody(raw, ofResponse["content-encoding"]);
    const response = { status: received.statusCode, headers: ofResponse, ...read, milliseconds };
    return { endpoint, caller, request: { method, url, headers, body }, response };
  } catch (error) {
    signal.throwIfAborted();
    const isProxied = target.connection?.proxy !== undefined;
    const failure = timeout.aborted ? "silent" : classifyTransportFailure(error, isProxied);
    // In a body, only chunks have a form.
    const inBody = failure === "not HTTP" && !nothingReceived;
    throw new TransportError(inBody ? "chunks" : failure, redaction.redact(url), {
      cause: error,
      nothingReceived,
      request: {
        method,
        url: redaction.redact(url),
        headers: redaction.redactHeaders(headers),
        body: body === undefined ? undefined : redaction.redact(body),
      },
    });
  }
}

function keyOf({ caller, keyHeader }: Request, { target, preferred }: Wire): Record<string, string> {
  const key = caller === "nobody" ? undefined : target.keys[caller];
  return key === undefined ? {} : keyIn(keyHeader === "either" ? preferred : keyHeader, key);
}

/** All exchanges of a run are kept in memory, so the rest of a longer header is cut off. */
const longestHeader = 4096;

function flattened(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const texts = Object.entries(given(headers)).map(([name, value]) => [name, [value].flat().join(", ")]);
  return Object.fromEntries(texts.map(([name, text = ""]) => [name, shortened(text)]));
}

/** A slice alone would keep the whole text in memory. */
function shortened(text: string): string {
  return text.length <= longestHeader ? text : Buffer.from(text.slice(0, longestHeader)).toString();
}
