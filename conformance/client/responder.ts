import { errorCodeOf } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import {
  cacheIn,
  isErrorShape,
  isOutage,
  type Responder,
  strangerOf,
  withKnownName,
} from "../../schemas/gateway.ts";
import { given, isObject } from "../../schemas/json.ts";
import type { Exchange } from "./exchange.ts";

type Sent = Pick<Exchange, "response">;

/** Who gave the responses of a run, as far as they say it themselves. */
export interface Responders {
  of(exchange: Sent): Responder;
  /** Whether a response says nothing about the service; see `isNotJudged` below. */
  areSilentOn(exchange: Exchange): boolean;
}

/** The headers by which a program names itself, or what passed a response on. */
const naming = ["server", "via"] as const;

/** @param exchanges those of the run, to which more may be added later */
export function respondersOf(exchanges: readonly Exchange[]): Responders {
  let seen = 0;
  const ofSuccesses = new Set<string>();
  const namesIn = ({ response }: Sent): string =>
    naming.map((name) => response.headers[name] ?? "").join("\n");
  /** Whether `Server` or `Via` is unlike that of all successes so far. */
  function isOdd(exchange: Sent): boolean {
    for (const one of exchanges.slice(seen))
      if (one.response.status < 300 && isOwn(one)) ofSuccesses.add(namesIn(one));
    seen = exchanges.length;
    return ofSuccesses.size > 0 && !ofSuccesses.has(namesIn(exchange));
  }
  return {
    of(exchange) {
      const { response } = exchange;
      const cache = cacheIn(response.headers);
      const shown = cache === undefined ? undefined : ({ by: "cache", cache } as const);
      const mayBeOwn = response.status < 300 || isErrorShape(response.json);
      if (isOwn(exchange) || (mayBeOwn && !isOdd(exchange))) return shown;
      const stranger = strangerOf(response.headers);
      const isOther = stranger.name !== undefined && isOdd(exchange);
      return {
        ...shown,
        ...withKnownName(isOther ? { ...stranger, by: "between" } : stranger, response),
      };
    },
    areSilentOn: (exchange) => isNotJudged(exchange, isOdd(exchange)),
  };
}

/** Whether a response is certainly the service's: JSON with a success, or an error in its shape with a status of the spec. */
function isOwn({ response: { status, json } }: Sent): boolean {
  return status >= 400
    ? isErrorShape(json) && errorCodeOf(status) !== undefined
    : status < 300 && isObject(json) && !isErrorShape(json) && Object.keys(json).length > 0;
}

/**
 * Whether a response says that the service cannot be reached now: a status of an outage, not in the service's error shape.
 * A gateway gives it in front of a service that is down, so it is asked again and decides nothing alone.
 */
export function isLostOnTheWay({ response: { status, json } }: Sent): boolean {
  return isOutage(status) && !isErrorShape(json);
}

/** The finding on such a response. */
export function answeredOnTheWay(
  exchange: Sent,
  responders: Pick<Responders, "of">,
): FindingOf<"answered-on-the-way"> {
  const name = responders.of(exchange)?.name;
  return {
    code: "answered-on-the-way",
    ...given({ subject: name }),
    actual: exchange.response.status,
  };
}

/**
 * Whether a response says nothing about the service or about what a client of it meets: a loss on the way, or the refusal of
 * a request that ordinary clients do not send. Which program refused it does not matter, since the best of gateways do.
 */
function isNotJudged(exchange: Exchange, isOdd: boolean): boolean {
  const { status, json } = exchange.response;
  if (isLostOnTheWay(exchange)) return true;
  if (status < 400 || status >= 500 || status === 429 || isErrorShape(json)) return false;
  if (isMalformed(exchange)) return true;
  // A body in JSON may be the service's own. A page or a text is a firewall's, or looks like it.
  return (exchange.isOfHostileInput === true || isWriting(exchange)) && (json === undefined || isOdd);
}

/** Whether a URL has a NUL, a percent sign without two digits, or bytes that are not UTF-8: HTTP libraries do not send these. */
export function isMalformed({ request: { url } }: Pick<Exchange, "request">): boolean {
  if (/%00/.test(url)) return true;
  try {
    decodeURIComponent(url);
    return false;
  } catch {
    return true;
  }
}

/** Whether a request would write if the service were not read-only. */
function isWriting({ endpoint, request: { method } }: Exchange): boolean {
  return endpoint === "other" && method !== "GET";
}
