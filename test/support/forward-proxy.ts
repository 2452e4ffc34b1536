import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

interface ForwardProxy extends AsyncDisposable {
  readonly port: number;
  /** The requests that it received: `CONNECT host:port`, or method and address. */
  readonly requests: readonly string[];
}

/** A company proxy: CONNECT and plain requests, optional credentials; it resolves every name to this machine. */
export async function startForwardProxy(credentials?: string): Promise<ForwardProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const wanted =
    credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  const isAuthorized = ({ method, url, headers }: IncomingMessage): boolean => {
    requests.push(`${method} ${url}`);
    return wanted === undefined || headers["proxy-authorization"] === wanted;
  };
  const server = createServer((request, response) => {
    if (!isAuthorized(request)) return void response.writeHead(407, { "proxy-authenticate": "Basic" }).end();
    const { pathname, search, port, host } = new URL(request.url ?? "");
    const { "proxy-authorization": _own, ...headers } = request.headers;
    const to = {
      host: "127.0.0.1",
      port,
      path: pathname + search,
      method: request.method,
      headers: { ...headers, host },
    };
    const forward = httpRequest(to, (back) => {
      response.writeHead(back.statusCode ?? 502, back.headers);
      back.pipe(response);
    });
    forward.on("error", () => response.writeHead(502).end());
    request.pipe(forward);
  });
  server.on("connect", (request, client: Socket, head) => {
    client.on("error", () => undefined);
    if (!isAuthorized(request)) return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const target = connect(Number((request.url ?? "").split(":").at(-1)), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on("error", () => client.destroy());
    client.on("close", () => target.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
