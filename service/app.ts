import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import findMyWay, { type HTTPMethod } from "find-my-way";
import { type ApiEndpoint, endpoints } from "../schemas/api.ts";
import type { Route, ServiceRequest, ServiceResponse } from "./call.ts";
import { HttpError, internalError } from "./errors.ts";
import { logRequest, type WriteLine } from "./log.ts";
import type { Steps } from "./steps.ts";
import { endToEndHeaders, type Send, serverOf, splitUrl } from "./wire.ts";

/** Limits of the transport; the spec gives none. */
const limits = {
  bodyBytes: 256 * 1024,
  headerBytes: 16 * 1024,
  urlCharacters: 8 * 1024,
  /** Longest time for a whole request to arrive. */
  requestMilliseconds: 10_000,
};

const transport: ServerOptions = {
  maxHeaderSize: limits.headerBytes,
  headersTimeout: limits.requestMilliseconds,
  requestTimeout: limits.requestMilliseconds,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 1000,
  // Node's own response to a missing Host header has an empty body.
  requireHostHeader: false,
};

/** The routes of the endpoints of the spec, without the query that selects a mode. */
export const routes = Object.entries({
  retailers: endpoints.retailers,
  "lookup-by-id": endpoints["lookup-by-id"],
  products: endpoints["lookup-by-url"],
  batch: endpoints.batch,
} satisfies Record<Exclude<Route, "none">, ApiEndpoint>).map(([route, { method, path }]) => ({
  route: route as Route,
  method,
  url: `/v1${path.replace(/\?.*/, "").replaceAll(/\{(\w+)\}/g, ":$1")}`,
}));

const contentType = "application/json; charset=utf-8";

/** The service as HTTP. */
export interface App {
  readonly server: Server;
  /** Handles a request directly, without a connection. */
  readonly send: Send;
  /** Stops accepting requests and waits for the open ones. */
  close(): Promise<void>;
}

/** The parts of a request that are known before its body is read. */
type Head = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Reads the body of a request; undefined if it is larger than the limit. */
type ReadBody = () => Promise<Buffer | undefined>;

/** A response whose body is JSON text. */
interface Answer extends ServiceResponse {
  readonly body: string | Buffer;
}

/**
 * The HTTP side: routes, limits, and the error shape of the spec for errors of the transport too.
 * @param changed wraps the handler of requests, in a service with faults or variants.
 */
