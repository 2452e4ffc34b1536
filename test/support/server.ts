import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createSecureServer, type SecureServerOptions } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Server,
  type Socket,
} from "node:net";
import { buffer } from "node:stream/consumers";

/** A request that a test server received, with its whole body. */
export interface Received {
  /** Counts from 1. */
  readonly number: number;
  readonly method: string;
  /** Path and query, not decoded; the whole address for a forward proxy. */
  readonly url: string;
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
  readonly socket: Socket;
}

/** Responds to a request, or leaves it without a response. */
export type Handler = (request: Received, response: ServerResponse) => unknown;

export interface ServeOptions {
  /** Default: HTTP without TLS */
  readonly tls?: SecureServerOptions;
  /** Offers HTTP/2 in addition to HTTP/1.1; only with TLS. Default: false */
  readonly http2?: boolean;
  /** Address to listen on. Default: 127.0.0.1 */
  readonly host?: string;
  /** Path before /v1 in `baseUrl`. Default: empty */
  readonly prefix?: string;
  /** Handles CONNECT. */
  readonly connect?: (request: IncomingMessage, client: Socket, head: Buffer) => void;
}

/** A server on a free port, for one test or one row. Disposing of it ends all its connections; twice does no harm. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
  /** Scheme, host and port. */
  readonly url: string;
  /** With the path of the API. */
  readonly baseUrl: string;
}

/** A listening HTTP server, and the requests that it received. */
export interface TestServer extends Listening {
  readonly requests: readonly Received[];
}

/** The one HTTP server of all tests: each complete request is recorded and handed to the function, which responds. */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<TestServer> {
  const { tls, http2 = false, connect } = options;
  const requests: Received[] = [];
  let count = 0;

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = ++count;
    const { method = "", url = "", headers, httpVersion, socket } = incoming;
    // The client may disconnect at any time.
    response.on("error", () => undefined);
    const bytes = await buffer(incoming).catch(() => undefined);
    if (bytes === undefined) return;
    const request = { number, method, url, httpVersion, headers, body: bytes.toString(), bytes, socket };
    requests.push(request);
    await handler(request, response);
  }

  // HTTP/2 hands over compatible objects, whose types are others.
  const onRequest = (incoming: unknown, response: unknown): void =>
    void receive(incoming as IncomingMessage, response as ServerResponse);
  const server =
    tls === undefined
      ? createServer(onRequest)
      : http2
        ? createSecureServer({ allowHTTP1: true, ...tls }, onRequest)
        : createTlsServer(tls, onRequest);
  server.on("tlsClientError", () => undefined);
  if (connect !== undefined) server.on("connect", connect);
  return { ...(await listen(server as Server, { ...options, scheme: tls ? "https" : "http" })), requests };
}

/** Starts a TCP server that hands each connection to the function; by default none gets a byte. */
export async function serveSockets(
  accept: (socket: Socket) => unknown = () => undefined,
): Promise<Listening> {
  return await listen(createSocketServer(accept));
}

/** Starts a server of any kind on a free port. */
export async function listen(
  server: Server,
  {
    host = "127.0.0.1",
    prefix = "",
    scheme = "http",
  }: Partial<Record<"host" | "prefix" | "scheme", string>> = {},
): Promise<Listening> {
  const sockets = new Set<Socket>();
  for (const event of ["connection", "secureConnection"])
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    port,
    url,
    baseUrl: `${url}${prefix}/v1`,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A port that most likely nothing has: of those that the system gives out, a free one may be another test's a moment later. */
export function freePort(): number {
  return randomInt(10_000, 32_000);
}

/** A base URL at which nothing listens. */
export const deadBaseUrl = "http://127.0.0.1:1/v1";

/** Sends a JSON response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** How a request is changed before the service behind gets it, and the response on its way back. */
interface PassOnOptions {
  /** Path of the relay that the service does not have. Default: empty */
  readonly prefix?: string;
  /** Headers that are added to the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers of a connection, which end with it. */
const ofConnection = ["connection", "keep-alive", "transfer-encoding", "host", "proxy-authorization"];

/** The response of the service at this address to a request. It rejects when the service does not respond. */
export async function askBehind(
  request: Pick<Received, "url" | "method" | "headers" | "bytes">,
  { hostname, port }: Pick<URL, "hostname" | "port">,
  prefix = "",
): Promise<IncomingMessage> {
  const own = Object.entries(request.headers).filter(
    ([name]) => !name.startsWith(":") && !ofConnection.includes(name),
  );
  const headers: IncomingHttpHeaders = { ...Object.fromEntries(own), host: `${hostname}:${port}` };
  // A connection that is kept could close while it is chosen for a further request.
  const [path, { method }] = [request.url.slice(prefix.length), request];
  const to = { hostname, port, path, method, headers, agent: false };
  const forward = httpRequest(to).end(request.bytes);
  const [back] = (await once(forward, "response")) as [IncomingMessage];
  for (const name of ofConnection) delete back.headers[name];
  return back;
}

/** Sends a request to the service at this address, whose response goes to the client. */
export async function passOn(
  request: Received,
  response: ServerResponse,
  behind: Pick<URL, "hostname" | "port">,
  { headers, prefix }: PassOnOptions = {},
): Promise<void> {
  try {
    const back = await askBehind(request, behind, prefix);
    response.writeHead(back.statusCode ?? 502, { ...back.headers, ...headers });
    back.pipe(response);
  } catch {
    response.destroy();
  }
}

/** Responds itself and returns true, or returns false to have the request passed on. */
export type Intercept = (request: Received, response: ServerResponse) => boolean;

/** Starts a gateway in front of a service: another address, TLS, a path, and responses of its own. */
export async function startRelay(
  upstream: string,
  intercept: Intercept = () => false,
  options: ServeOptions = {},
): Promise<TestServer> {
  const behind = new URL(upstream);
  return await serve((request, response) => {
    if (intercept(request, response)) return;
    const { prefix = "" } = options;
    if (request.url.startsWith(prefix)) passOn(request, response, behind, { prefix });
    else response.writeHead(404, { "content-type": "text/html" }).end("<h1>404 Not Found</h1>");
  }, options);
}

/** Starts a company proxy: CONNECT and plain requests, with credentials; it resolves every name to this machine. */
export async function startForwardProxy(
  credentials: string,
): Promise<AsyncDisposable & { readonly port: number; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const wanted = `Basic ${Buffer.from(credentials).toString("base64")}`;
  const isAuthorized = ({ method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">) => {
    asked.push(`${method} ${url}`);
    return headers["proxy-authorization"] === wanted;
  };
  const proxy = await serve(
    (request, response) => {
      if (!isAuthorized(request)) response.writeHead(407, { "proxy-authenticate": "Basic" }).end();
      else {
        const { pathname, search, port } = new URL(request.url);
        passOn({ ...request, url: pathname + search }, response, { hostname: "127.0.0.1", port });
      }
    },
    {
      connect(request, client, head) {
        client.on("error", () => undefined);
        if (!isAuthorized(request))
          return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
        const target = connect(Number((request.url ?? "").split(":").at(-1)), "127.0.0.1", () => {
          client.write("HTTP/1.1 200 Connection established\r\n\r\n");
          target.write(head);
          target.pipe(client).pipe(target);
        });
        target.on("error", () => client.destroy());
        client.on("close", () => target.destroy());
      },
    },
  );
  return { ...proxy, asked };
}
