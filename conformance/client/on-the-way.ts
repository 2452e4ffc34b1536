import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "./exchange.ts";

const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Values of `server` that gateways send. Frameworks send one as well, and their error pages are the service's own. */
const gateway =
  /^(?:nginx|openresty|apache|caddy|varnish|haproxy|(?:istio-)?envoy|kong|cloudflare|cloudfront|fastly|akamaighost|awselb|google frontend|microsoft-azure-application-gateway)/i;

/**
 * Whether a gateway gave this response in the service's place: a page of HTML with 502, 503 or 504 and the `server` or `via`
 * of a gateway, or one with any error status that names that `server` in its text, as nginx, Apache and Cloudflare do. An
 * error page without that may be the service's own, and is held to the rules.
 */
export function isOfTheWay({ response: { status, headers, json, text } }: Exchange): boolean {
  const isPage = json === undefined && /^\s*text\/html\b/i.test(headers["content-type"] ?? "");
  if (!isPage || status < 400) return false;
  const { server = "", via } = headers;
  if (via !== undefined && gatewayStatuses.has(status)) return true;
  return gateway.test(server) && (gatewayStatuses.has(status) || text.includes(`>${server}`));
}

/** What was lost between here and the service, of all requests; undefined when nothing was. */
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

/** Share of the requests from which on a run says nothing of the service behind the way. */
const tolerableShare = 0.2;

/** Whether so much was lost that the run could not be made. */
export function isWayBroken({ seen }: Finding): boolean {
  return seen !== undefined && seen.count > tolerableShare * (seen.total ?? seen.count);
}