export function createApp(steps: Steps, writeLine?: WriteLine, changed?: (send: Send) => Send): App {
  let requests = 0;

  async function answer(head: Head, read: ReadBody): Promise<Answer> {
    const place = placeOf(head);
    const id = `req-${(++requests).toString(36)}`;
    const log = writeLine && logRequest(writeLine, { id, head, path: place.path });
    const { status, headers, body } = await respond(head, place, read).catch((error: unknown) => {
      const shown = error instanceof HttpError ? error : internalError();
      if (shown.status === 500) log?.failed(error);
      return errorResponse(shown);
    });
    log?.completed(status);
    return {
      status,
      headers: { "content-type": contentType, "x-request-id": id, ...headers },
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    };
  }

  /** @throws HttpError for anything but a success. */
  async function respond(
    { url = "/", headers }: Head,
    place: Place,
    read: ReadBody,
  ): Promise<ServiceResponse> {
    const { route, parameters, error } = place;
    const query = splitUrl(url).query;
    const call: ServiceRequest = { route, query, headers, parameters, body: undefined, caller: undefined };
    call.caller = steps.identify(call);
    await steps.admit(call, call.caller);
    if (error !== undefined) throw error;
    if (url.length > limits.urlCharacters) throw protocolError(414);
    // Only a valid key within its limit can make the service read and parse a body.
    if (route === "batch") call.body = await parsedBody(headers["content-type"], read);
    return steps.respond(call);
  }

  const own: Send = async ({ method, path, query, headers, body }) => {
    const head = { method, url: query === "" ? path : `${path}?${query}`, headers };
    const answered = await answer(head, async () => (body.length > limits.bodyBytes ? undefined : body));
    return {
      status: answered.status,
      headers: endToEndHeaders(answered.headers),
      body: Buffer.from(method === "HEAD" ? "" : answered.body),
    };
  };

  const send = changed?.(own) ?? own;
  const server = changed === undefined ? serverOfAnswers(answer) : serverOf(send, transport);
  server.on("clientError", answerConnectionError);
  server.on("checkExpectation", (_request, outgoing) => {
    const { status, headers, body } = errorResponse(protocolError(417));
    write(outgoing, {
      status,
      headers: { "content-type": contentType, ...headers },
      body: JSON.stringify(body),
    });
  });
  return {
    server,
    send,
    async close() {
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function serverOfAnswers(answer: (head: Head, read: ReadBody) => Promise<Answer>): Server {
  const server = createServer(transport, (incoming, outgoing) => {
    answer(incoming, () => readBody(incoming)).then(
      (answered) => {
        // A server that stops waits for its connections.
        outgoing.shouldKeepAlive &&= server.listening;
        write(outgoing, answered);
      },
      () => outgoing.destroy(),
    );
  });
  return server;
}

function write(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  outgoing.end(body);
}

/** The route of a method and a path, or the error. */
interface Place {
  readonly route: Route;
  /** The path with the names of its parameters: `/v1/products/:retailer/:product_id`. */
  readonly path: string;
  /** Decoded. */
  readonly parameters: ServiceRequest["parameters"];
  /** The error for a wrong path or method. */
  readonly error?: HttpError;
}

type StoredPlace = Omit<Place, "parameters">;

function createRouter(): (head: Head) => Place {
  const unused = () => undefined;
  // Without a handler for malformed paths the router reports them as unknown.
  const router = findMyWay({
    maxParamLength: limits.urlCharacters,
    querystringParser: () => ({}),
    onBadUrl: unused,
  });
  for (const { method, url: path, route } of routes) {
    const allowed: string[] = method === "GET" ? ["GET", "HEAD"] : [method];
    const others = METHODS.filter((other) => !allowed.includes(other));
    const add = (methods: readonly string[], place: StoredPlace) =>
      router.on(methods as HTTPMethod[], path, unused, place);
    add(allowed, { route, path });
    add(others, { route: "none", path, error: wrongMethod(allowed.join(", ")) });
  }
  return ({ method, url }) => {
    const found = router.find(method as HTTPMethod, url ?? "/");
    if (found === null) return { route: "none", path: "none", parameters: {} };
    const place: StoredPlace = found.store ?? { route: "none", path: "none", error: protocolError(400) };
    return { ...place, parameters: found.params };
  };
}

const placeOf = createRouter();

function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let length = 0;
  incoming.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > limits.bodyBytes) resolve(undefined);
    else chunks.push(chunk);
  });
  incoming.on("end", () => resolve(Buffer.concat(chunks)));
  incoming.on("error", () => reject(protocolError(400)));
  return promise;
}

/**
 * The JSON of a body.
 * @throws HttpError 413, 415, or 400 for a body that is not well-formed UTF-8 and JSON.
 */
async function parsedBody(type: string | undefined, read: ReadBody): Promise<unknown> {
  if (type !== undefined && mediaType(type) !== "application/json") throw protocolError(415, closing);
  const body = await read();
  if (type === undefined && body?.length !== 0) throw protocolError(415, closing);
  if (body === undefined) throw protocolError(413, closing);
  try {
    if (!isUtf8(body)) throw new SyntaxError("not UTF-8");
    // A member named __proto__ is harmless: no member of the body is copied to another object.
    return JSON.parse(body.toString());
  } catch {
    throw protocolError(400);
  }
}

/** Closes a connection on which more of an unread body may follow. */
const closing = { connection: "close" };

const mediaType = (header: string) => header.split(";", 1)[0]?.trim().toLowerCase();

/** Messages for the statuses that the router and the parser produce. */
const messages: Readonly<Record<number, string>> = {
  400: "The request is malformed: bad percent-encoding, bad JSON, or a body of another length than announced.",
  408: "The request did not arrive in time.",
  413: "The request body is too large.",
  414: "The request URL is too long.",
  415: "The request body is not JSON: send `Content-Type: application/json`.",
  417: "No expectation but 100-continue can be met.",
  431: "The request headers are too large.",
};

function protocolError(status: number, headers: Record<string, string> = {}): HttpError {
  return new HttpError(status, messages[status] ?? "The request is malformed.", headers);
}

function wrongMethod(allowed: string): HttpError {
  return new HttpError(405, `This path answers ${allowed} only.`, { allow: allowed });
}

/** An error in the shape of the spec. */
function errorResponse({ status, headers, code, message }: HttpError): ServiceResponse {
  return { status, headers, body: { error: { code, message } } };
}

const connectionErrors: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** For bytes that are no valid request, such as headers that are too large; closes the connection. */
function answerConnectionError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const shown = protocolError(connectionErrors[error.code ?? ""] ?? 400);
  const body = JSON.stringify(errorResponse(shown).body);
  const head = [
    `HTTP/1.1 ${shown.status} ${STATUS_CODES[shown.status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
