import type { WireChange, WireRequest } from "../../service/wire.ts";
import { cached, late, whenBusy } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { parameter } from "../changes/messages.ts";

// Modelled on incidents: a cache with an incomplete key, and responses that belong to another request.

const wholeUrl = ({ path, query }: WireRequest) => `${path}?${query}`;
const only =
  (status: number) =>
  ({ status: actual }: { readonly status: number }) =>
    actual === status;
const ofTwo: is.When = (request, keys) =>
  (["primary", "otherOrg"] as const).some((one) => is.of(one)(request, keys));
const byUrlOrGtin: is.When = (request) => is.byUrl(request) || is.byGtin(request);

/** With four or more lookups by id under way, each gets the product of the previous one, if it exists. */
const crossed: WireChange = (send, keys) => {
  let before: WireRequest | undefined;
  const crossing: WireChange = () => async (request) => {
    const previous = before;
    before = request;
    const response = await send(request);
    if (previous === undefined || response.status !== 200) return response;
    const other = await send({ ...previous, headers: request.headers });
    return other.status === 200 ? other : response;
  };
  return whenBusy(4, is.byId, crossing)(send, keys);
};

export const crossedResponseFaults: readonly FaultTable[] = [
  {
    "cache-of-refusals": {
      does: "A 401 for a product is cached and returned to valid keys.",
      wire: cached(is.byId, wholeUrl, only(401)),
      fails: ["service.own-response/after-refusal", "authentication.x-api-key/every-request"],
    },
  },
  foundBy("service.own-response/in-turn", {
    "cache-without-key-by-id": [
      "Lookups by id come from a cache that does not distinguish keys.",
      cached(is.byId, wholeUrl),
    ],
    "cache-without-key-by-query": [
      "Lookups by URL and GTIN come from a cache that does not distinguish keys.",
      cached(byUrlOrGtin, wholeUrl),
    ],
    "cache-without-key-of-batches": [
      "Batch results come from a cache that does not distinguish keys.",
      cached(is.batch, ({ body }) => body.toString()),
    ],
    // With equal lists, it is unclear whose the keys are.
    "cache-without-key": [
      "GET requests of two organizations share a cache.",
      cached(
        is.all(ofTwo, ({ method }) => method === "GET"),
        wholeUrl,
      ),
    ],
    // It starts late, so that discovery still sees the correct lists.
    "cache-without-key-of-retailers": [
      "The list of retailers comes, after some requests, from a cache that does not distinguish keys.",
      late(12, is.list, cached(is.list, wholeUrl)),
    ],
  }),
  foundBy("service.own-response/after-refusal", {
    "cache-without-case": [
      "A 404 is cached for an id in any case of letters.",
      cached(is.byId, ({ path }) => path.toLowerCase(), only(404)),
    ],
    "cache-without-query-of-gtin": [
      "A 404 for a GTIN at one retailer is cached for every retailer.",
      cached(is.byGtin, (request) => parameter(request, "gtin"), only(404)),
    ],
  }),
  foundBy("service.any-client/after-head", {
    "head-cached-for-get": [
      "The response to HEAD is cached, and returned to GET.",
      cached(is.sending("category"), wholeUrl, ({ status, body }) => status === 200 && body.length === 0),
      "tempesta-tech/tempesta#416",
    ],
  }),
  foundBy("service.own-response/at-once", {
    "responses-crossed": ["With four or more lookups at once, each gets the product of another.", crossed],
  }),
];
