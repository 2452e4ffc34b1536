import { errorCodes } from "../../schemas/api.ts";
import type { WireChange, WireResponse } from "../../service/wire.ts";
import {
  callerOf,
  errorResponse,
  jsonResponse,
  keyOnlyIn,
  onlyFor,
  onStatus,
  retryAfterOf,
  withRetryAfter,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

const retryAfter = "errors.retry-after/every-refusal";

const saying = (value: () => string): WireChange =>
  onStatus(429, (response) => withRetryAfter(response, value()));

const refusedWith = (status: number, code?: string): WireChange =>
  onStatus(429, ({ headers }) => ({ ...errorResponse(status, code), headers }));

/** Retry-After is one second, but requests are refused for longer. */
const holdingBack =
  (seconds: number): WireChange =>
  (send, keys) => {
    const refusals = new Map<boolean, { readonly until: number; readonly response: WireResponse }>();
    return async (request) => {
      const caller = callerOf(request, keys);
      if (caller === undefined) return await send(request);
      const organization = caller === "otherOrg";
      const refusal = refusals.get(organization);
      if (refusal !== undefined && refusal.until > Date.now()) return refusal.response;
      const response = await send(request);
      if (response.status !== 429) return response;
      const refused = withRetryAfter(response, "1");
      refusals.set(organization, { until: Date.now() + seconds * 1000, response: refused });
      return refused;
    };
  };

/** Faults in the rate limit. */
export const limitFaults = {
  "retry-after-missing": {
    does: "Responses with status 429 have no Retry-After.",
    wire: onStatus(429, (response) => withRetryAfter(response, undefined)),
    fails: [retryAfter],
  },
  "retry-after-http-date": {
    does: "Retry-After is a date instead of seconds.",
    wire: saying(() => new Date(Date.now() + 2000).toUTCString()),
    fails: [retryAfter],
  },
  "retry-after-fraction": { does: "Retry-After is 0.5.", wire: saying(() => "0.5"), fails: [retryAfter] },
  "retry-after-too-short": {
    does: "Retry-After says 1 second, and requests are refused for 6.",
    wire: holdingBack(6),
    fails: ["limits.honest-wait/accepted-again"],
  },
  "limit-is-503": {
    does: "Exceeding the rate limit gives 503.",
    wire: refusedWith(503, errorCodes[429]),
    fails: ["limits.rate/burst"],
  },
  "limit-per-key": {
    does: "Each key has a rate limit of its own.",
    wire: onlyFor(
      "sameOrg",
      onStatus(429, () => jsonResponse(200, { retailers: [] })),
    ),
    fails: ["limits.per-organization/keys-share"],
  },
  "limit-per-header": {
    does: "The rate limit does not apply to keys in X-Api-Key.",
    wire: onStatus(429, () => jsonResponse(200, { retailers: [] }), keyOnlyIn("plain")),
    fails: ["limits.per-organization/headers-share"],
  },
  "limit-of-everybody": {
    does: "One organization above its limit causes 429 for the other.",
    wire: (send, keys) => {
      let refusal: WireResponse | undefined;
      let until = 0;
      return async (request) => {
        const response = await send(request);
        const caller = callerOf(request, keys);
        if (caller === "primary" && response.status === 429) {
          refusal = response;
          until = Date.now() + Number(retryAfterOf(response)) * 1000;
        }
        return caller === "otherOrg" && refusal !== undefined && Date.now() < until ? refusal : response;
      };
    },
    fails: ["limits.per-organization/other-untouched"],
  },
} satisfies FaultTable;
