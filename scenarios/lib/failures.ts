import { isErrorShape, isOutage, type Responder, strangerOf } from "../../schemas/gateway.ts";
import { jsonIn } from "../../schemas/json.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";

/** The parts of a k6 response that show why there is no response of the service. */
export interface FailedResponse {
  /** 0 without an HTTP response, or if its body could not be decompressed. */
  readonly status: number;
  readonly error_code: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Milliseconds from the last time that it was sent: k6 sends it again after the connection has ended. */
  readonly timings: { readonly duration: number };
}

/** Kinds of failure without an HTTP response, of which the service or the network may be the cause. */
export const failures = [
  "refused",
  "reset",
  "silent",
  "TLS",
  "not HTTP",
] as const satisfies readonly TransportFailure[];

/**
 * It waited for an HTTP/2 connection for much of its time. A server may end one after some requests (GOAWAY):
 * k6 repeats the others on the next, after waits that double: each has under two thirds of all before.
 */
const onSharedConnection = "shared connection";

/** A request that was under way for this part of its time-out was sent once, and the service had it. */
const leastUnderWay = 0.75;

/** HTTP allows it and k6 does not read it: a chunk size of many digits, a long extension or trailer. */
const beyondK6 = "beyond k6";

/** They say nothing of the service: the target may not have been reached, or k6 cannot read the response. */
export const unsentFailures = [
  "proxy",
  "unknown host",
  "unreachable",
  "open files",
  "no free port",
  onSharedConnection,
  beyondK6,
] as const satisfies readonly (TransportFailure | typeof onSharedConnection | typeof beyondK6)[];

type Failure = (typeof failures)[number] | (typeof unsentFailures)[number];

/** Statuses by which requests lost on the way are counted; others are counted together. */
export const statusesOnTheWay = "502 503 504".split(" ");
/** Statuses of the target by which failed requests are counted; others are counted together. */
export const failedStatuses =
  "200 301 302 303 307 308 400 401 403 404 405 408 413 414 431 500 502 503 504".split(" ");

/** k6's error code for a body that does not match its Content-Encoding. */
const undecodable = 1701;

/** Whether a response arrived that k6 could not decompress. Its status is 0, as without any response. */
export function isUndecodable({ error_code: code }: Pick<FailedResponse, "error_code">): boolean {
  return code === undecodable;
}

/** The kind of failure of a request without an HTTP response, by k6's error code and text. */
export function failureOf({
  error_code: code,
  error,
}: Pick<FailedResponse, "error_code" | "error">): Failure {
  if (error.startsWith("proxyconnect") || refusalsOfProxies.includes(error)) return "proxy";
  const named = namedTexts.find(([text]) => error.includes(text));
  if (named !== undefined) return named[1];
  if (code === 1050 || code === 1211) return "silent";
  if (code === 1212) return "refused";
  if (code >= 1100 && code < 1200) return "unknown host";
  return code >= 1300 && code < 1400 ? "TLS" : "reset";
}

/** Of k6's error texts: it has no codes for these errors of the operating system, of TLS and of Go's HTTP. */
const namedTexts: readonly (readonly [text: string, failure: Failure])[] = [
  ["no such host", "unknown host"],
  ["no route to host", "unreachable"],
  ["network is unreachable", "unreachable"],
  ["too many open files", "open files"],
  ["cannot assign requested address", "no free port"],
  ["x509: ", "TLS"],
  ["remote error: tls: ", "TLS"],
  ["http chunk length too large", beyondK6],
  ["header line too long", beyondK6],
  ["suspiciously long trailer", beyondK6],
  ["malformed ", "not HTTP"],
  ["invalid byte in chunk length", "not HTTP"],
  ["bad Content-Length", "not HTTP"],
];

/** Status texts of a proxy that refuses to open a tunnel. k6's error text is only this text then. */
const refusalsOfProxies: readonly string[] = [
  "Proxy Authentication Required",
  "Bad Gateway",
  "Service Unavailable",
  "Gateway Timeout",
];

/**
 * Where a request was lost: "gateway" if something responded in place of the service, or one of
 * `unsentFailures`. Undefined if the service may be the cause.
 * @param timeout milliseconds after which it was given up, if other requests shared its HTTP/2 connection
 */
export function lostAt(response: FailedResponse, timeout = 0): string | undefined {
  const { status } = response;
  if (status === 0) {
    const failure = isUndecodable(response) ? undefined : failureOf(response);
    const isUnderWay = response.timings.duration >= timeout * leastUnderWay;
    if (failure === "silent" && !isUnderWay) return onSharedConnection;
    return unsentFailures.find((one) => one === failure);
  }
  // Nearly all responses are from the service, so this path must allocate nothing.
  return isOutage(status) && !isErrorShape(jsonIn(response.body ?? "")) ? "gateway" : undefined;
}

/** Who gave an error without the shape of the service's errors. */
export function strangerIn({
  status,
  headers,
  body,
}: Pick<FailedResponse, "status" | "headers" | "body">): Responder {
  return status < 300 || isErrorShape(jsonIn(body ?? "")) ? undefined : strangerOf(headers);
}
