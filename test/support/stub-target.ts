import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";

/** A test server on a free port of 127.0.0.1. */
export interface StubTarget extends AsyncDisposable {
  readonly baseUrl: string;
}

async function listen(server: Server, endConnections: () => void): Promise<StubTarget> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      endConnections();
      await closed;
    },
  };
}

/** Starts a server that responds by a function. */
export async function startStub(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<StubTarget> {
  const server = createServer(answer);
  return listen(server, () => server.closeAllConnections());
}

/** Starts a server that accepts connections and never responds. */
export async function startSilentStub(): Promise<StubTarget> {
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  return listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** A base URL on which nothing listens. */
export async function deadBaseUrl(): Promise<string> {
  await using stub = await startSilentStub();
  return stub.baseUrl;
}

/** What a relay does with one request: pass it on, never respond, or cut the connection. */
type Relayed = "pass" | "hold" | "cut";

interface RelayOptions {
  /** Base URL of the service behind it, ending in /v1. */
  readonly upstream: string;
  /** The keys that clients send, each with the real key that replaces it upstream. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Called for each request; `number` counts from 1. */
  readonly decide?: (request: IncomingMessage, number: number) => Relayed;
  /** Echoes the client's key in a header, as a careless service might. */
  readonly echo?: boolean;
}

/** Starts a relay between the command line and a service. */
export async function startRelay({
  upstream,
  keys = {},
  decide,
  echo = false,
}: RelayOptions): Promise<StubTarget> {
  const { host } = new URL(upstream);
  let count = 0;
  return startStub((incoming, outgoing) => {
    count++;
    switch (decide?.(incoming, count) ?? "pass") {
      case "hold":
        return;
      case "cut":
        incoming.socket.destroy();
        return;
      case "pass":
        relay(incoming, outgoing);
    }
  });

  function relay(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { headers, sent } = swapKeys(incoming.headers);
    const forward = httpRequest(`http://${host}`, { path: incoming.url, method: incoming.method, headers });
    forward.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, {
        ...answer.headers,
        ...(echo ? { "x-echo": sent } : {}),
      });
      answer.pipe(outgoing);
    });
    forward.on("error", () => outgoing.destroy());
    incoming.pipe(forward);
  }

  function swapKeys(original: IncomingMessage["headers"]) {
    const headers: IncomingMessage["headers"] = { ...original, host };
    let sent = "";
    for (const name of ["authorization", "x-api-key"] as const) {
      const value = headers[name];
      if (typeof value !== "string") continue;
      sent = value;
      const found = Object.entries(keys).find(([key]) => value.endsWith(key));
      if (found !== undefined) headers[name] = value.replace(found[0], found[1]);
    }
    return { headers, sent };
  }
}
