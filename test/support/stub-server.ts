import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";

/** A request that a stub received. */
export interface Arrived {
  readonly method: string;
  /** Path and query, not decoded. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server for one test on a free port of 127.0.0.1. */
export interface StubServer extends AsyncDisposable {
  /** With the segment /v1. */
  readonly baseUrl: string;
  readonly port: number;
}

/** An HTTP server that records the requests it receives. */
export interface HttpStub extends StubServer {
  readonly arrived: readonly Arrived[];
}

/** Starts an HTTP server. Each complete request is recorded and passed to the function, which writes the response. */
export async function startHttpStub(
  answer: (request: Arrived, response: ServerResponse) => void | Promise<void>,
): Promise<HttpStub> {
  const arrived: Arrived[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    const request = { method, url, headers, body: await text(incoming) };
    arrived.push(request);
    await answer(request, response);
  });
  return { ...(await listen(server, () => server.closeAllConnections())), arrived };
}

/** Starts a TCP server that passes each connection to the function. */
export async function startSocketStub(accept: (socket: Socket) => void): Promise<StubServer> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    // The client may disconnect at any time.
    socket.on("error", () => undefined);
    accept(socket);
  });
  return await listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** Writes a JSON response. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** A base URL whose port nothing listens on. */
export async function closedBaseUrl(): Promise<string> {
  await using stub = await startSocketStub(() => undefined);
  return stub.baseUrl;
}

/** Starts a server of any kind as a stub. */
export async function listen(server: Server, endConnections: () => void): Promise<StubServer> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      endConnections();
      await closed;
    },
  };
}
