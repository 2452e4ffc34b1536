import { type TransportFailure, transportFailureWords } from "../../schemas/words/transport.ts";

/** A request as it is sent. */
export interface RequestAsSent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

interface TransportErrorOptions extends ErrorOptions {
  readonly nothingReceived?: boolean;
  readonly request?: RequestAsSent;
}

/** No complete response arrived. Names the failure, the URL and the fix. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly failure: TransportFailure;
  readonly url: string;
  readonly fix: string;
  /** Whether the connection ended before the head of a response was complete. */
  readonly nothingReceived: boolean;
  /** Without keys. */
  readonly request: RequestAsSent | undefined;

  constructor(
    failure: TransportFailure,
    url: string,
    { nothingReceived = false, request, ...options }: TransportErrorOptions = {},
  ) {
    super(`${failure}: ${url}`, options);
    this.failure = failure;
    this.nothingReceived = nothingReceived;
    this.url = url;
    this.request = request;
    this.fix = transportFailureWords(failure).fix;
  }
}

/** Classifies an error of undici, Node's sockets, TLS or zlib. Through a proxy, failures to connect are the proxy's. */
export function classifyTransportFailure(error: unknown, isProxied = false): TransportFailure {
  for (const { code, name } of causes(error)) {
    if (isProxied && byCodeOfProxy.has(code)) return "proxy";
    const failure = byCode[code] ?? byName[name];
    if (failure !== undefined) return failure;
    if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI")) return "undecodable";
    if (/^ERR_SSL_.*(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER)/.test(code))
      return "not TLS";
    if (/^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(code)) return "client certificate";
    if (/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return "TLS";
  }
  return "reset";
}

/**
 * Whether a server that ends an HTTP/2 connection has not processed a request (RFC 9113, 6.8): then it may be sent again,
 * whatever it is. undici does so once; a gateway that allows few streams refuses the same request several times.
 */
export function isUnprocessed({ cause, nothingReceived }: TransportError): boolean {
  // undici's code for an end without an error, as GOAWAY with NO_ERROR; with another code it is UND_ERR_SOCKET.
  return nothingReceived && cause instanceof Error && "code" in cause && cause.code === "UND_ERR_INFO";
}

/** The proxy cannot be reached, or refuses to connect. */
const byCodeOfProxy: ReadonlySet<string> = new Set([
  ..."ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT".split(" "),
  ..."UND_ERR_ABORTED UND_ERR_INVALID_ARG UND_ERR_PRX_TLS".split(" "),
]);

const byCode: Record<string, TransportFailure> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "unknown host",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EMFILE: "open files",
  ENFILE: "open files",
  EADDRNOTAVAIL: "no free port",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "silent",
  UND_ERR_CONNECT_TIMEOUT: "silent",
  UND_ERR_HEADERS_TIMEOUT: "silent",
  UND_ERR_BODY_TIMEOUT: "silent",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "too big",
  ERR_BUFFER_TOO_LARGE: "too big",
  UND_ERR_HEADERS_OVERFLOW: "headers too big",
  UND_ERR_SOCKET: "reset",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "body length",
  CERT_HAS_EXPIRED: "certificate expired",
  CERT_NOT_YET_VALID: "certificate not yet valid",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate of an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate of an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "certificate of an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate of an unknown authority",
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
