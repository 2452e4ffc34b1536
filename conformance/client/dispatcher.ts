import { isIP } from "node:net";
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type PeerCertificate,
  type TLSSocket,
} from "node:tls";
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from "undici";
import type { Finding } from "../../schemas/types.ts";
import { maxBodyBytes } from "./exchange.ts";
import type { Target } from "./target.ts";
import type { Way } from "./way.ts";

/** Connections to a target, and what they showed of the way. */
export interface Connections {
  readonly dispatcher: Dispatcher;
  /** When the target's certificate ends; undefined before the first connection, and without TLS. */
  certificateEnds(): Date | undefined;
}

/** The connections of one run to a target, by its way. */
export function openConnections(target: Target): Connections {
  const { baseUrl, timeoutMilliseconds: timeout, way = {}, proxy } = target;
  const { hostname, protocol } = new URL(baseUrl);
  let certificate: PeerCertificate | undefined;
  const isTls = protocol === "https:";
  const name = way.tls?.serverName ?? (isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? hostname : undefined);
  const tls = isTls ? { ...tlsOptions(way), ...(name === undefined ? {} : { servername: name }) } : {};
  const common = {
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: maxBodyBytes,
    keepAliveTimeout: 4000,
    pipelining: 1,
    allowH2: way.http2 !== false,
  };
  const connectTimeout = Math.min(timeout, 5000);
  const connect = buildConnector({ timeout: connectTimeout, allowH2: way.http2 !== false, ...tls });
  const dispatcher =
    proxy === undefined
      ? new Agent({
          ...common,
          connect: (options, done) => {
            // Fixed: a Host of the way's own must not change the name that the certificate is checked for.
            const { servername: _ofHost, ...asked } = options;
            connect(
              { ...asked, ...(name === undefined ? {} : { servername: name }) } as typeof options,
              (error, socket) => {
                // Whatever its types say: of a failed connection undici hands over nothing else.
                if (!socket) return done(error ?? new Error("no socket"), null);
                if (isTls) certificate ??= (socket as TLSSocket).getPeerCertificate();
                done(null, socket);
              },
            );
          },
        })
      : new ProxyAgent({
          ...common,
          uri: proxy,
          connectTimeout,
          requestTls: { timeout: connectTimeout, allowH2: way.http2 !== false, ...tls },
        });
  return {
    dispatcher,
    certificateEnds: () => (certificate?.valid_to === undefined ? undefined : new Date(certificate.valid_to)),
  };
}

function tlsOptions({ tls = {} }: Way) {
  const { authorities = [], certificate, key, passphrase, insecure = false } = tls;
  return {
    // Made once: reading all authorities anew for each connection would take longer than the handshake.
    secureContext: createSecureContext({
      ca: [...trustedAuthorities(), ...authorities],
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
      ...(passphrase === undefined ? {} : { passphrase }),
    }),
    rejectUnauthorized: !insecure,
  };
}

/** As k6 does, those of the system beside Node's own; NODE_EXTRA_CA_CERTS is among these. */
export function trustedAuthorities(): string[] {
  return [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
}

/** Days before its end from which a certificate is warned of. */
const daysToRenew = 14;
const dayMilliseconds = 24 * 3600 * 1000;

/** What the user should know of the way that a run took, whatever its verdict. */
export function noticesOfWay(
  { certificateEnds }: Pick<Connections, "certificateEnds">,
  { baseUrl, way }: Pick<Target, "baseUrl" | "way">,
  now = Date.now(),
): Finding[] {
  const ends = certificateEnds();
  if (way?.tls?.insecure === true && baseUrl.startsWith("https:")) return [{ code: "certificate-unchecked" }];
  const days = ends === undefined ? daysToRenew : Math.floor((ends.getTime() - now) / dayMilliseconds);
  return ends === undefined || days >= daysToRenew
    ? []
    : [{ code: "certificate-ends", actual: days, expected: ends.toISOString() }];
}

const handshakeMilliseconds = 2000;

/** Whether a port that speaks no HTTP speaks TLS. Nothing is asked there, and no certificate is believed. */
export async function speaksTls(baseUrl: string): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connectTls({
    host,
    port: Number(port || 80),
    rejectUnauthorized: false,
    timeout: handshakeMilliseconds,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  socket.on("secureConnect", () => resolve(true));
  socket.on("timeout", () => resolve(false));
  socket.on("error", () => resolve(false));
  return await promise.finally(() => socket.destroy());
}
