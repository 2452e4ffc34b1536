import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "./exchange.ts";
import { isOfTheWay } from "./on-the-way.ts";

/**
 * The finding on requests that the service failed with 500 to 599, and responded to in another way when they were sent
 * again; undefined when there are none. A single failure violates no requirement (spec, Errors), but a user of the service
 * sees it.
 * @param total Number of requests of the run.
 */
export function passingFailures(exchanges: readonly Exchange[], total: number): Finding | undefined {
  const ownResponses = exchanges.filter((exchange) => exchange.isOfBurst !== true && !isOfTheWay(exchange));
  const nameOf = ({ caller, request: { method, url, body } }: Exchange) =>
    JSON.stringify([caller, method, url, body]);
  const isFailure = ({ response }: Exchange) => response.status >= 500;
  const succeeded = new Set(
    ownResponses.filter(({ response }) => response.status < 500 && response.status !== 429).map(nameOf),
  );
  const failures = ownResponses.filter((exchange) => isFailure(exchange) && succeeded.has(nameOf(exchange)));
  if (failures.length === 0) return undefined;
  const byStatus = [...Map.groupBy(failures, ({ response }) => response.status)];
  return {
    code: "failed-at-times",
    seen: { count: failures.length, total, of: "requests" },
    details: Object.fromEntries(byStatus.map(([status, { length }]) => [`${status}`, length])),
  };
}
