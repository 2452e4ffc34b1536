/** Why no whole HTTP answer came. */
export type TransportFailure =
  | "refused"
  | "unknown host"
  | "silent"
  | "reset"
  | "too big"
  | "not HTTP"
  | "undecodable"
  | "TLS"
  | "unreachable";

const fixes: Record<TransportFailure, string> = {
  refused: "Nothing listens there: start the service, or correct the host and port of the base URL.",
  "unknown host": "The host name does not resolve: correct the base URL or the name server.",
  silent:
    "The service accepted the connection and did not answer in time: is it hanging, or is a longer timeoutMilliseconds needed?",
  reset:
    "The connection was closed before the answer was complete: look at the service's log and at any proxy in between.",
  "too big":
    "The answer is larger than this tool reads: ask for a smaller page, or look at what the service sends.",
  "not HTTP": "What answers there does not speak HTTP/1.1: correct the scheme and port of the base URL.",
  undecodable: "The body is not what its Content-Encoding says: look at what compresses the answers.",
  TLS: "The TLS handshake failed: check the scheme, the certificate, and NODE_EXTRA_CA_CERTS for a private authority.",
  unreachable: "No route to the host: check the network, a VPN or a firewall.",
};

/** No whole answer to a request. Says which failure it was, at which URL, and the fix. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly failure: TransportFailure;
  readonly url: string;
  readonly fix: string;

  constructor(failure: TransportFailure, url: string, options?: ErrorOptions) {
    super(`${failure}: ${url}`, options);
    this.failure = failure;
    this.url = url;
    this.fix = fixes[failure];
  }
}

/** Sorts what undici, Node's sockets, TLS and zlib throw into one of our failures. */
export function classifyTransportFailure(error: unknown): TransportFailure {
  for (const { code, name } of causes(error)) {
    const failure = byCode[code] ?? byName[name];
    if (failure !== undefined) return failure;
    if (code.startsWith("HPE_")) return "not HTTP";
    if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI")) return "undecodable";
    if (/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return "TLS";
  }
  return "reset";
}

const byCode: Record<string, TransportFailure> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "unknown host",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "silent",
  UND_ERR_CONNECT_TIMEOUT: "silent",
  UND_ERR_HEADERS_TIMEOUT: "silent",
  UND_ERR_BODY_TIMEOUT: "silent",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "too big",
  ERR_BUFFER_TOO_LARGE: "too big",
  UND_ERR_HEADERS_OVERFLOW: "not HTTP",
  HPE_HEADER_OVERFLOW: "too big",
  UND_ERR_SOCKET: "reset",
};

const byName: Record<string, TransportFailure> = { TimeoutError: "silent", HTTPParserError: "not HTTP" };

function* causes(error: unknown): Generator<{ code: string; name: string }> {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const code = "code" in current && typeof current.code === "string" ? current.code : "";
    yield { code, name: current.name };
    if (current instanceof AggregateError) for (const inner of current.errors) yield* causes(inner);
    current = current.cause;
  }
}
