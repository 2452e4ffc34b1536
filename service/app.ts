import { isUtf8 } from "node:buffer";
import { METHODS, type ServerOptions, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Answer, Call, Endpoint } from "./call.ts";
import { internalError, notFound, Refusal, refusalAnswer } from "./errors.ts";
import type { Steps } from "./steps.ts";
import { changedServer, type Send, sendInto } from "./wire.ts";

declare module "fastify" {
  interface FastifyRequest {
    call: Call | undefined;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
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

/** The endpoints of the spec. */
export const routes: readonly { method: string; url: string; endpoint: Exclude<Endpoint, "none"> }[] = [
  { method: "GET", url: "/v1/retailers", endpoint: "retailers" },
  { method: "GET", url: "/v1/products/:retailer/:product_id", endpoint: "product" },
  { method: "GET", url: "/v1/products", endpoint: "products" },
  { method: "POST", url: "/v1/products/batch-lookup", endpoint: "batch" },
];

const contentType = "application/json; charset=utf-8";

/**
 * The HTTP side: routes, limits, and the error shape of the spec for whatever the framework itself would refuse.
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

  // Promises only where there is something to wait for: they are a good part of the cost of a lookup.
  function finish(call: Call, answer: Answer, reply: FastifyReply) {
    const finished = steps.finish(call, answer);
    return finished instanceof Promise ? finished.then((its) => send(its, reply)) : send(finished, reply);
  }

  function send({ status, headers, body }: Answer, reply: FastifyReply) {
    reply.code(status).header("content-type", contentType);
    for (const name in headers) reply.header(name, headers[name]);
    if (closing) reply.header("connection", "close");
    return reply.send(body);
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalFor(error);
    if (refusal.status === 500) request.log.error({ err: error }, "internal error");
    return finish(request.call ?? callOf(request), refusalAnswer(refusal), reply);
  }

  function respond(request: FastifyRequest, reply: FastifyReply) {
    const call = request.call ?? callOf(request);
    call.body = request.body;
    const answer = steps.respond(call);
    return answer instanceof Promise
      ? answer.then((its) => finish(call, its, reply))
      : finish(call, answer, reply);
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
    const refusal = allowed !== undefined ? wrongMethod(allowed) : tooLong ? httpRefusal(414) : undefined;
    steps.admit(call, call.caller).then(() => done(refusal), done);
  });
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.setErrorHandler((error, request, reply) => fail(error, request, reply));
  app.setNotFoundHandler(respond);
  app.server.on("checkExpectation", (_request, response) => {
    const refusal = httpRefusal(417);
    const body = JSON.stringify(refusalAnswer(refusal).body);
    const headers = { "content-type": contentType, "content-length": body.length };
    response.writeHead(refusal.status, headers).end(body);
  });
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  for (const { method, url, endpoint } of routes) {
    app.route({ method, url, config: { endpoint }, handler: respond });
    const allowed = method === "GET" ? "GET, HEAD" : method;
    const others = app.supportedMethods.filter((other) => !allowed.split(", ").includes(other));
    app.route({ method: others, url, config: { allowed }, handler: respond });
  }
  return app;
}

function callOf(request: FastifyRequest): Call {
  const url = request.raw.url ?? "/";
  const question = url.indexOf("?");
  return {
    endpoint: request.routeOptions.config.endpoint ?? "none",
    method: request.method,
    path: question === -1 ? url : url.slice(0, question),
    query: question === -1 ? "" : url.slice(question + 1),
    headers: request.headers,
    parameters: (request.params ?? {}) as Record<string, string>,
    body: undefined,
    caller: undefined,
  };
}

/** Unlike Fastify's own parser, refuses JSON that is not well-formed UTF-8. */
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
    done(httpRefusal(400));
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

function httpRefusal(status: number, headers: Record<string, string> = {}): Refusal {
  return new Refusal(status, messages[status] ?? "The request is malformed.", headers);
}

function wrongMethod(allowed: string): Refusal {
  return new Refusal(405, `This path answers ${allowed} only.`, { allow: allowed });
}

/** What the client sees of an error: unexpected ones become 500 without details. */
function refusalFor(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status === 404) return notFound("There is no such endpoint.");
  return status >= 400 && status < 500 ? httpRefusal(status) : internalError();
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
  const refusal = httpRefusal(connectionErrors[error.code ?? ""] ?? 400);
  const body = JSON.stringify(refusalAnswer(refusal).body);
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** JSON log lines without URLs and headers: a client may have put a key into either. */
function loggerTo(write: (line: string) => void) {
  return {
    level: "info",
    stream: { write },
    serializers: {
      req: (request: FastifyRequest) => ({
        method: request.method,
        route: request.routeOptions.url ?? "none",
      }),
      res: (reply: Pick<FastifyReply, "statusCode">) => ({ statusCode: reply.statusCode }),
    },
  };
}
