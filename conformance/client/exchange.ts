import { type KeyHeader, keyHeaders, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { cacheIn, isErrorShape, isOutage, type Responder, strangerOf } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import type { ReceivedBody } from "./body.ts";
import type { RequestAsSent } from "./no-response.ts";
import type { Endpoint, Request } from "./requests.ts";
import type { Caller, Target } from "./target.ts";

/** A request and its response as sent and received, keys included. Redact it before showing or writing it. */
export interface Exchange {
  /** Counts from 1 in the order in which responses arrived. */
  readonly number: number;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly request: RequestAsSent;
  readonly response: ReceivedBody & {
    readonly status: number;
    /** Names in lower case; several headers of one name are joined with a comma. */
    readonly headers: Readonly<Record<string, string>>;
    readonly milliseconds: number;
  };
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt?: number;
  readonly purpose?: Purpose;
}

/**
 * Why a request is none of an ordinary client: it is sent regardless of the rate limit, to be refused, or has
 * unusual input that may make the target fail.
 */
export type Purpose = "burst" | "hostile";

const namesThatCount =
  /^(accept|authorization|cache-|connection|content-|cookie|if-|origin|pragma|range|referer|sec-|transfer-|user-agent|x-api-key)/i;

/** Headers on which a response may depend. Others may differ in each request, such as its id. */
export function headersThatCount({ request }: Pick<Exchange, "request">): [name: string, value: string][] {
  return Object.entries(request.headers).filter(([name]) => namesThatCount.test(name));
}

/** A text that equal requests of one caller share. */
export function requestName({ caller, request }: Pick<Exchange, "caller" | "request">): string {
  return JSON.stringify([caller, request.method, request.url, request.body, headersThatCount({ request })]);
}

/** Whether all escapes of a URL are those of UTF-8. */
export function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** The wait that Retry-After asks for; undefined when it is missing or malformed (spec, Errors). */
export function secondsToWait({ response }: Pick<Exchange, "response">): number | undefined {
  return retryAfterSeconds(response.headers[retryAfterHeader.toLowerCase()]);
}

export function keyHeadersIn({ request }: { readonly request: Pick<Request, "headers"> }): KeyHeader[] {
  const names = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  return Object.values(keyHeaders).filter((header) => names.has(header.toLowerCase()));
}

/** The request of an exchange, to send it again. */
export function requestOf(
  { endpoint, caller, request: { method, url, body } }: Exchange,
  { baseUrl }: Pick<Target, "baseUrl">,
): Request {
  return {
    endpoint,
    method,
    path: url.slice(baseUrl.length),
    caller,
    keyHeader: "either",
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body,
  };
}

// What one response says of who gave it. Nothing is learned from others.

type OneResponse = Pick<Exchange, "response">;

/** Who gave a response, as far as it says so itself; undefined for the service. */
export function fromOf({ response }: OneResponse): Responder {
  const cache = cacheIn(response.headers);
  const shown = cache === undefined ? undefined : ({ by: "cache", cache } as const);
  const isOwn = response.status < 300 || isErrorShape(response.json);
  return isOwn ? shown : { ...shown, ...strangerOf(response.headers) };
}

/** The name that all senders of these responses have; undefined where one has another, or none. */
export function nameOfAll(all: readonly OneResponse[]): string | undefined {
  const names = new Set(all.map((one) => fromOf(one)?.name));
  return names.size === 1 ? [...names][0] : undefined;
}

/**
 * Whether the service cannot be reached now: a status of an outage, not in the service's error shape. A
 * gateway returns it for a service that is down, so it is asked again and decides nothing alone.
 */
export function isLostOnTheWay({ response: { status, json } }: OneResponse): boolean {
  return isOutage(status) && !isErrorShape(json);
}

/** The finding on such a response, with the name that all like it have. */
export function answeredOnTheWay(
  exchange: OneResponse,
  all: readonly OneResponse[] = [exchange],
): FindingOf<"answered-on-the-way"> {
  return {
    code: "answered-on-the-way",
    ...given({ subject: nameOfAll(all) }),
    actual: exchange.response.status,
  };
}
