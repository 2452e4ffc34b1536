import { isUtf8 } from "node:buffer";
import { METHODS, type ServerOptions, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type ApiEndpoint, endpoints } from "../schemas/api.ts";
import type { Route, ServiceRequest, ServiceResponse } from "./call.ts";
import { HttpError, internalError, notFound } from "./errors.ts";
import type { Steps } from "./steps.ts";
import { changedServer, type Send, sendInto } from "./wire.ts";

declare module "fastify" {
  interface FastifyRequest {
    call: ServiceRequest | undefined;
  }
  interface FastifyContextConfig {
    route?: Route;
    /** Set on a route whose path exists while its method does not. */
    allowed?: string;
  }
}

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
  connectionsCheckingInterval: 1000,
  // Node answers a missing Host header with an empty body.
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

/**
 * The HTTP side: routes, limits, and the error shape of the spec for errors of the framework too.
 * @param changed wraps how requests are answered, in a service with faults or variants.
 */
export function createApp(
  steps: Steps,
  log?: (line: string) => void,
  changed?: (send: Send) => Send,
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    ...(log !== undefined && { logger: loggerTo(log) }),
    ...(changed !== undefined &&
      changedServer(
        changed((request) => sendInto(app, request)),
        transport,
      )),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMilliseconds,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    http: transport,
    routerOptions: { maxParamLength: limits.urlCharacters, querystringParser: () => ({}) },
    clientErrorHandler: answerConnectionError,
    frameworkErrors: (error, request, reply) => {
      fail(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
  let closing = false;

  function send({ status, headers, body }: ServiceResponse, reply: FastifyReply) {
    reply.code(status).header("content-type", contentType).header("x-request-id", reply.request.id);
    for (const name in headers) reply.header(name, headers[name]);
    if (closing) reply.header("connection", "close");
    return reply.send(body);
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const shown = httpErrorOf(error);
    if (shown.status === 500) request.log.error({ err: error }, "internal error");
    return send({ status: shown.status, headers: shown.headers, body: bodyOf(shown) }, reply);
  }

  function respond(request: FastifyRequest, reply: FastifyReply) {
    const call = request.call ?? callOf(request);
    call.body = request.body;
    const answer = steps.respond(call);
    // Promises only where there is something to wait for: they are a good part of the cost of a lookup.
    return answer instanceof Promise ? answer.then((its) => send(its, reply)) : send(answer, reply);
  }

  app.decorateRequest("call", undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, parseJson);
  // Before the body is read: only a valid key within its limit can make the service parse anything.
  app.addHook("onRequest", (request, _reply, done) => {
    const call = callOf(request);
    request.call = call;
    try {
      call.caller = steps.identify(call);
    } catch (error) {
      done(error as Error);
      return;
    }
    const { allowed } = request.routeOptions.config;
    const tooLong = (request.raw.url?.length ?? 0) > limits.urlCharacters;
    const error = allowed !== undefined ? wrongMethod(allowed) : tooLong ? protocolError(414) : undefined;
    steps.admit(call, call.caller).then(() => done(error), done);
  });
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.setErrorHandler((error, request, reply) => fail(error, request, reply));
  app.setNotFoundHandler(respond);
  app.server.on("checkExpectation", (_request, response) => {
    const error = protocolError(417);
    const body = JSON.stringify(bodyOf(error));
    const headers = { "content-type": contentType, "content-length": body.length };
    response.writeHead(error.status, headers).end(body);
  });
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  for (const { method, url, route } of routes) {
    app.route({ method, url, config: { route }, handler: respond });
    const allowed = method === "GET" ? "GET, HEAD" : method;
    const others = app.supportedMethods.filter((other) => !allowed.split(", ").includes(other));
    app.route({ method: others, url, config: { allowed }, handler: respond });
  }
  return app;
}

function callOf(request: FastifyRequest): ServiceRequest {
  const url = request.raw.url ?? "/";
  const question = url.indexOf("?");
  return {
    route: request.routeOptions.config.route ?? "none",
    query: question === -1 ? "" : url.slice(question + 1),
    headers: request.headers,
    parameters: (request.params ?? {}) as Record<string, string>,
    body: undefined,
    caller: undefined,
  };
}

/** Unlike Fastify's own parser, rejects JSON that is not well-formed UTF-8. */
function parseJson(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  let parsed: unknown;
  try {
    if (!isUtf8(body)) throw new SyntaxError("not UTF-8");
    // A member named __proto__ is harmless: no member of the body is copied to another object.
    parsed = JSON.parse(body.toString());
  } catch {
    done(protocolError(400));
    return;
  }
  done(null, parsed);
}

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

/** Error body of the spec. */
const bodyOf = ({ code, message }: HttpError) => ({ error: { code, message } });

/** What the client sees of an error: unexpected ones become 500 without details. */
function httpErrorOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status === 404) return notFound("There is no such endpoint.");
  return status >= 400 && status < 500 ? protocolError(status) : internalError();
}

const connectionErrors: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers bytes that never became a request, such as headers that are too large, and closes the connection. */
function answerConnectionError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const shown = protocolError(connectionErrors[error.code ?? ""] ?? 400);
  const body = JSON.stringify(bodyOf(shown));
  const head = [
    `HTTP/1.1 ${shown.status} ${STATUS_CODES[shown.status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** Of W3C Trace Context: hexadecimal digits, so nothing else gets into the log by it. */
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** JSON log lines without URLs and other headers: a client may have put a key into either. */
function loggerTo(write: (line: string) => void) {
  return {
    level: "info",
    stream: { write },
    serializers: {
      req: (request: FastifyRequest) => ({
        method: request.method,
        route: request.routeOptions.url ?? "none",
        ...(traceparent.test(String(request.headers.traceparent)) && {
          traceparent: request.headers.traceparent,
        }),
      }),
      res: (reply: Pick<FastifyReply, "statusCode">) => ({ statusCode: reply.statusCode }),
    },
  };
}
