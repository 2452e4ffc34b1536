/** The parts of an error response that show whether a gateway sent it. */
export interface GatewayResponse {
  readonly status: number;
  /** Value of a header by its name in Go's canonical form, or undefined. */
  readonly header: (name: "Content-Type" | "Server" | "Via" | "X-Amzn-Errortype") => string | undefined;
  readonly text: string;
}

/** Statuses of gateways for a service that did not respond, or for too many requests. */
const gatewayStatuses: readonly number[] = [502, 503, 504];
const jsonStatuses: readonly number[] = [429, 502, 503, 504];

/** Beginnings of the `server` values of gateways. Frameworks send this header too, but their error pages are the service's own. */
const gateways: readonly string[] = [
  "nginx",
  "openresty",
  "apache",
  "caddy",
  "varnish",
  "haproxy",
  "squid",
  "envoy",
  "istio-envoy",
  "kong",
  "cloudflare",
  "cloudfront",
  "fastly",
  "akamaighost",
  "awselb",
  "google frontend",
  "microsoft-azure-application-gateway",
];

/** Beginnings of Envoy's error texts. */
const envoyTexts: readonly string[] = [
  "upstream connect error",
  "upstream request timeout",
  "no healthy upstream",
  "stream timeout",
  "local_rate_limited",
];

/** Sentences of HAProxy's error pages, which have no `server` header. */
const haproxyTexts: readonly string[] = [
  "The server returned an invalid or incomplete response.",
  "No server is available to handle this request.",
  "The server didn't respond in time.",
  "You have sent too many requests in a given amount of time.",
];

/**
 * The gateway that responded in place of the service, or undefined if the response may be the service's own. It is
 * recognized only by texts and headers of gateways:
 *
 * - an HTML page with 502, 503 or 504 and the `server` or `via` of a gateway, or with any error status if its text names
 *   that `server`, as the pages of nginx, Apache and Squid do;
 * - error texts of Envoy and HAProxy; a JSON `message` of Kong or Amazon API Gateway; statuses that only Cloudflare uses.
 *
 * Without regular expressions, because k6 compiles each of them for every virtual user.
 */
export function gatewayOf(response: GatewayResponse): string | undefined {
  const { status, header, text } = response;
  if (status < 400) return undefined;
  const server = header("Server") ?? "";
  const name = server.toLowerCase();
  const isGateway = gateways.some((one) => name.startsWith(one));
  const type = (header("Content-Type") ?? "").trimStart().toLowerCase();
  const body = text.trimStart();
  if (name === "cloudflare" && status >= 520 && status <= 530) return server;
  if (type.startsWith("text/html") && !isJson(body)) {
    const via = header("Via") ?? "";
    if (gatewayStatuses.includes(status) && (isGateway || via !== "")) return isGateway ? server : via;
    if (isGateway && body.includes(`>${server}`)) return server;
    return haproxyTexts.some((one) => body.includes(one)) ? "HAProxy" : undefined;
  }
  if (type.startsWith("text/plain"))
    return name.includes("envoy") && envoyTexts.some((one) => body.startsWith(one)) ? server : undefined;
  if (!jsonStatuses.includes(status) || !isJson(body) || body.includes('"error"')) return undefined;
  if (name.startsWith("kong")) return server;
  return header("X-Amzn-Errortype") === undefined ? undefined : "Amazon API Gateway";
}

function isJson(body: string): boolean {
  return body.startsWith("{") || body.startsWith("[");
}
