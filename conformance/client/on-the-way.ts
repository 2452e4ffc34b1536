import { gatewayOf } from "../../schemas/gateway.ts";
import type { Finding } from "../../schemas/types.ts";
import { countsByStatus, type Exchange } from "./exchange.ts";

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
export function lossOnTheWay(exchanges: readonly Exchange[], total: number): Finding | undefined {
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
export function tooManyLost({ seen, details = {} }: Finding): boolean {
  const lost = Object.entries(details)
    .filter(([status]) => status === "429" || Number(status) >= 500)
    .reduce((sum, [, count]) => sum + Number(count), 0);
  return seen !== undefined && lost > tolerableShare * (seen.total ?? seen.count);
}
