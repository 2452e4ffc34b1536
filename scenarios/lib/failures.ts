import { gatewayOf } from "../../schemas/gateway.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";

/** A response as k6 has it, as far as it shows why there is none of the service. */
export interface FailedResponse {
  /** 0 when there was no HTTP response, or when its body could not be decompressed. */
  readonly status: number;
  readonly error_code: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** How a request can fail that got no HTTP response. */
export const failures = [
  "refused",
  "reset",
  "silent",
  "TLS",
  "unknown host",
  "proxy",
] as const satisfies readonly TransportFailure[];

type Failure = (typeof failures)[number];

/** k6's error code of a body that is not what its Content-Encoding says. */
const undecodable = 1701;

/** Whether a response came that k6 could not decompress, so that it has status 0 as if none had come. */
export function isUndecodable({ error_code: code }: Pick<FailedResponse, "error_code">): boolean {
  return code === undecodable;
}

/** How a request failed that got no HTTP response, by k6's error code and text. */
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

/** Status texts with which a proxy refuses to open a tunnel: they are the whole of k6's error text then. */
const refusalsOfProxies: readonly string[] = [
  "Proxy Authentication Required",
  "Bad Gateway",
  "Service Unavailable",
  "Gateway Timeout",
];

/** The gateway that gave a response in the service's place, or `proxy` where one failed to hand the request on. */
export function gatewayIn(response: FailedResponse): string | undefined {
  const { status, headers, body } = response;
  if (status === 0) return !isUndecodable(response) && failureOf(response) === "proxy" ? "proxy" : undefined;
  // Nearly all responses are none of a gateway: no function is made for them.
  return status < 400 ? undefined : gatewayOf({ status, header: (name) => headers[name], text: body ?? "" });
}
