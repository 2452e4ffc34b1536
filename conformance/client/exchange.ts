import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { Dispatcher } from "undici";
import {
  type KeyHeader,
  keyHeaders,
  maxBodyBytes,
  retryAfterHeader,
  retryAfterSeconds,
} from "../../schemas/api.ts";
import { headersOf } from "../../schemas/connection.ts";
import { given } from "../../schemas/json.ts";
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
  readonly response: {
    readonly status: number;
    /** Names in lower case; several headers of one name are joined with a comma. */
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
    /** Whether the bytes were well-formed UTF-8. */
    readonly utf8: boolean;
    /** The parsed body; undefined when it is not JSON or is nested too deeply. */
    readonly json?: unknown;
    /** The coding of its Content-Encoding, if the bytes do not have it. */
    readonly undecodable?: string;
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

export interface Wire {
  readonly target: Target;
  /** Longest time until the whole response is there; a whole number. */
  readonly milliseconds: number;
  readonly dispatcher: Dispatcher;
  readonly redaction: Redaction;
  readonly preferred: KeyHeader;
  readonly signal: AbortSignal;
  readonly requestId: Readonly<Record<string, string>>;
}

/**
 * Sends one request and reads the whole response.
 * @throws TransportError when no complete response arrives.
 */
export async function exchangeOnce(request: Request, wire: Wire): Promise<Omit<Exchange, "number">> {
  const { target, dispatcher, redaction } = wire;
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
  const { body = null } = request;
  const total = AbortSignal.timeout(wire.milliseconds);
  const started = performance.now();
  let nothingReceived = true;
  try {
    // Not a URL object: parsing would remove segments of dots and change quotes.
    const received = await dispatcher.request({
      origin,
      path: `${pathname}${request.path}`,
      method: request.method as Dispatcher.HttpMethod,
      headers: sent,
      body: coding === undefined || body === null ? body : Readable.from([body.slice(0, 9), body.slice(9)]),
      signal: AbortSignal.any([wire.signal, total]),
    });
    nothingReceived = false;
    const raw = Buffer.from(await received.body.arrayBuffer());
    const milliseconds = performance.now() - started;
    const receivedHeaders = flattenHeaders(received.headers);
    const decoded = withoutCoding(raw, receivedHeaders["content-encoding"]);
    return {
      endpoint: request.endpoint,
      caller: request.caller,
      request: {
        method: request.method,
        url,
        headers,
        body: request.body,
      },
      response: {
        status: received.statusCode,
        headers: receivedHeaders,
        ...decoded,
        milliseconds,
      },
    };
  } catch (error) {
    wire.signal.throwIfAborted();
    const failure = total.aborted
      ? "silent"
      : classifyTransportFailure(error, target.connection?.proxy !== undefined);
    // In a body, only chunks have a form.
    const inBody = failure === "not HTTP" && !nothingReceived;
    throw new TransportError(inBody ? "chunks" : failure, redaction.redact(url), {
      cause: error,
      nothingReceived,
      request: {
        method: request.method,
        url: redaction.redact(url),
        headers: redaction.redactHeaders(headers),
        body: request.body === undefined ? undefined : redaction.redact(request.body),
      },
    });
  }
}

function keyOf({ caller, keyHeader }: Request, { target, preferred }: Wire): Record<string, string> {
  const key = caller === "nobody" ? undefined : target.keys[caller];
  if (key === undefined) return {};
  const header = keyHeader === "either" ? preferred : keyHeader;
  return keyIn(header, key);
}

const longestHeader = 4096;

/** Its beginning: all exchanges of a run are kept in memory. A slice alone would keep the whole text there. */
function shortened(text: string): string {
  if (text.length <= longestHeader) return text;
  const begin = Buffer.from(text.slice(0, longestHeader)).toString();
  return `${begin}... (${text.length} characters)`;
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, shortened([value].flat().join(", "))]],
    ),
  );
}

/** The body without its content coding; the bytes as they came if they do not have that coding. */
function withoutCoding(
  raw: Buffer,
  encoding: string | undefined,
): Pick<Exchange["response"], "text" | "utf8" | "json" | "undecodable"> {
  try {
    return readBody(decode(raw, encoding));
  } catch (error) {
    // Bytes that are too many when decoded are a response that is too big.
    if (error instanceof RangeError || encoding === undefined) throw error;
    const { text, utf8 } = readBody(raw);
    return { text, utf8, undecodable: encoding };
  }
}

// A service may compress although no Accept-Encoding was sent: HTTP then allows any coding.
function decode(bytes: Buffer, encoding = ""): Buffer {
  // They are listed in the order in which they were applied (RFC 9110, 8.4).
  return encoding.split(",").reduceRight(withoutOneCoding, bytes);
}

function withoutOneCoding(bytes: Buffer, coding: string): Buffer {
  const limit = { maxOutputLength: maxBodyBytes };
  switch (coding.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return bytes.length === 0 ? bytes : gunzipSync(bytes, limit);
    case "deflate":
      return bytes.length === 0 ? bytes : inflate(bytes, limit);
    case "br":
      return bytes.length === 0 ? bytes : brotliDecompressSync(bytes, limit);
    case "zstd":
      return bytes.length === 0 ? bytes : zstdDecompressSync(bytes, limit);
    default:
      return bytes;
  }
}

// By RFC 9110, "deflate" has zlib's header; some services omit it.
function inflate(bytes: Buffer, limit: { maxOutputLength: number }): Buffer {
  const framed = ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;
  return framed ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit);
}

function readBody(bytes: Buffer): Pick<Exchange["response"], "text" | "utf8" | "json"> {
  const utf8 = isUtf8(bytes);
  const text = bytes.toString("utf8");
  try {
    if (isTooDeep(text)) return { text, utf8 };
    const json: unknown = JSON.parse(text);
    return { text, utf8, json };
  } catch {
    return { text, utf8 };
  }
}

/**
 * Most levels of arrays and objects in a body that are read (RFC 8259, 9: "An implementation may set limits on the
 * maximum depth of nesting"). Walking much deeper ones would overflow the stack.
 */
export const deepest = 200;

/** Whether a JSON text is nested deeper than that. Brackets inside strings do not count. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case "\\":
        index++;
        break;
      case '"':
        inText = !inText;
        break;
      case "[":
      case "{":
        if (!inText && ++depth > deepest) return true;
        break;
      case "]":
      case "}":
        if (!inText) depth--;
        break;
      default:
    }
  }
  return false;
}
