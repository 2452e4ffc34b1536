import { type KeyHeader, keyHeaders, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
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
  /** Sent regardless of the rate limit, to be refused. */
  readonly isOfBurst?: true;
  /** Sent to see whether unusual input makes the target fail. */
  readonly isOfHostileInput?: true;
}

/** A text that equal requests share. Headers, and so the key, are not part of it. */
export function requestName({ request: { method, url, body } }: Exchange): string {
  return JSON.stringify([method, url, body]);
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
