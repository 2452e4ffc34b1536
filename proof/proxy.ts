import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, type Dispatcher, EnvHttpProxyAgent, interceptors } from "undici";
import type { Target } from "../conformance/client/target.ts";
import {
  endToEndHeaders,
  serverOf,
  type WireChange,
  type WireRequest,
  type WireResponse,
} from "../service/wire.ts";
import { noting } from "./effect.ts";

/** A running proxy. */
export interface Proxy extends AsyncDisposable {
  /** http://127.0.0.1:PORT/v1, in front of the target's base URL. */
  readonly baseUrl: string;
  /** Whether the proxy has changed any response of the target. */
  readonly hasChanged: () => boolean;
}

/**
 * Starts a proxy on 127.0.0.1 that applies a change to the requests and responses of a target. Keys are sent only to
 * the target.
 */
export async function startProxy(target: Target, change: WireChange): Promise<Proxy> {
  const { hostname } = new URL(target.baseUrl);
  const loopback = hostname === "localhost" || hostname.startsWith("127.");
  const agent: Dispatcher = loopback ? new Agent() : new EnvHttpProxyAgent();
  // Changes need uncompressed text, and a target may compress its error responses too.
  const dispatcher = agent.compose(interceptors.decompress({ skipErrorResponses: false }));
  let changed = false;
  const noted = noting(change, () => {
    changed = true;
  });
  const server = serverOf(noted((request) => ask(request, target, dispatcher), target.keys));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    hasChanged: () => changed,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await agent.destroy();
    },
  };
}

async function ask(
  { method, path, query, headers, body }: WireRequest,
  { baseUrl, timeoutMilliseconds }: Target,
  dispatcher: Dispatcher,
): Promise<WireResponse> {
  const base = new URL(baseUrl);
  const below = path.replace(/^\/v1(?=\/|$)/, "");
  const response = await dispatcher.request({
    origin: base.origin,
    path: `${base.pathname.replace(/\/$/, "")}${below}${query === "" ? "" : `?${query}`}`,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body.length === 0 ? null : body,
    headersTimeout: timeoutMilliseconds,
    bodyTimeout: timeoutMilliseconds,
  });
  return {
    status: response.statusCode,
    headers: endToEndHeaders(response.headers),
    body: Buffer.from(await response.body.arrayBuffer()),
  };
}
