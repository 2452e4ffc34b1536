import { gatewayOf } from "../../schemas/gateway.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";

/** The parts of a k6 response that show why there is no response of the service. */
export interface FailedResponse {
  /** 0 without an HTTP response, or if its body could not be decompressed. */
  readonly status: number;
  readonly error_code: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Kinds of failure without an HTTP response. */
export const failures = [
  "refused",
  "reset",
  "silent",
  "TLS",
  "unknown host",
  "proxy",
] as const satisfies readonly TransportFailure[];

type Failure = (typeof failures)[number];

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
  if (code === 1050 || code === 1211) return "silent";
  if (code === 1212) return "refused";
  if (code >= 1100 && code < 1200) return "unknown host";
  return code >= 1300 && code < 1400 ? "TLS" : "reset";
}

/** Status texts of a proxy that refuses to open a tunnel. k6's error text is only this text then. */
const refusalsOfProxies: readonly string[] = [
  "Proxy Authentication Required",
  "Bad Gateway",
  "Service Unavailable",
  "Gateway Timeout",
];

/** The gateway that responded in place of the service, or `proxy` if one did not pass the request on. */
export function gatewayIn(response: FailedResponse): string | undefined {
  const { status, headers, body } = response;
  if (status === 0) return !isUndecodable(response) && failureOf(response) === "proxy" ? "proxy" : undefined;
  // Nearly all responses are not from a gateway, so this path must allocate nothing.
  return status < 400 ? undefined : gatewayOf({ status, header: (name) => headers[name], text: body ?? "" });
}
