import { grouped } from "./format.ts";

/** Why no complete HTTP response was received: what happened, and how to fix it. */
const transportFailures = {
  refused: {
    text: "connection refused",
    fix: "Check that the service runs there, and the host and port of the base URL.",
  },
  "unknown host": { text: "the host name does not resolve", fix: "Correct the base URL or the name server." },
  silent: {
    text: "no response came in time",
    fix: "Check whether the service hangs, whether a firewall drops what is sent, and whether something in front of it waits for more, as after a 103 (Early Hints) that it does not know; or raise the timeout: targets.<name>.timeoutMilliseconds in the config; under load, maxResponseSeconds of the profile.",
  },
  reset: {
    text: "the connection was closed before the response was complete",
    fix: "Check the log of the service, and any proxy in between. A server also closes it where its port is for https, or where it requires a client certificate.",
  },
  "too big": {
    text: "the response is larger than shelfcheck reads",
    fix: "Check what the service sends: a lookup or a category page should not be that large.",
  },
  "headers too big": {
    text: "the headers of the response are larger than shelfcheck reads (10 MiB)",
    fix: "Check which headers the service, or a proxy in between, adds.",
  },
  proxy: {
    text: "the proxy cannot be reached, or refuses the request",
    fix: "Start the proxy, or correct its address and credentials: HTTP_PROXY, HTTPS_PROXY. To bypass it, put the host in NO_PROXY.",
  },
  "not HTTP": {
    text: "what came is not HTTP/1.1, or is malformed (RFC 9112)",
    fix: "Correct the scheme and port of the base URL. If they are right, look at the response with `curl -i --raw`.",
  },
  "body length": {
    text: "Content-Length does not fit the body, or has different values (RFC 9112, 6.3)",
    fix: "No client knows where such a response ends. Check what the service, and a proxy in between, add.",
  },
  chunks: {
    text: "the chunks of the body are not as Node.js reads them (RFC 9112, 7.1)",
    fix: "Another client may read it; shelfcheck does not. Look at it with `curl -i --raw`, and check what the service, and a proxy in between, send.",
  },
  undecodable: {
    text: "the body does not match its Content-Encoding",
    fix: "Check what compresses the responses.",
  },
  TLS: {
    text: "the TLS handshake failed",
    fix: "Check the scheme, and the TLS versions and ciphers that the server accepts.",
  },
  "not TLS": {
    text: "the server does not speak TLS",
    fix: "The port is probably for http: use http:// in the base URL, or the port for https.",
  },
  "certificate expired": {
    text: "the server's certificate has expired",
    fix: "Renew the server's certificate. If this is known, set insecure: true in the target's entry; every report then states it.",
  },
  "certificate not yet valid": {
    text: "the server's certificate is not valid yet",
    fix: "Check the clock of this machine, and from when the server's certificate is valid.",
  },
  "certificate for another name": {
    text: "the server's certificate is for another name",
    fix: "Use a name that the certificate is for in the base URL.",
  },
  "certificate self-signed": {
    text: "the server's certificate is self-signed",
    fix: "Set ca in the target's entry, or SHELFCHECK_CA, to the file with that certificate.",
  },
  "certificate of an unknown authority": {
    text: "the server's certificate is from an authority that is not trusted here",
    fix: "Set ca in the target's entry, SHELFCHECK_CA or NODE_EXTRA_CA_CERTS to the file with the authority's certificate.",
  },
  "client certificate": {
    text: "the server requires a client certificate, and did not accept one from shelfcheck",
    fix: "Set clientCertificate and clientKey in the target's entry to a pair that the server accepts.",
  },
  "open files": {
    text: "this machine has too many open files for another connection",
    fix: "Raise its limit of open files (ulimit -n), or send fewer requests at once.",
  },
  "no free port": {
    text: "this machine has no free address or port for the connection",
    fix: "Send fewer requests at once, or split the load across machines. If the target's address is IPv6, check that this machine has an IPv6 address too.",
  },
  unreachable: { text: "there is no route to the host", fix: "Check the network, a VPN or a firewall." },
  // What k6 alone cannot do.
  "beyond k6": {
    text: "k6 does not read chunk sizes, chunk extensions or trailers of this length",
    fix: "If conformance reads what the service sends, HTTP allows it. To send load, shorten what is added to the chunks of a body.",
  },
  "shared connection": {
    text: "no response came in time, most of which the requests waited for an HTTP/2 connection",
    fix: "Run it over HTTP/1.1 (`SHELFCHECK_HTTP2=off`): if the server ends a connection after some requests, k6 waits before it sends the others again.",
  },
} as const;

export type TransportFailure = keyof typeof transportFailures;

/** The words of a transport failure; an unknown kind is shown by its name. */
export function transportFailureWords(failure: string): { readonly text: string; readonly fix: string } {
  return Object.hasOwn(transportFailures, failure)
    ? transportFailures[failure as TransportFailure]
    : { text: failure, fix: "Run `npx shelfcheck doctor`." };
}

/** Transport failures by kind; a single kind needs no count. */
export function transportFailuresText(times: Readonly<Record<string, number>>): string {
  const all = Object.entries(times);
  const often = (count: number) => (all.length === 1 ? "" : ` (${grouped(count)})`);
  return all.map(([name, count]) => transportFailureWords(name).text + often(count)).join(", ");
}

/** `40 with 413, 1 with another status` */
export function withStatuses(counts: readonly (readonly [status: string, count: number])[]): string {
  return counts
    .map(([status, count]) => `${grouped(count)} with ${status === "other" ? "another status" : status}`)
    .join(", ");
}
