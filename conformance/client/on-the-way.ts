import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "./exchange.ts";

const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Values of `server` that gateways send. Frameworks send others; their error pages belong to the service. */
const gateway =
  /^(?:nginx|openresty|apache|caddy|varnish|haproxy|(?:istio-)?envoy|kong|cloudflare|cloudfront|fastly|akamaighost|awselb|google frontend|microsoft-azure-application-gateway)/i;

/**
 * Whether a gateway responded in the service's place: an HTML page with 502, 503 or 504 and the `server` or `via`
 * header of a gateway, or an HTML page with any error status that also shows the gateway's name, as those of nginx,
 * Apache and Cloudflare do. Any other error page may be the service's own and is judged.
 */
export function isOfTheWay({ response: { status, headers, json, text } }: Exchange): boolean {
  const isPage = json === undefined && /^\s*text\/html\b/i.test(headers["content-type"] ?? "");
  if (!isPage || status < 400) return false;
  const { server = "", via } = headers;
  if (via !== undefined && gatewayStatuses.has(status)) return true;
  return gateway.test(server) && (gatewayStatuses.has(status) || text.includes(`>${server}`));
}

/** The finding on responses that gateways gave in the service's place; undefined when there are none. */
export function lossOnTheWay(exchanges: readonly Exchange[], total: number): Finding | undefined {
  const lost = exchanges.filter(isOfTheWay);
  const [first] = lost;
  if (first === undefined) return undefined;
  const byStatus = [...Map.groupBy(lost, ({ response }) => response.status)];
  return {
    code: "lost-on-the-way",
    subject: first.response.headers.server ?? first.response.headers.via ?? "",
    seen: { count: lost.length, total, of: "requests" },
    details: Object.fromEntries(byStatus.map(([status, { length }]) => [`${status}`, length])),
  };
}

/** Above this share of requests, a run says nothing about the service behind the gateway. */
const tolerableShare = 0.2;

/** Whether too many responses came from gateways to judge the service. */
export function isWayBroken({ seen }: Finding): boolean {
  return seen !== undefined && seen.count > tolerableShare * (seen.total ?? seen.count);
}
