import { setTimeout } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { WireChange } from "../../service/wire.ts";
import { everySo, instead, inTurn, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { allowedBy, type VariantTable } from "../changes/entry.ts";
import {
  as,
  objectIn,
  objectOf,
  parsed,
  secondsOf,
  sentAs,
  withHeader,
  withJson,
  withoutKeyIn,
  withRetryAfter,
  withText,
} from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const takingLonger = (milliseconds: number, when: is.When = is.always): WireChange =>
  where(when, (send) => async (request) => {
    await setTimeout(milliseconds);
    return await send(request);
  });

/** Writes the same JSON differently. */
const written = (write: (text: string) => string): WireChange =>
  on.response((response) => {
    const value = parsed(response.body);
    return value === undefined ? undefined : withText(response, write(JSON.stringify(value)));
  });

/** An upstream failure, in place of a response that is neither a 401 nor a 429. */
const failing = (status: number): WireChange =>
  on.response((response) => ([401, 429].includes(response.status) ? undefined : as(status)()));

const codings = { br: brotliCompressSync, deflate: deflateSync, gzip: gzipSync };

/** Responses are in the first coding that the request accepts, in an order of the service's own. */
const compressed: WireChange = on.response((response, { headers }) => {
  const accepted = headers["accept-encoding"] ?? "";
  const coding = Object.entries(codings).find(([name]) => accepted.includes(name));
  if (coding === undefined || response.body.length === 0) return undefined;
  const [name, compress] = coding;
  const vary = { "content-encoding": name, vary: "Accept-Encoding" };
  return { ...response, headers: { ...response.headers, ...vary }, body: compress(response.body) };
});

/** Other handling of keys, rate limits, errors, headers and JSON. */
export const transportVariants: readonly VariantTable[] = [
  {
    "tight-limit": {
      does: "The rate limit is 25 requests per second, with a burst of 20.",
      limit: { rate: 25, burst: 20 },
      whole: true,
      allowedBy: ["Limits", "The numeric request rate limit: not shown."],
    },
    // If a request has both problems, 400 takes precedence over 401.
    "malformed-before-unauthorized": {
      does: "A malformed query without a key gets 400 instead of 401.",
      wire: where(
        ({ path }) => path === "/v1/products",
        (send, keys) => async (request) => {
          const response = await send(request);
          const asFirst = response.status === 401 ? await send(sentAs("primary", request, keys)) : response;
          return asFirst.status === 400 ? asFirst : response;
        },
      ),
      allowedBy: ["Authentication", "A missing or invalid key gives 401 (`unauthorized`)."],
    },
    // The limit recovers a little before such a request is counted.
    "x-api-key-takes-longer": {
      does: "Requests with X-Api-Key take 15 ms longer.",
      wire: takingLonger(15, is.keyedOnlyIn("plain")),
      allowedBy: ["Limits", "The numeric request rate limit: not shown."],
      whole: true,
      onlyDelays: true,
    },
    "generous-retry-after": {
      does: "Retry-After is two seconds longer than needed.",
      wire: on.status(429, (response) => withRetryAfter(response, String(secondsOf(response) + 2))),
      allowedBy: [
        "Limits",
        "429 | rate_limited | Rate limit exceeded. The `Retry-After` response header gives the seconds to wait.",
      ],
      whole: true,
    },
    "messages-vary": {
      does: "Error messages are different each time, and in German; a list is beside each error.",
      wire: on.response((response) => {
        const { code } = objectIn(objectOf(response)?.error);
        return code === undefined
          ? undefined
          : withJson(response, {
              error: { code, message: `Das geht so nicht (${crypto.randomUUID()}).` },
              errors: [],
            });
      }),
      allowedBy: ["Errors", "error.message | string | Human-readable text. Its wording may change."],
    },
    "flaky-upstream": {
      does: "One response in fifty is a 502 or 504.",
      wire: everySo(50, inTurn(failing(502), everySo(2, failing(504)))),
      allowedBy: [
        "Errors",
        "502 or 504 | upstream_error | The internal catalog returned an error or timed out.",
      ],
    },
  },
  allowedBy(["Authentication", "Every request carries an API key in either of two headers (equivalent)."], {
    "authorization-wins": [
      "Of two different keys, the one in Authorization counts.",
      where(
        is.keyedTwice,
        on.request((request) => withoutKeyIn("plain", request)),
      ),
    ],
    "any-valid-key-will-do": [
      "Of two different keys, a valid one is enough.",
      where(is.keyedTwice, (send) => async (request) => {
        const response = await send(withoutKeyIn("plain", request));
        return response.status === 401 ? await send(withoutKeyIn("bearer", request)) : response;
      }),
    ],
    "two-headers-refused": ["A key in both headers gets 400.", instead(is.keyedTwice, as(400))],
  }),

  allowedBy(["Errors", "Every error response has the Error body shape `{ error: { code, message } }`."], {
    // Both before the key is checked, as by an intermediary.
    "long-urls-refused": [
      "URLs of more than 2,000 characters get 414, before the key is checked.",
      instead(({ path, query }) => path.length + query.length > 2000, as(414, "refused")),
    ],
    "large-bodies-refused": [
      "Bodies of more than 9,900 bytes get 413, before the key is checked.",
      instead(({ body }) => body.length > 9900, as(413, "refused")),
    ],
  }),
  allowedBy(
    [
      "Errors",
      "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    ],
    { "wrong-content-type-400": ["A wrong content type gets 400.", on.status(415, as(400))] },
  ),

  allowedBy(["What the service does", "All requests and responses are JSON."], {
    slow: ["Each response takes 100 ms longer.", takingLonger(100), { onlyDelays: true }],
    "whole-numbers-with-a-point": [
      "Counters are written with .0.",
      written((text) =>
        text.replaceAll(/"(count|total|found|not_found|other_errors)":(\d+)(?=[,}])/g, '"$1":$2.0'),
      ),
    ],
    "escaped-json": [
      "JSON has all characters beyond ASCII, and slashes, escaped.",
      written((text) =>
        text.replaceAll(
          /[\u0080-\uffff/]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        ),
      ),
    ],
    "codings-of-its-own": ["Bodies are compressed in each coding that the request accepts.", compressed],
    "caching-headers": [
      "Responses have ETag, Age and Cache-Control.",
      on.response((response) => ({
        ...response,
        headers: {
          ...response.headers,
          etag: `W/"${response.body.length}"`,
          "last-modified": "Fri, 31 Oct 2025 10:00:00 GMT",
          "cache-control": "private, max-age=60, stale-while-revalidate=30",
          vary: "Authorization, X-Api-Key, Accept-Encoding",
          age: "12",
          "x-request-id": crypto.randomUUID(),
        },
      })),
    ],
    "connections-not-kept": [
      "The connection is closed after each response.",
      on.response((response) => withHeader(response, "connection", "close")),
      { whole: true, mayHinder: ["limit-not-reached"] },
    ],
  }),
];
