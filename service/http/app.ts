import { METHODS } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Answer, Call, Endpoint } from "../call.ts";
import { refusalAnswer } from "../refusal.ts";
import type { Steps } from "../steps.ts";
import { answerConnectionError } from "./connection-error.ts";
import { httpRefusal, refusalFor, wrongMethod } from "./http-refusal.ts";
import { parseJson } from "./json-body.ts";
import { logTo } from "./log.ts";
import { responseSchemas } from "./response-schemas.ts";

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

/** Limits of the transport; the spec shows none of them. */
const limits = {
  bodyBytes: 256 * 1024,
  headerBytes: 16 * 1024,
  urlCharacters: 8 * 1024,
  /** Longest time for a whole request to arrive. */
  requestMilliseconds: 10_000,
};

/** The endpoints of the spec. */
export const routes: readonly { method: string; url: string; endpoint: Exclude<Endpoint, "none"> }[] = [
  { method: "GET", url: "/v1/retailers", endpoint: "retailers" },
  { method: "GET", url: "/v1/products/:retailer/:product_id", endpoint: "product" },
  { method: "GET", url: "/v1/products", endpoint: "products" },
  { method: "POST", url: "/v1/products/batch-lookup", endpoint: "batch" },
];

/** The HTTP side: routes, limits, and one shape for every error that the framework would answer by itself. */
export function createApp(steps: Steps, log?: (line: string) => void): FastifyInstance {
  const app: FastifyInstance = Fastify({
    ...(log !== undefined && { logger: logTo(log) }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMilliseconds,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.requestMilliseconds,
      connectionsCheckingInterval: 1000,
      // Node would answer a missing Host by itself, with an empty body.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: limits.urlCharacters, querystringParser: () => ({}) },
    clientErrorHandler: answerConnectionError,
    frameworkErrors: (error, request, reply) => {
      fail(error, request as FastifyRequest, reply as FastifyReply);
    },
  });

  // Promises only where there is something to wait for: they are a good part of what a lookup costs.
  function finish(call: Call, answer: Answer, reply: FastifyReply) {
    const finished = steps.finish(call, answer);
    return finished instanceof Promise ? finished.then((its) => send(its, reply)) : send(finished, reply);
  }

  function send({ status, headers, body }: Answer, reply: FastifyReply) {
    reply.code(status).header("content-type", "application/json; charset=utf-8");
    for (const name in headers) reply.header(name, headers[name]);
    return reply.send(body);
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalFor(error);
    if (refusal.status === 500) request.log.error({ err: error }, "unforeseen");
    return finish(request.call ?? callOf(request), refusalAnswer(refusal), reply);
  }

  app.decorateRequest("call", undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, parseJson);
  // Before the body is read: nobody without a key, or above the limit, can make the service parse anything.
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
  app.setErrorHandler((error, request, reply) => fail(error, request, reply));
  app.setNotFoundHandler(respond);
  app.server.on("checkExpectation", (_request, response) => {
    const refusal = httpRefusal(417);
    const body = JSON.stringify(refusalAnswer(refusal).body);
    const headers = { "content-type": "application/json; charset=utf-8", "content-length": body.length };
    response.writeHead(refusal.status, headers).end(body);
  });

  function respond(request: FastifyRequest, reply: FastifyReply) {
    const call = request.call ?? callOf(request);
    call.body = request.body;
    const answer = steps.respond(call);
    return answer instanceof Promise
      ? answer.then((its) => finish(call, its, reply))
      : finish(call, answer, reply);
  }

  addMethods(app);
  for (const { method, url, endpoint } of routes) {
    app.route({
      method,
      url,
      schema: { response: responseSchemas[endpoint] },
      config: { endpoint },
      handler: respond,
    });
    const allowed = method === "GET" ? "GET, HEAD" : method;
    const others = app.supportedMethods.filter((other) => !allowed.split(", ").includes(other));
    app.route({ method: others, url, config: { allowed }, handler: respond });
  }
  return app;
}

function addMethods(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
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
