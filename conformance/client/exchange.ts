import { setImmediate } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { type KeyHeader, keyHeaders, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import { isTooDeep } from "./nesting.ts";
import { type Clock, createPacer, type Pacer, type PacerState, systemClock } from "./pacing.ts";
import { type Redaction, redactionFor } from "./redaction.ts";
import { type Endpoint, keyIn, type Request } from "./requests.ts";
import { type Caller, type Organization, organizationOf, type Target } from "./target.ts";
import { classifyTransportFailure, TransportError } from "./transport-error.ts";

/** A request and its answer as they went over the wire, keys included: what goes out of it is redacted. */
export interface Exchange {
  /** Counts from 1 in the order of answers. */
  readonly number: number;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: {
    readonly status: number;
    /** Names in lower case; several of one name are joined with a comma. */
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
    /** Whether the bytes were well-formed UTF-8. */
    readonly utf8: boolean;
    /** The parsed body, or undefined when it is not JSON, or nested too deep to be read. */
    readonly json?: unknown;
    readonly milliseconds: number;
  };
}

/** The seconds that a response asks to wait, or undefined when it does not say so in due form (spec, Errors). */
export function secondsToWait({ response }: Pick<Exchange, "response">): number | undefined {
  return retryAfterSeconds(response.headers[retryAfterHeader.toLowerCase()]);
}

/** The run may send no more requests, or keep no more answers. */
export class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
  readonly budget: number;
  readonly unit: "requests" | "megabytes";
  constructor(budget: number, unit: BudgetSpent["unit"] = "requests") {
    super(`the budget of ${budget} ${unit} is spent`);
    this.budget = budget;
    this.unit = unit;
  }
}

/** What a client hands over when another one goes on with the same target. */
export interface ClientState {
  readonly sent: number;
  readonly byEndpoint: Readonly<Record<string, number>>;
  readonly pacers: Readonly<Record<Organization, PacerState>>;
  readonly exchanges: readonly Exchange[];
  readonly keyHeader: KeyHeader;
}

