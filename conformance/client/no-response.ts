import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";

export interface RequestAsSent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** No complete response arrived. Names the failure and the request, without keys. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly failure: TransportFailure;
  readonly request: RequestAsSent;
  /** Whether the connection ended before the head of a response was complete. */
  readonly nothingReceived: boolean;

  constructor(
    failure: TransportFailure,
    request: RequestAsSent,
    { nothingReceived = false, ...options }: ErrorOptions & { readonly nothingReceived?: boolean } = {},
  ) {
    super(`${failure}: ${request.url}`, options);
    this.failure = failure;
    this.request = request;
    this.nothingReceived = nothingReceived;
  }
}

/** For errors of undici, Node's sockets, TLS, zlib. Through a proxy, failures to connect are the proxy's. */
export function classifyTransportFailure(error: unknown, isProxied = false): TransportFailure {
  for (const name of namesIn(error)) {
    if (isProxied && ofProxy.test(name)) return "proxy";
    const known = failures.find(([, names]) => names.test(name));
    if (known !== undefined) return known[0];
  }
  return "reset";
}

/**
 * Whether a server ended an HTTP/2 connection before it processed a request (RFC 9113, 6.8), which may then
 * be sent again. undici does so once; a gateway with few streams refuses the same request several times.
 */
export function isUnprocessed({ cause, nothingReceived }: TransportError): boolean {
  // undici's code for an end without an error, as GOAWAY with NO_ERROR; with another one, UND_ERR_SOCKET.
  return nothingReceived && cause instanceof Error && "code" in cause && cause.code === "UND_ERR_INFO";
}

/** The proxy cannot be reached, or refuses to connect. */
const ofProxy =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|UND_ERR_(CONNECT_TIMEOUT|ABORTED|INVALID_ARG|PRX_TLS))$/;

/** The codes and names of errors for each failure; the first one that fits counts. */
const failures: readonly (readonly [TransportFailure, RegExp])[] = [
  ["refused", /^ECONNREFUSED$/],
  ["unknown host", /^(ENOTFOUND|EAI_AGAIN)$/],
  ["unreachable", /^E(HOST|NET)UNREACH$/],
  ["open files", /^E[MN]FILE$/],
  ["no free port", /^EADDRNOTAVAIL$/],
  ["reset", /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/],
  ["silent", /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|TimeoutError)$/],
  ["too big", /^(UND_ERR_RES_EXCEEDED_MAX_SIZE|ERR_BUFFER_TOO_LARGE)$/],
  ["headers too big", /^UND_ERR_HEADERS_OVERFLOW$/],
  ["body length", /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/],
  ["not HTTP", /^HTTPParserError$/],
  ["undecodable", /^(Z_|ERR_BROTLI)/],
  ["certificate expired", /^CERT_HAS_EXPIRED$/],
  ["certificate not yet valid", /^CERT_NOT_YET_VALID$/],
  ["certificate for another name", /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ["certificate self-signed", /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
  [
    "certificate of an unknown authority",
    /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)_.+)$/,
  ],
  ["not TLS", /^ERR_SSL_.*(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER)/],
  ["client certificate", /^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/],
  ["TLS", /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/],
];

/** The code and the name of an error and its causes, the outermost first. */
function* namesIn(error: unknown, depth = 0): Generator<string> {
  if (!(error instanceof Error) || depth === 5) return;
  if ("code" in error) yield String(error.code);
  yield error.name;
  if (error instanceof AggregateError) for (const inner of error.errors) yield* namesIn(inner, depth + 1);
  yield* namesIn(error.cause, depth + 1);
}

/** The target is gone, limits, or hangs; the key is refused; or a budget is spent. */
export type NoResponseReason = FindingOf<
  | "budget-spent"
  | "endpoint-silent"
  | "key-rejected-since"
  | "no-answer"
  | "still-rate-limited"
  | "target-unavailable"
  | "wait-too-long"
>;

/** No response came that a caller could use. What that says of the target is for others to judge. */
export class NoResponse extends Error {
  override readonly name: string = "NoResponse";
  readonly reason: NoResponseReason;
  constructor(reason: NoResponseReason) {
    super(reason.code);
    this.reason = reason;
  }
}

/** The run's budget of requests, of seconds, or of megabytes of response bodies, is spent. */
export class BudgetSpent extends NoResponse {
  override readonly name = "BudgetSpent";
  constructor(budget: number, unit: "requests" | "seconds" | "megabytes" = "requests") {
    super({ code: "budget-spent", subject: unit, expected: budget });
  }
}
