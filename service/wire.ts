import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { EndpointId } from "../schemas/api.ts";

// A fault or a variant as a change of requests and responses.

/** A request as it came in. */
export interface WireRequest {
  readonly method: string;
  /** As it was sent, without the query: `/v1/retailers`. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Absent for a request that came over no connection. */
  readonly connection?: WireConnection | undefined;
}

/** The connection that a request came over. Times are those of `performance.now()`. */
export interface WireConnection {
  /** Counts from 1. */
  readonly id: number;
  readonly openedAt: number;
}

/** A response as it goes out. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Closes the connection, without a word, after this time without another request on it. */
  readonly closeAfterMilliseconds?: number;
}

/** Handles a request. */
export type Send = (request: WireRequest) => Promise<WireResponse>;

/** Two keys of one organization, one of another, and one to every retailer that nobody else learns. */
export type WireKeys = Readonly<Record<"primary" | "sameOrg" | "otherOrg" | "all", string>>;

/** Wraps the handler of requests. It is applied at every start, so it remembers nothing from earlier runs. */
export type WireChange = (send: Send, keys: WireKeys) => Send;

/** The endpoint of a request; `other` for any other path, and for a query with two modes or none. */
export function endpointOf({ method, path, query }: WireRequest): EndpointId | "other" {
  if (method === "POST" && path === "/v1/products/batch-lookup") return "batch";
  if (method !== "GET") return "other";
  if (path === "/v1/retailers") return "retailers";
  if (/^\/v1\/products\/[^/]+\/[^/]+$/.test(path)) return "lookup-by-id";
  if (path !== "/v1/products") return "other";
  const parameters = new URLSearchParams(query);
  const modes = Object.keys(endpointOfMode).filter((name) => parameters.has(name));
  const [mode = "", another] = modes;
  return another === undefined ? (endpointOfMode[mode] ?? "other") : "other";
}

const endpointOfMode: Readonly<Record<string, EndpointId>> = {
  url: "lookup-by-url",
  gtin: "lookup-by-gtin",
  category: "category-page",
};

/** Applies changes to the handler of requests, the first one innermost. */
export function applyChanges(send: Send, changes: readonly WireChange[], keys: WireKeys): Send {
  return changes.reduce((inner, change) => change(inner, keys), send);
}

/** A server that responds by `send`. If `send` returns no response, it closes the connection. */
export function serverOf(send: Send, options: ServerOptions = {}): Server {
  const server = createServer(options, (incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => outgoing.destroy());
  });

  const connections = new WeakMap<Socket, WireConnection>();
  const closing = new WeakMap<Socket, NodeJS.Timeout>();
  let opened = 0;
  server.on("connection", (socket: Socket) => {
    connections.set(socket, { id: ++opened, openedAt: performance.now() });
  });

  async function relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", socket } = incoming;
    clearTimeout(closing.get(socket));
    const connection = connections.get(socket);
    const { status, headers, body, closeAfterMilliseconds } = await send({
      method,
      ...splitUrl(url),
      headers: endToEndHeaders(incoming.headers),
      body: await boundedBody(incoming),
      connection,
    });
    if (closeAfterMilliseconds !== undefined)
      outgoing.once("finish", () =>
        closing.set(
          socket,
          setTimeout(() => socket.destroy(), closeAfterMilliseconds),
        ),
      );
    outgoing.statusCode = status;
    outgoing.setHeaders(new Map(Object.entries(headers)));
    // A server that stops waits for its connections.
    outgoing.shouldKeepAlive &&= server.listening;
    outgoing.end(body);
  }
  return server;
}

/** More than a service reads of a body; the rest is dropped, so that it does not fill the memory. */
const mostBodyBytes = 8 * 1024 * 1024;

async function boundedBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (length <= mostBodyBytes) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}

/** The path and the query of a request, as they were sent. */
export function splitUrl(url: string): Pick<WireRequest, "path" | "query"> {
  const question = url.indexOf("?");
  if (question === -1) return { path: url, query: "" };
  return { path: url.slice(0, question), query: url.slice(question + 1) };
}

const hopByHop = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "host",
  "content-length",
]);

/** The headers that concern the message and not the connection, each as one text. */
export function endToEndHeaders(
  headers: IncomingHttpHeaders | Readonly<Record<string, string | number | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopByHop.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : `${value}`]],
    ),
  );
}
