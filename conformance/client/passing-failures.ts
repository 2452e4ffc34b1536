import type { Finding } from "../../schemas/types.ts";
import { countsByStatus, type Exchange, requestName } from "./exchange.ts";
import { isFromGateway } from "./on-the-way.ts";

/**
 * The finding on requests that the service failed with 500 to 599, and responded to in another way when they were sent
 * again; undefined when there are none. A single failure violates no requirement (spec, Errors), but a user of the service
 * sees it.
 * @param total Number of requests of the run.
 */
export function passingFailures(exchanges: readonly Exchange[], total: number): Finding | undefined {
  const isOwn = (exchange: Exchange) => exchange.isOfBurst !== true && !isFromGateway(exchange);
  const failures = exchanges.filter((exchange) => exchange.response.status >= 500 && isOwn(exchange));
  if (failures.length === 0) return undefined;
  const nameOf = (exchange: Exchange) => `${exchange.caller} ${requestName(exchange)}`;
  const isOther = ({ response: { status } }: Exchange) => status < 500 && status !== 429;
  const others = new Set(exchanges.filter((one) => isOther(one) && isOwn(one)).map(nameOf));
  const passing = failures.filter((exchange) => others.has(nameOf(exchange)));
  return passing.length === 0
    ? undefined
    : { code: "failed-at-times", ...countsByStatus(passing, exchanges, total) };
}