export interface ClientOptions {
  readonly target: Target;
  /** Most requests to send, those in `from` included. */
  readonly maxRequests: number;
  readonly from?: ClientState;
  /** Most megabytes of answers: all are kept for the rules that look at every one, so they must fit in memory. */
  readonly maxKeptMegabytes?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

export interface SendOptions {
  /** Leave at once, even in a wait that the target asked for: for the one check that provokes the limit. */
  readonly regardlessOfLimit?: boolean;
  readonly signal?: AbortSignal;
}

/** The one way to the target. */
export interface HttpClient {
  /**
   * Sends one request and records what came.
   * @throws TransportError when no whole answer came, BudgetSpent when the run may send no more.
   */
  send(request: Request, options?: SendOptions): Promise<Exchange>;
  /** Milliseconds that the caller's organization was told to wait still. */
  wait(caller: Caller): number;
  readonly exchanges: readonly Exchange[];
  /** Takes the target's keys out of what is shown or written. */
  readonly redaction: Redaction;
  /** From now on, requests that leave the header open carry the key in this one. */
  prefer(keyHeader: KeyHeader): void;
  preferred(): KeyHeader;
  state(): ClientState;
  close(): Promise<void>;
}

const maxBodyBytes = 8 * 1024 * 1024;
const usuallyKeptMegabytes = 64;
// What a 429 without a usable Retry-After is taken to ask for; that it lacks one is judged elsewhere.
const waitWithoutRetryAfter = 1000;

/** Opens a client to a target. Close it when done: it keeps connections open. */
export function openClient(options: ClientOptions): HttpClient {
  const { target, maxRequests, from, clock = systemClock } = options;
  const { maxKeptMegabytes = usuallyKeptMegabytes } = options;
  const redaction = redactionFor(target);
  const dispatcher = createDispatcher(target);
  const exchanges: Exchange[] = [...(from?.exchanges ?? [])];
  const byEndpoint: Record<string, number> = { ...from?.byEndpoint };
  const pacers: Record<Organization, Pacer> = {
    first: createPacer(clock, from?.pacers.first),
    other: createPacer(clock, from?.pacers.other),
    nobody: createPacer(clock, from?.pacers.nobody),
  };
  let sent = from?.sent ?? 0;
  let kept = exchanges.reduce((sum, { response }) => sum + response.text.length, 0);
  let preferred: KeyHeader = from?.keyHeader ?? keyHeaders.bearer;

  async function send(request: Request, sendOptions: SendOptions = {}): Promise<Exchange> {
    const signals = [options.signal, sendOptions.signal].filter((signal) => signal !== undefined);
    const signal = AbortSignal.any(signals);
    signal.throwIfAborted();
    if (sent >= maxRequests) throw new BudgetSpent(maxRequests);
    if (kept > maxKeptMegabytes * 1024 * 1024) throw new BudgetSpent(maxKeptMegabytes, "megabytes");
    sent++;
    byEndpoint[request.endpoint] = (byEndpoint[request.endpoint] ?? 0) + 1;
    const pacer = pacers[organizationOf[request.caller]];
    if (sendOptions.regardlessOfLimit !== true) await pacer.turn(signal);
    const answer = await exchangeOnce(request, { target, dispatcher, redaction, preferred, signal });
    const exchange = { ...answer, number: exchanges.length + 1 };
    exchanges.push(exchange);
    kept += exchange.response.text.length;
    if (exchange.response.status === 429) {
      const seconds = secondsToWait(exchange);
      pacer.refused(seconds === undefined ? waitWithoutRetryAfter : seconds * 1000);
    } else {
      pacer.admitted();
    }
    return exchange;
  }

  return {
    send,
    wait: (caller) => pacers[organizationOf[caller]].wait(),
    exchanges,
    redaction,
    prefer(keyHeader) {
      preferred = keyHeader;
    },
    preferred: () => preferred,
    state: () => ({
      sent,
      byEndpoint: { ...byEndpoint },
      pacers: { first: pacers.first.state(), other: pacers.other.state(), nobody: pacers.nobody.state() },
      exchanges: [...exchanges],
      keyHeader: preferred,
    }),
    async close() {
      await dispatcher.destroy();
      // Sockets are gone only after the next turn of the loop; a process must be able to end after this.
      await setImmediate();
    },
  };
}

function createDispatcher(target: Target): Dispatcher {
  const timeout = target.timeoutMilliseconds;
  const options = {
    connect: { timeout: Math.min(timeout, 5000) },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: maxBodyBytes,
    keepAliveTimeout: 4000,
    pipelining: 1,
  };
  const { hostname } = new URL(target.baseUrl);
  const loopback = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  return loopback ? new Agent(options) : new EnvHttpProxyAgent(options);
}

interface Wire {
  readonly target: Target;
  readonly dispatcher: Dispatcher;
  readonly redaction: Redaction;
  readonly preferred: KeyHeader;
  readonly signal: AbortSignal;
}

async function exchangeOnce(request: Request, wire: Wire): Promise<Omit<Exchange, "number">> {
  const { target, dispatcher, redaction } = wire;
  const url = `${target.baseUrl}${request.path}`;
  const { origin, pathname } = new URL(target.baseUrl);
  const headers = { accept: "application/json", ...keyOf(request, wire), ...request.headers };
  const total = AbortSignal.timeout(target.timeoutMilliseconds);
  const started = performance.now();
  try {
    // Not by a URL object: parsing takes segments of dots away and changes quotes.
    const answer = await dispatcher.request({
      origin,
      path: `${pathname}${request.path}`,
      method: request.method as Dispatcher.HttpMethod,
      headers,
      body: request.body ?? null,
      signal: AbortSignal.any([wire.signal, total]),
    });
    const raw = Buffer.from(await answer.body.arrayBuffer());
    const milliseconds = performance.now() - started;
    const answerHeaders = flattenHeaders(answer.headers);
    const bytes = decode(raw, answerHeaders["content-encoding"]);
    return {
      endpoint: request.endpoint,
      caller: request.caller,
      request: {
        method: request.method,
        url,
        headers,
        ...(request.body === undefined ? {} : { body: request.body }),
      },
      response: {
        status: answer.statusCode,
        headers: answerHeaders,
        ...readBody(bytes),
        milliseconds,
      },
    };
  } catch (error) {
    wire.signal.throwIfAborted();
    const failure = total.aborted ? "silent" : classifyTransportFailure(error);
    throw new TransportError(failure, redaction.redact(url), { cause: error });
  }
}

function keyOf({ caller, keyHeader }: Request, { target, preferred }: Wire): Record<string, string> {
  const key = caller === "nobody" ? undefined : target.keys[caller];
  if (key === undefined) return {};
  const header = keyHeader === "either" ? preferred : keyHeader;
  return keyIn(header, key);
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

// A service may compress although it was not asked to: HTTP allows any coding when none is named.
function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  const limit = { maxOutputLength: maxBodyBytes };
  switch (encoding?.trim().toLowerCase()) {
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

// By the book "deflate" has zlib's frame; services that leave it out are as old as the book.
function inflate(bytes: Buffer, limit: { maxOutputLength: number }): Buffer {
  const framed = ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;
  return framed ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit);
}

function readBody(bytes: Buffer): Pick<Exchange["response"], "text" | "utf8" | "json"> {
  let utf8 = true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    utf8 = false;
  }
  const text = bytes.toString("utf8");
  try {
    if (isTooDeep(text)) return { text, utf8 };
    const json: unknown = JSON.parse(text);
    return { text, utf8, json };
  } catch {
    return { text, utf8 };
  }
}
