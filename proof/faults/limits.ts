import type { WireChange, WireResponse } from "../../service/wire.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { callerOf, errorResponse, jsonResponse, secondsOf, withRetryAfter } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const saying = (value: () => string | undefined): WireChange =>
  on.status(429, (response) => withRetryAfter(response, value()));

/** The limit does not apply to some requests. */
const unlimited = (when: is.When): WireChange =>
  on.status(429, () => jsonResponse(200, { retailers: [] }), when);

/** Retry-After is one second, but requests are refused for longer. */
const holdingBack =
  (seconds: number): WireChange =>
  (send, keys) => {
    const refusals = new Map<boolean, { readonly until: number; readonly response: WireResponse }>();
    return async (request) => {
      const caller = callerOf(request, keys);
      const refusal = refusals.get(caller === "otherOrg");
      if (caller !== undefined && refusal && refusal.until > Date.now()) return refusal.response;
      const response = await send(request);
      if (caller === undefined || response.status !== 429) return response;
      const refused = withRetryAfter(response, "1");
      refusals.set(caller === "otherOrg", { until: Date.now() + seconds * 1000, response: refused });
      return refused;
    };
  };

/** While the first organization is above its limit, the other one is refused. */
const oneForAll: WireChange = (send, keys) => {
  let refusal: WireResponse | undefined;
  let until = 0;
  return async (request) => {
    const response = await send(request);
    const caller = callerOf(request, keys);
    if (caller === "primary" && response.status === 429) {
      refusal = response;
      until = Date.now() + secondsOf(response) * 1000;
    }
    return caller === "otherOrg" && refusal !== undefined && Date.now() < until ? refusal : response;
  };
};

/** Faults in the rate limit. */
export const limitFaults: readonly FaultTable[] = [
  {
    "retry-after-too-short": {
      does: "Retry-After says 1 second, and requests are refused for 6.",
      wire: holdingBack(6),
      fails: ["limits.honest-wait/accepted-again"],
    },
    "limit-is-503": {
      does: "Exceeding the rate limit gives 503.",
      wire: on.status(429, ({ headers }) => ({ ...errorResponse(503, "rate_limited"), headers })),
      fails: ["limits.rate/burst"],
    },
  },
  foundBy("errors.retry-after/every-refusal", {
    "retry-after-missing": ["Responses with status 429 have no Retry-After.", saying(() => undefined)],
    "retry-after-http-date": [
      "Retry-After is a date instead of seconds.",
      saying(() => new Date(Date.now() + 2000).toUTCString()),
    ],
    "retry-after-fraction": ["Retry-After is 0.5.", saying(() => "0.5")],
  }),
  foundBy("limits.per-organization/keys-share", {
    "limit-per-key": ["Each key has a rate limit of its own.", unlimited(is.of("sameOrg"))],
  }),
  foundBy("limits.per-organization/headers-share", {
    "limit-per-header": ["Keys in X-Api-Key have no rate limit.", unlimited(is.keyedOnlyIn("plain"))],
  }),
  foundBy("limits.per-organization/other-untouched", {
    "limit-of-everybody": ["One organization above its limit causes 429 for the other.", oneForAll],
  }),
];
