/** An error response, as far as it shows who gave it. */
export interface GatewayResponse {
  readonly status: number;
  /** Value of a header by its name in Go's canonical form, or undefined. */
  readonly header: (name: "Content-Type" | "Server" | "Via" | "X-Amzn-Errortype") => string | undefined;
  readonly text: string;
}

/** Statuses by which gateways say that the service behind them did not respond, or that they refuse more requests. */
const gatewayStatuses: readonly number[] = [502, 503, 504];
const jsonStatuses: readonly number[] = [429, 502, 503, 504];

/** How the values of `server` begin that gateways send. Frameworks send one as well, and their error pages are the service's own. */
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

/** How Envoy's own error texts begin. */
const envoyTexts: readonly string[] = [
  "upstream connect error",
  "upstream request timeout",
  "no healthy upstream",
  "stream timeout",
  "local_rate_limited",
];

/** Sentences of HAProxy's own pages, which come without a `server` header. */
const haproxyTexts: readonly string[] = [
  "The server returned an invalid or incomplete response.",
  "No server is available to handle this request.",
  "The server didn't respond in time.",
  "You have sent too many requests in a given amount of time.",
];

/**
 * The gateway that gave a response in the service's place, or undefined when the response may be the service's own. Only
 * what gateways write themselves counts:
 *
 * - a page of HTML with 502, 503 or 504 and the `server` or `via` of a gateway, or with any error status when it names that
 *   `server` in its text, as those of nginx, Apache and Squid do;
 * - Envoy's and HAProxy's own texts; a `message` in JSON by Kong or Amazon API Gateway; the statuses of Cloudflare alone.
 *
 * No patterns, since k6 compiles each of them again for every virtual user.
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
