import type { ClientExchange } from "../lab/exchange.ts";
import { itemsOf, kindOf } from "../lab/request.ts";

/**
 * Tells of a request whether a later one asks for what it asked for: of a batch, for one of its items. The requests are read
 * once, because a client may send thousands.
 */
export function repetitionsOf(exchanges: readonly ClientExchange[]): (earlier: ClientExchange) => boolean {
  const last = new Map<string, number>();
  for (const exchange of exchanges) {
    for (const name of namesOf(exchange)) last.set(name, exchange.index);
  }
  return (earlier) => namesOf(earlier).some((name) => (last.get(name) ?? -1) > earlier.index);
}

function namesOf(exchange: ClientExchange): string[] {
  if (kindOf(exchange) !== "batch") return [exchange.target];
  return [
    exchange.target,
    ...(itemsOf(exchange.request) ?? []).map((item) => `item ${JSON.stringify(item)}`),
  ];
}
