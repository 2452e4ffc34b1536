/** The parts of an error response that show whether a gateway sent it. */
export interface GatewayResponse {
  readonly status: number;
  /** Value of a header by its name in Go's canonical form, or undefined. */
  readonly header: (name: GatewayHeaderName) => string | undefined;
  readonly text: string;
}

type GatewayHeaderName =
  | "Content-Type"
  | "Server"
  | "Via"
  | "X-Amzn-Errortype"
  | "L5d-Proxy-Error"
  | "Etag"
  | "X-Powered-By"
  | "X-Content-Type-Options";

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

/** Load balancers with these `server` values pass the service's own value on, so they set theirs only on their own pages. */
const ownPagesOnly: readonly string[] = ["awselb", "akamaighost", "microsoft-azure-application-gateway"];

/** Beginnings of Envoy's error texts that no other program sends. */
const envoyTexts: readonly string[] = [
  "upstream connect error or disconnect/reset before headers",
  "upstream request timeout",
  "no healthy upstream",
];
/** Beginnings of other error texts of Envoy. */
const shortEnvoyTexts: readonly string[] = ["upstream connect error", "stream timeout", "local_rate_limited"];

/** The complete error texts of Traefik, by status. */
const traefikTexts: Readonly<Record<number, string>> = { 502: "Bad Gateway", 504: "Gateway Timeout" };

/** Sentences of HAProxy's error pages, which have no `server` header. */
const haproxyTexts: readonly string[] = [
  "The server returned an invalid or incomplete response.",
  "No server is available to handle this request.",
  "The server didn't respond in time.",
  "You have sent too many requests in a given amount of time.",
];

/**
 * The gateway that responded in place of the service, or undefined if the response may be the service's own. It is
 * recognized only by texts and headers of gateways, and never for JSON in the service's error shape:
 *
 * - an HTML page with 502, 503 or 504 and the `server` or `via` of a gateway, or with any error status if its text names
 *   that `server`, as the pages of nginx, Apache and Squid do;
 * - error texts of Envoy, HAProxy and Traefik; empty responses of Caddy and Linkerd;
 * - a JSON `message` of Kong or Amazon API Gateway; statuses that only Cloudflare uses.
 *
 * Without regular expressions, because k6 compiles each of them for every virtual user.
 */
export function gatewayOf(response: GatewayResponse): string | undefined {
  const { status, header, text } = response;
  if (status < 400) return undefined;
  const server = header("Server") ?? "";
  const name = server.toLowerCase();
  const body = text.trimStart();
  if (name === "cloudflare" && status >= 520 && status <= 530) return server;
  if (isJson(body)) return gatewayOfJson(response, server, name);
  const isUnavailable = gatewayStatuses.includes(status);
  if (isUnavailable && header("L5d-Proxy-Error") !== undefined) return "Linkerd";
  // Caddy adds `via` to what the service sent.
  if (isUnavailable && body === "" && name.startsWith("caddy") && header("Via") === undefined) return server;
  const type = (header("Content-Type") ?? "").trimStart().toLowerCase();
  if (type.startsWith("text/html")) return gatewayOfPage(response, server, name);
  return type.startsWith("text/plain") ? gatewayOfText(response, server, name) : undefined;
}

function gatewayOfPage({ status, header, text }: GatewayResponse, server: string, name: string) {
  const isGateway = gateways.some((one) => name.startsWith(one));
  const via = header("Via") ?? "";
  if (gatewayStatuses.includes(status) && (isGateway || via !== "")) return isGateway ? server : via;
  const namesItself = isGateway && (text.includes(`>${server}`) || text.includes(`(${server})`));
  if (namesItself || ownPagesOnly.some((one) => name.startsWith(one))) return server;
  return haproxyTexts.some((one) => text.includes(one)) ? "HAProxy" : undefined;
}

function gatewayOfText({ status, header, text }: GatewayResponse, server: string, name: string) {
  const begins = (texts: readonly string[]) => texts.some((one) => text.startsWith(one));
  if (name.includes("envoy")) return begins(envoyTexts) || begins(shortEnvoyTexts) ? server : undefined;
  if (gatewayStatuses.includes(status) && begins(envoyTexts)) return "Envoy";
  // Traefik has no header of its own. Frameworks that send the same text add at least one of these.
  const ofFramework = (["Server", "Etag", "X-Powered-By", "X-Content-Type-Options"] as const).some(
    (one) => header(one) !== undefined,
  );
  const isGoText = header("Content-Type") === "text/plain; charset=utf-8";
  return !ofFramework && isGoText && text === traefikTexts[status] ? "Traefik" : undefined;
}

function gatewayOfJson({ status, header, text }: GatewayResponse, server: string, name: string) {
  if (!jsonStatuses.includes(status) || text.includes('"error"')) return undefined;
  if (name.startsWith("kong")) return server;
  return header("X-Amzn-Errortype") === undefined ? undefined : "Amazon API Gateway";
}

function isJson(body: string): boolean {
  return body.startsWith("{") || body.startsWith("[");
}
