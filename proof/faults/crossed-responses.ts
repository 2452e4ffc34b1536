import { setImmediate } from "node:timers/promises";
import type { WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import {
  as,
  isFor,
  onProducts,
  onResponse,
  parameter,
  remembering,
  type When,
  withJson,
  without,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

// Modelled on incidents: a cache with an incomplete key, failures reported as something else.

const byId = isFor("lookup-by-id");
const isBatch = isFor("batch");

/** A cache; `keyOf` returns its key for a request, or undefined to bypass it. */
const cached = (
  keyOf: (request: WireRequest) => string | undefined,
  isKept: (response: WireResponse) => boolean,
): WireChange =>
  remembering(() => {
    const kept = new Map<string, WireResponse>();
    return (send) => async (request) => {
      const key = keyOf(request);
      const known = key === undefined ? undefined : kept.get(key);
      if (known !== undefined) return known;
      const response = await send(request);
      if (key !== undefined && isKept(response)) kept.set(key, response);
      return response;
    };
  });

/** A change that takes effect only after a number of matching requests. */
const late = (requests: number, when: When, change: WireChange): WireChange =>
  remembering(() => {
    let count = 0;
    return (send, keys) => {
      const changed = change(send, keys);
      return (request) => (when(request) && ++count > requests ? changed(request) : send(request));
    };
  });

const ok = ({ status }: WireResponse) => status === 200;
const byUrlAndGtin: When = (request) => isFor("lookup-by-url")(request) || isFor("lookup-by-gtin")(request);
const wholeUrl = ({ path, query }: WireRequest) => `${path}?${query}`;
const own = (name: string) => `service.own-response/${name}` as const;

/** Replaces every n-th matching response. */
const everySo = (
  often: number,
  when: (response: WireResponse, request: WireRequest) => boolean,
  replace: (response: WireResponse) => WireResponse,
): WireChange =>
  remembering(() => {
    let count = 0;
    return onResponse((response, request) =>
      when(response, request) && ++count % often === 0 ? replace(response) : undefined,
    );
  });

/** Caches whose key is incomplete, and responses that belong to another request. */
export const crossedResponseFaults = {
  "cache-without-key-by-id": {
    does: "Lookups by id come from a cache that does not distinguish keys.",
    wire: cached((request) => (byId(request) ? wholeUrl(request) : undefined), ok),
    fails: [own("in-turn")],
  },
  "cache-without-key-by-query": {
    does: "Lookups by URL and GTIN come from a cache that does not distinguish keys.",
    wire: cached((request) => (byUrlAndGtin(request) ? wholeUrl(request) : undefined), ok),
    fails: [own("in-turn")],
  },
  "cache-without-key-of-retailers": {
    does: "The list of retailers comes, after some requests, from a cache that does not distinguish keys.",
    // It starts late, so that discovery still sees the correct lists.
    wire: late(
      12,
      isFor("retailers"),
      cached((request) => (isFor("retailers")(request) ? request.path : undefined), ok),
    ),
    fails: [own("in-turn")],
  },
  "cache-without-key-of-batches": {
    does: "Batch results come from a cache that does not distinguish keys.",
    wire: cached((request) => (isBatch(request) ? request.body.toString() : undefined), ok),
    fails: [own("in-turn")],
  },
  "cache-of-refusals": {
    does: "A 401 for a product is cached and returned to valid keys.",
    wire: cached(
      (request) => (byId(request) ? wholeUrl(request) : undefined),
      ({ status }) => status === 401,
    ),
    fails: [own("after-refusal"), "authentication.x-api-key/every-request"],
  },
  "cache-without-case": {
    does: "A 404 is cached for an id in any case of letters.",
    wire: cached(
      (request) => (byId(request) ? request.path.toLowerCase() : undefined),
      ({ status }) => status === 404,
    ),
    fails: [own("after-refusal")],
  },
  "cache-without-query-of-gtin": {
    does: "A 404 for a GTIN at one retailer is cached for every retailer.",
    wire: cached(
      (request) => (isFor("lookup-by-gtin")(request) ? parameter(request, "gtin") : undefined),
      ({ status }) => status === 404,
    ),
    fails: [own("after-refusal")],
  },
  "responses-crossed": {
    does: "With four or more lookups at once, each gets the product of another.",
    // While four or more lookups by id are in progress, each gets the product of the previous one.
    wire: remembering(() => {
      let underWay = 0;
      let before: WireRequest | undefined;
      return (send) => async (request) => {
        if (!byId(request)) return await send(request);
        const crossed = underWay >= 4 ? before : undefined;
        before = request;
        underWay++;
        try {
          await setImmediate();
          const response = await send(request);
          if (crossed === undefined || response.status !== 200) return response;
          const other = await send({ ...crossed, headers: request.headers });
          return other.status === 200 ? other : response;
        } finally {
          underWay--;
        }
      };
    }),
    fails: [own("at-once")],
  },
} satisfies FaultTable;

/** Failures of the upstream catalog that are reported as a missing product. */
export const swallowedFailureFaults = {
  "failure-told-as-404": {
    does: "One lookup by id in 20 gets 404 although the product exists.",
    wire: everySo(20, (response, request) => ok(response) && byId(request), as(404)),
    fails: ["errors.false-not-found/known-products"],
  },
  "failure-told-as-empty-category": {
    does: "Every third first page of a category is empty, and the last one.",
    wire: everySo(
      3,
      (response, request) =>
        ok(response) && isFor("category-page")(request) && parameter(request, "cursor") === undefined,
      (response) => withJson(response, { products: [], meta: { next_cursor: "", count: 0 } }),
    ),
    fails: ["errors.false-not-found/same-category"],
    source: "fecgov/openFEC#1113",
  },
  "failure-told-as-no-price": {
    does: "Every sixth response with products has none with a price.",
    wire: remembering(() => {
      const requests = new Set<unknown>();
      return onProducts((product, request) =>
        requests.add(request).size % 6 === 0 ? without("price", product) : undefined,
      );
    }),
    fails: ["product.same-shape/every-time"],
    source: "serpapi/public-roadmap#2690",
  },
} satisfies FaultTable;
