/** Why no complete HTTP response was received: what happened, and how to fix it. */
const transportFailures = {
  refused: {
    text: "the connection was refused",
    fix: "Nothing listens there: start the service, or correct the host and port of the base URL.",
  },
  "unknown host": {
    text: "the host name does not resolve",
    fix: "Correct the base URL or the name server.",
  },
  silent: {
    text: "no response came in time",
    fix: "The service accepted the connection but did not respond in time: check whether it hangs, or raise timeoutMilliseconds.",
  },
  reset: {
    text: "the connection was closed before the response was complete",
    fix: "Check the log of the service, and any proxy in between.",
  },
  "too big": {
    text: "the response is larger than shelfcheck reads",
    fix: "Check what the service sends: a lookup or a category page should not be that large.",
  },
  "headers too big": {
    text: "the headers of the response are larger than shelfcheck reads (16 KiB)",
    fix: "Check which headers the service, or a proxy in between, adds.",
  },
  proxy: {
    text: "the proxy cannot be reached, or refuses the request",
    fix: "Start the proxy, correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY.",
  },
  "not HTTP": {
    text: "the response is not HTTP/1.1",
    fix: "Correct the scheme and port of the base URL.",
  },
  undecodable: {
    text: "the body does not match its Content-Encoding",
    fix: "Check what compresses the responses.",
  },
  TLS: {
    text: "the TLS handshake failed",
    fix: "Check the scheme, and what the server takes: versions, ciphers, the name that it is asked for (serverName).",
  },
  "not TLS": {
    text: "what answers speaks no TLS",
    fix: "It is most likely a port for http: write http:// in the base URL, or give the port for https.",
  },
  "needs TLS": {
    text: "what answers speaks TLS only",
    fix: "It is a port for https: write https:// in the base URL, or give the port for http.",
  },
  "certificate expired": {
    text: "the certificate of the server has expired",
    fix: "Have the server's certificate renewed. If this is known: insecure: true in the target's entry, which every report states.",
  },
  "certificate not yet valid": {
    text: "the certificate of the server is not valid yet",
    fix: "Look at the clock of this machine, and at the first day of the server's certificate.",
  },
  "certificate for another name": {
    text: "the certificate of the server is for another name",
    fix: "Ask by a name that the certificate is for: in the base URL, or by serverName in the target's entry.",
  },
  "certificate self-signed": {
    text: "the server signed its certificate itself",
    fix: "Name the file with that certificate as ca in the target's entry, or SHELFCHECK_CA.",
  },
  "certificate of an unknown authority": {
    text: "the certificate of the server is of an authority that is not trusted here",
    fix: "Name the file with the authority's certificate as ca in the target's entry, or by SHELFCHECK_CA or NODE_EXTRA_CA_CERTS.",
  },
  "client certificate": {
    text: "the server asks for a client certificate, and did not take ours",
    fix: "Set clientCertificate and clientKey in the target's entry to those that the server knows.",
  },
  "closed after TLS": {
    text: "the server closed the connection after the TLS handshake, before any response",
    fix: "A server that asks for a client certificate, and does not take ours, does so: set clientCertificate and clientKey in the target's entry. Else look at its log.",
  },
  unreachable: {
    text: "there is no route to the host",
    fix: "Check the network, a VPN or a firewall.",
  },
} as const;

/** A kind of transport failure. */
export type TransportFailure = keyof typeof transportFailures;

/** The words of a transport failure; those of an unknown one name it. */
export function transportFailureWords(failure: string): { readonly text: string; readonly fix: string } {
  return Object.hasOwn(transportFailures, failure)
    ? transportFailures[failure as TransportFailure]
    : { text: failure, fix: "Run `shelfcheck doctor`." };
}
