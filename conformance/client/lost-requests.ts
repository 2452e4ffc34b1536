import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { gatewayOf } from "../../schemas/gateway.ts";
import { countsByStatus, type Exchange, requestName } from "./exchange.ts";

/** The gateway that gave this response in the service's place; undefined when it may be the service's own. */
export function gatewayIn({
  response: { status, headers, text },
}: Pick<Exchange, "response">): string | undefined {
  return gatewayOf({ status, header: (name) => headers[name.toLowerCase()], text });
}

/** Whether a gateway gave this response in the service's place. An error that may be the service's own is judged. */
export function isFromGateway(exchange: Exchange): boolean {
  return gatewayIn(exchange) !== undefined;
}

/**
 * The finding on responses that gateways gave in the service's place; undefined when there are none. A gateway's
 * refusals of the deliberate burst do not count.
 */
export function lostRequests(
  exchanges: readonly Exchange[],
  total: number,
): FindingOf<"lost-on-the-way"> | undefined {
  const lost = exchanges.filter((exchange) => exchange.isOfBurst !== true && isFromGateway(exchange));
  const [first] = lost;
  if (first === undefined) return undefined;
  return {
    code: "lost-on-the-way",
    subject: gatewayIn(first) ?? "",
    ...countsByStatus(lost, exchanges, total),
  };
}

/** Above this share of requests, a run says nothing about the service behind the gateway. */
const tolerableShare = 0.2;

/**
 * Whether too many requests were lost at gateways to judge the service. A gateway that refuses requests of a kind, as with
 * 413, lets the others through.
 */
export function tooManyLost({ seen, details }: FindingOf<"lost-on-the-way">): boolean {
  const lost = Object.entries(details)
    .filter(([status]) => status === "429" || Number(status) >= 500)
    .reduce((sum, [, count]) => sum + count, 0);
  return seen !== undefined && lost > tolerableShare * (seen.total ?? seen.count);
}

function isOwn(exchange: Exchange): boolean {
  return exchange.isOfBurst !== true && !isFromGateway(exchange);
}

/** Requests that the service itself failed with 500 to 599. */
function ownFailures(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter((exchange) => exchange.response.status >= 500 && isOwn(exchange));
}

/** How many requests of a run the service failed, of those outside of bursts; undefined when there are none. */
export function failedRequests(
  exchanges: readonly Exchange[],
  total: number,
): { count: number; total: number } | undefined {
  const { length } = ownFailures(exchanges);
  const bursts = exchanges.filter(({ isOfBurst }) => isOfBurst === true).length;
  return length === 0 ? undefined : { count: length, total: total - bursts };
}

/**
 * The finding on requests that the service failed with 500 to 599, and responded to in another way when they were sent
 * again; undefined when there are none. A single failure violates no requirement (spec, Errors), but a user of the service
 * sees it.
 * @param total Number of requests of the run.
 */
export function passingFailures(exchanges: readonly Exchange[], total: number): Finding | undefined {
  const failures = ownFailures(exchanges);
  if (failures.length === 0) return undefined;
  const nameOf = (exchange: Exchange) => `${exchange.caller} ${requestName(exchange)}`;
  const isOther = ({ response: { status } }: Exchange) => status < 500 && status !== 429;
  const others = new Set(exchanges.filter((one) => isOther(one) && isOwn(one)).map(nameOf));
  const passing = failures.filter((exchange) => others.has(nameOf(exchange)));
  return passing.length === 0
    ? undefined
    : { code: "failed-at-times", ...countsByStatus(passing, exchanges, total) };
}
