import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createSecureServer, type SecureServerOptions } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A gateway in front of a service: another address, TLS, a path prefix, own responses. */
interface FrontOptions {
  /** Base URL of the service behind it, ending in /v1. */
  readonly upstream: string;
  /** Default: 127.0.0.1 */
  readonly listen?: string;
  /** Path before /v1. Default: empty */
  readonly prefix?: string;
  readonly tls?: SecureServerOptions;
  /** Offers HTTP/2 in addition to HTTP/1.1; only with TLS. Default: false */
  readonly http2?: boolean;
  /** Responds itself and returns true, or returns false to pass the request on; `number` counts from 1. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse, number: number) => boolean;
}

export interface Front extends AsyncDisposable {
  readonly baseUrl: string;
  readonly port: number;
  /** HTTP versions of the received requests. */
  readonly versions: ReadonlySet<string>;
}

/** Starts a real server on a free port. It passes requests on to a service unless it responds itself. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const { upstream, listen = "127.0.0.1", prefix = "", tls, http2 = false, answer } = options;
  const behind = new URL(upstream);
  const versions = new Set<string>();
  let count = 0;

  function handle(request: IncomingMessage, response: ServerResponse): void {
    versions.add(request.httpVersion);
    count++;
    response.on("error", () => undefined);
    if (answer?.(request, response, count) === true) return;
    const path = request.url ?? "";
    if (!path.startsWith(prefix)) {
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>404 Not Found</h1>");
      return;
    }
    // Pseudo headers of HTTP/2 and headers of the connection are not passed on.
    const own = Object.entries(request.headers).filter(
      ([name]) => !name.startsWith(":") && name !== "connection",
    );
    const headers = { ...Object.fromEntries(own), host: behind.host };
    const forward = httpRequest(behind.origin, {
      path: path.slice(prefix.length),
      method: request.method,
      headers,
    });
    forward.on("response", (back) => {
      const { connection: _own, "keep-alive": _too, "transfer-encoding": _framing, ...handed } = back.headers;
      response.writeHead(back.statusCode ?? 502, handed);
      back.pipe(response);
    });
    forward.on("error", () => response.destroy());
    request.pipe(forward);
  }

  const onRequest = (request: unknown, response: unknown): void =>
    handle(request as IncomingMessage, response as ServerResponse);
  const server =
    tls === undefined
      ? createServer(onRequest)
      : http2
        ? createSecureServer({ allowHTTP1: true, ...tls }, onRequest)
        : createTlsServer(tls, onRequest);
  const sockets = new Set<{ destroy(): unknown }>();
  for (const event of ["connection", "secureConnection"])
    server.on(event, (socket: NonNullable<IncomingMessage["socket"]>) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    });
  server.on("tlsClientError", () => undefined);
  server.listen(0, listen);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const host = listen.includes(":") ? `[${listen}]` : listen;
  return {
    baseUrl: `${tls === undefined ? "http" : "https"}://${host}:${port}${prefix}/v1`,
    port,
    versions,
    async [Symbol.asyncDispose]() {
      const closed = once(server as Server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
