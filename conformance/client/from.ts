import type { FindingOf } from "../../schemas/contracts/finding.ts";
import {
  cacheIn,
  isErrorShape,
  isOutage,
  type Responder,
  strangerOf,
  withKnownName,
} from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import type { Exchange } from "./exchange.ts";

// What one response says of who gave it. Nothing is learned from others.

type OneResponse = Pick<Exchange, "response">;

/** Who gave a response, as far as it says so itself; undefined for the service. */
export function fromOf({ response }: OneResponse): Responder {
  const cache = cacheIn(response.headers);
  const shown = cache === undefined ? undefined : ({ by: "cache", cache } as const);
  const isOwn = response.status < 300 || isErrorShape(response.json);
  return isOwn ? shown : { ...shown, ...withKnownName(strangerOf(response.headers), response) };
}

/**
 * Whether the service cannot be reached now: a status of an outage, not in the service's error shape. A
 * gateway returns it for a service that is down, so it is asked again and decides nothing alone.
 */
export function isLostOnTheWay({ response: { status, json } }: OneResponse): boolean {
  return isOutage(status) && !isErrorShape(json);
}

/** The finding on such a response. */
export function answeredOnTheWay(exchange: OneResponse): FindingOf<"answered-on-the-way"> {
  const name = fromOf(exchange)?.name;
  return {
    code: "answered-on-the-way",
    ...given({ subject: name }),
    actual: exchange.response.status,
  };
}
