import { setTimeout } from "node:timers/promises";
import type { WireChange } from "../../service/wire.ts";
import {
  errorResponse,
  hasBothKeys,
  keyOnlyIn,
  onRequest,
  onResponse,
  onStatus,
  parsed,
  remembering,
  retryAfterOf,
  sentAs,
  withoutKeyIn,
  withRetryAfter,
  withText,
} from "../changes/change.ts";
import type { VariantTable } from "../changes/entry.ts";

const either = [
  "Authentication",
  "Every request carries an API key in either of two headers (equivalent).",
] as const;
const json = ["What the service does", "All requests and responses are JSON."] as const;
const limitOpen = ["Limits", "The numeric request rate limit: not shown."] as const;

/** If both headers carry a key, one of them is ignored. */
const ignoring = (which: "bearer" | "plain"): WireChange =>
  onRequest((request) => (hasBothKeys(request) ? withoutKeyIn(which, request) : undefined));

/** Serializes the same JSON differently. */
const written = (write: (value: unknown) => string): WireChange =>
  onResponse((response) => {
    const value = parsed(response.body);
    return value === undefined ? undefined : withText(response, write(value));
  });

/** Other handling of keys, rate limits and JSON. */
export const transportVariants = {
  "authorization-wins": {
    does: "Of two different keys, the one in Authorization counts.",
    wire: ignoring("plain"),
    allowedBy: either,
  },
  "any-valid-key-will-do": {
    does: "Of two different keys, a valid one is enough.",
    wire: (send) => async (request) => {
      if (!hasBothKeys(request)) return await send(request);
      const response = await send(withoutKeyIn("plain", request));
      return response.status === 401 ? await send(withoutKeyIn("bearer", request)) : response;
    },
    allowedBy: either,
  },
  "malformed-before-unauthorized": {
    does: "A malformed query without a key gets 400 instead of 401.",
    // If a request has both problems, 400 takes precedence over 401.
    wire: (send, keys) => async (request) => {
      const response = await send(request);
      if (response.status !== 401 || request.path !== "/v1/products") return response;
      const accepted = await send(sentAs("primary", request, keys));
      return accepted.status === 400 ? accepted : response;
    },
    allowedBy: ["Authentication", "A missing or invalid key gives 401 (`unauthorized`)."],
  },

  "tight-limit": {
    does: "The rate limit is 8 requests per second.",
    limit: { rate: 8, burst: 10 },
    atLimit: true,
    allowedBy: limitOpen,
  },
  "generous-retry-after": {
    does: "Retry-After is two seconds longer than needed.",
    wire: onStatus(429, (response) => withRetryAfter(response, String(Number(retryAfterOf(response)) + 2))),
    atLimit: true,
    allowedBy: [
      "Limits",
      "429 | rate_limited | Rate limit exceeded. The `Retry-After` response header gives the seconds to wait.",
    ],
  },
  "x-api-key-takes-longer": {
    does: "Requests with X-Api-Key take 15 ms longer.",
    // The limit recovers a little before such a request is counted.
    wire: (send) => async (request) => {
      if (keyOnlyIn("plain")(request)) await setTimeout(15);
      return await send(request);
    },
    atLimit: true,
    onlyDelays: true,
    allowedBy: limitOpen,
  },

  slow: {
    does: "Each response takes 100 ms longer.",
    wire: onResponse(async (response) => {
      await setTimeout(100);
      return response;
    }),
    onlyDelays: true,
    allowedBy: json,
  },
  "flaky-upstream": {
    does: "One response in fifty is a 502 or 504.",
    // One response in fifty is a failure of the upstream catalog: by turns 502 and 504.
    wire: remembering(() => {
      let count = 0;
      return onResponse(({ status }) => {
        if (status === 429 || status === 401 || ++count % 50 !== 0) return undefined;
        return errorResponse(count % 100 === 0 ? 504 : 502);
      });
    }),
    allowedBy: [
      "What the service does",
      "502 or 504 | upstream_error | The internal catalog returned an error or timed out.",
    ],
  },
  "escaped-json": {
    does: "JSON has all characters beyond ASCII, and slashes, escaped.",
    wire: written((value) =>
      JSON.stringify(value).replace(
        /[\u0080-\uffff/]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    ),
    allowedBy: json,
  },
} satisfies VariantTable;
