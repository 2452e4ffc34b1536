import { isIP } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from "undici";
import { maxBodyBytes } from "../../schemas/api.ts";
import { type Connection, connectionSettings, settingNames, settingText } from "../../schemas/connection.ts";
import type { Target } from "./target.ts";

/** Most bytes of the headers of a response. k6 reads as many. */
const maxHeadBytes = 10 * 1024 * 1024;

/** The open connections to a target: what a client uses of undici's. */
export interface Connections extends Pick<Dispatcher, "destroy"> {
  request(options: Dispatcher.RequestOptions): Promise<
    Pick<Dispatcher.ResponseData, "statusCode" | "headers"> & {
      readonly body: Pick<Dispatcher.ResponseData["body"], "arrayBuffer">;
    }
  >;
}

/** Opens the connections of one run to a target: directly or through its proxy. */
export function openConnections(target: Target): Connections {
  const { baseUrl, timeoutMilliseconds: timeout, connection = {} } = target;
  const { hostname, protocol } = new URL(baseUrl);
  const { allowH2 = true, ...own } = nodeOptions(connection);
  const name = isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? { servername: hostname } : {};
  const tls = protocol === "https:" && {
    ...own,
    // Created once: loading all authorities for each connection would take longer than the handshake.
    secureContext: createSecureContext({ ...own, ca: [...trustedAuthorities(), ...(connection.ca ?? [])] }),
    ...name,
  };
  const connectTimeout = Math.min(timeout, 5000);
  const toTarget = { timeout: connectTimeout, allowH2, ...tls };
  const connect = buildConnector(toTarget);
  const common = {
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: maxBodyBytes,
    keepAliveTimeout: 4000,
    pipelining: 1,
    allowH2,
    maxHeaderSize: maxHeadBytes,
  };
  if (connection.proxy !== undefined)
    return new ProxyAgent({ ...common, uri: connection.proxy, connectTimeout, requestTls: toTarget });
  return new Agent({
    ...common,
    // A configured Host header must not change the name that the certificate is verified against.
    connect: ({ servername: _ofHost, ...asked }, done) =>
      connect({ ...asked, ...name } as typeof asked, done),
  });
}

/** The settings as options of Node's TLS and of undici. */
function nodeOptions(connection: Connection): { cert?: string; key?: string; allowH2?: boolean } {
  const options = {};
  for (const name of settingNames) {
    const { node } = connectionSettings[name];
    const text = settingText(name, connection);
    if (text !== undefined) Object.assign(options, typeof node === "string" ? { [node]: text } : node);
  }
  return options;
}

/** The authorities of Node, with those of NODE_EXTRA_CA_CERTS, and of the system. k6 trusts the same. */
export function trustedAuthorities(): string[] {
  return [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
}
