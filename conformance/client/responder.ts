import { errorCodeOf } from "../../schemas/api.ts";
import { cacheIn } from "../../schemas/cache.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import {
  isErrorShape,
  isOdd,
  isOutage,
  type Responder,
  type ServiceTraits,
  strangerOf,
  withKnownName,
} from "../../schemas/gateway.ts";
import { given, isObject } from "../../schemas/json.ts";
import type { Exchange } from "./exchange.ts";

type Sent = Pick<Exchange, "response">;

/** Who gave the responses of a run, as far as its other responses show it. */
export interface Responders {
  of(exchange: Sent): Responder;
  /** Whether a response says nothing about the service; see `isNotJudged` below. */
  areSilentOn(exchange: Exchange): boolean;
  /** What the service's own responses have in common. */
  traits(): ServiceTraits | undefined;
}

/** @param exchanges those of the run, to which more may be added later */
export function respondersOf(exchanges: readonly Exchange[]): Responders {
  let seen = 0;
  let known: ServiceTraits | undefined;
  function traits(): ServiceTraits | undefined {
    if (seen === exchanges.length) return known;
    seen = exchanges.length;
    known = traitsOf(exchanges.filter(isOwn).map(({ response }) => response));
    return known;
  }
  return {
    of: (exchange) => {
      const cache = cacheIn(exchange.response.headers);
      const shown = cache === undefined ? undefined : ({ by: "cache", cache } as const);
      const { response } = exchange;
      if (!isInPlace(exchange, traits()))
        return { ...shown, ...withKnownName(strangerOf(response.headers, traits()), response) };
      return shown;
    },
    areSilentOn: (exchange) => isNotJudged(exchange, traits()),
    traits,
  };
}

/**
 * Headers about one message or one connection: their absence from a response shows nothing about its sender. `Date` is not among
 * them: a server with a clock sends it in every response.
 */
const ofMessage: ReadonlySet<string> = new Set(
  `accept-ranges age allow cache-control connection content-encoding content-language content-length content-type etag expires keep-alive last-modified location pragma retry-after server transfer-encoding vary www-authenticate`.split(
    " ",
  ),
);
/** Fewest successes from which the headers that they share are learned: beside an error of the service, and without one. */
const fewestSuccesses = { withError: 2, alone: 4 } as const;

/** The traits of a service by responses that are certainly its own; undefined while there are too few. */
function traitsOf(own: readonly Exchange["response"][]): ServiceTraits | undefined {
  const errors = own.filter(({ status }) => status >= 400).length;
  const least = errors > 0 ? fewestSuccesses.withError : fewestSuccesses.alone;
  if (own.length - errors < least) return undefined;
  const named = own.map(
    ({ headers }) =>
      new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)),
  );
  const [first = new Map<string, string>(), ...others] = named;
  return {
    headers: [...first.keys()].filter(
      (name) => !ofMessage.has(name) && others.every((headers) => headers.has(name)),
    ),
    servers: [...new Set(named.map((headers) => headers.get("server") ?? ""))],
  };
}

/** Whether a response is certainly the service's: JSON with a success, or an error in its shape with a status of the spec. */
function isOwn({ response: { status, json } }: Sent): boolean {
  return status >= 400
    ? isErrorShape(json) && errorCodeOf(status) !== undefined
    : status < 300 && isObject(json) && !isErrorShape(json) && Object.keys(json).length > 0;
}

/** Whether a response need not be told apart: one of the service, or one that may be its own and does not differ in its headers. */
function isInPlace(exchange: Sent, traits: ServiceTraits | undefined): boolean {
  const { response } = exchange;
  const mayBeOwn = response.status < 300 || isErrorShape(response.json);
  return isOwn(exchange) || (mayBeOwn && !isOdd(response, traits));
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
function isNotJudged(exchange: Exchange, traits: ServiceTraits | undefined): boolean {
  const { status, json } = exchange.response;
  if (isLostOnTheWay(exchange)) return true;
  if (status < 400 || status >= 500 || status === 429 || isErrorShape(json)) return false;
  if (isMalformed(exchange)) return true;
  // A body in JSON may be the service's own. A page or a text is a firewall's, or looks like it.
  const mayBeOwn = json !== undefined && !isOdd(exchange.response, traits);
  if (exchange.isOfHostileInput === true || isWriting(exchange)) return !mayBeOwn;
  return exchange.endpoint === "other" && isOdd(exchange.response, traits);
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
