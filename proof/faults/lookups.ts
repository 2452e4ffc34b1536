import { isGtin } from "../../conformance/response/gtin.ts";
import type { WireChange, WireKeys, WireResponse } from "../../service/wire.ts";
import {
  all,
  as,
  askAgain,
  byGtin,
  byId,
  byUrl,
  instead,
  isBatch,
  isOf,
  jsonResponse,
  objectIn,
  objectOf,
  onPath,
  onRequest,
  onResponse,
  onStatus,
  parameter,
  reading,
  sends,
  sentAs,
  type When,
  where,
  withParameters,
} from "../changes/change.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";
import { everySo } from "../changes/memory.ts";

const ok = ({ status }: WireResponse) => status === 200;

const scoped: When = all(byGtin, sends("retailer"), (one) => isGtin(parameter(one, "gtin") ?? ""));
const unscoped: When = all(byGtin, (request) => parameter(request, "retailer") === undefined);
const withoutMode: When = (request) =>
  request.path === "/v1/products" &&
  ["url", "gtin", "category"].every((name) => parameter(request, name) === undefined);

/** Some lookups find nothing. */
const lost = (when: When, status = 404): WireChange => onStatus(200, as(status), when);

const withoutScope = (status: number): WireChange =>
  askAgain(
    status,
    reading("retailer", () => undefined),
    scoped,
  );

/** A `url` and a `gtin` that each find a product are accepted together if `accepts` says so of the two. */
const acceptingBoth = (accepts: (isOneProduct: boolean) => boolean): WireChange =>
  onResponse(async (response, request, ask) => {
    const given = ["url", "gtin", "category", "retailer"].map((name) => parameter(request, name));
    const isBoth = given.indexOf(undefined) === 2 && given[3] === undefined;
    if (response.status !== 400 || !isBoth) return undefined;
    const first = await ask(withParameters(request, { gtin: undefined }));
    const second = await ask(withParameters(request, { url: undefined }));
    const [one, other] = [first, second].map(objectOf);
    const isOneProduct = one?.retailer === other?.retailer && one?.product_id === other?.product_id;
    return ok(first) && ok(second) && accepts(isOneProduct) ? first : undefined;
  });

/** Some lookups return the product that another one found last, with another value in a field. */
const lastFoundInstead =
  (when: When, isOdd: When, field: string): WireChange =>
  (send, keys) => {
    const found = new Map<unknown, WireResponse>();
    return async (request) => {
      const response = await send(request);
      const seen = objectOf(response)?.[field];
      if (!when(request, keys) || response.status === 401) return response;
      if (isOdd(request, keys)) return [...found].findLast(([value]) => value !== seen)?.[1] ?? response;
      if (ok(response) && seen !== undefined) found.set(seen, response);
      return response;
    };
  };

/** Requests that find nothing are repeated with another caller's key, and that response is returned. */
const servedAs =
  (caller: keyof WireKeys): WireChange =>
  (send, keys) =>
  async (request) => {
    const response = await send(request);
    const foundNothing = isBatch(request) && objectIn(objectOf(response)?.meta).found === 0;
    const isRefused = response.status >= 400 && [byId, byUrl, byGtin].some((when) => when(request));
    return foundNothing || isRefused ? await send(sentAs(caller, request, keys)) : response;
  };

/** Faults in the lookups by id, by URL and by GTIN. */
export const lookupFaults: readonly FaultTable[] = [
  {
    "other-organization-404": {
      does: "The other organization gets 404 instead of 403.",
      wire: where(isOf("otherOrg"), onStatus(403, as(404), byId)),
      fails: ["by-id.unentitled-slug/other-organization"],
    },
    "other-organization-served": {
      does: "The other organization gets what the first one may see.",
      wire: where(isOf("otherOrg"), servedAs("primary")),
      fails: ["authentication.entitlement/every-product", "by-id.unentitled-slug/other-organization"],
    },
    "second-key-served": {
      does: "A second key of the organization gets what the other organization may see.",
      wire: where(isOf("sameOrg"), servedAs("otherOrg")),
      fails: ["authentication.entitlement/second-key"],
    },
    "error-with-200": {
      does: "An unknown product gets the error body with status 200.",
      wire: onStatus(404, (response) => ({ ...response, status: 200 }), byId),
      fails: ["errors.success-is-no-error/every-response", "by-id.unknown-product/unknown-id"],
    },
    "failure-told-as-404": {
      does: "One lookup by id in 20 gets 404 although the product exists.",
      wire: everySo(20, lost(byId), byId),
      fails: ["errors.false-not-found/known-products"],
    },
    "url-in-other-case-found-elsewhere": {
      does: "A URL with capitals in its host finds the product that was found last.",
      wire: lastFoundInstead(byUrl, sends("url", /^https?:\/\/[^/]*[A-Z]/), "product_url"),
      fails: ["query.url/changed-page"],
    },
    "url-unentitled-answered": {
      does: "A lookup by URL returns products of retailers that the key has no access to.",
      wire: entitledToAll(byUrl),
      fails: ["authentication.entitlement/by-url"],
    },
    "gtin-unentitled-answered": {
      does: "A GTIN lookup without `retailer` returns products that the key has no access to.",
      wire: entitledToAll(unscoped),
      fails: ["authentication.entitlement/by-gtin"],
    },
    "other-spelling-is-not-checked": {
      does: "Whether the key may see a product is checked for URLs and GTINs as they are stored, not in another spelling.",
      wire: entitledToAll((request) =>
        [sends("url", /^[^/]*\/\/[^/]*[A-Z]/), sends("gtin", /^0\d{13}$/)].some((when) => when(request)),
      ),
      fails: ["authentication.entitlement/by-url", "authentication.entitlement/by-gtin"],
    },
    "gtin-and-category-accepted": {
      does: "`gtin` and `category` together are accepted; `gtin` decides.",
      wire: onRequest(reading("category", () => undefined, sends("gtin"))),
      fails: ["query.category-alone/category-and-gtin"],
    },
    "no-mode-404": {
      does: "A query without `url`, `gtin` and `category` gets 404.",
      wire: onStatus(400, as(404), withoutMode),
      fails: ["query.invalid-parameter/no-parameter", "query.invalid-parameter/retailer-alone"],
    },
    "empty-gtin-404": {
      does: "An empty `gtin` gets 404 instead of 400.",
      wire: onStatus(400, as(404), sends("gtin", /^$/)),
      fails: ["query.invalid-parameter/empty-gtin"],
    },
  },
  foundBy("by-id.unknown-slug/known-product", {
    "unknown-retailer-404": ["An unknown retailer gets 404 instead of 400.", onStatus(400, as(404), byId)],
  }),
  foundBy("by-id.unentitled-slug/existing-product", {
    "unentitled-retailer-404": ["A retailer without access gets 404, not 403.", onStatus(403, as(404), byId)],
    "unentitled-retailer-answered": [
      "A lookup by id returns products of retailers that the key has no access to.",
      entitledToAll(byId),
    ],
  }),
  foundBy("by-id.unknown-product/unknown-id", {
    "unknown-product-400": ["An unknown product gets 400 instead of 404.", onStatus(404, as(400), byId)],
    "unknown-product-200": [
      "An unknown product gets 200 and an empty object.",
      onStatus(404, () => jsonResponse(200, {}), byId),
    ],
  }),
  foundBy("by-id.product/every-retailer", {
    "encoded-identifier-lost": [
      "Ids with encoded characters are not found.",
      lost(all(byId, ({ path }) => /%[^/]*$/.test(path))),
    ],
    "leading-zeros-lost": ["Leading zeros of an id are dropped.", onPath(/\/0+([1-9][^/]*)$/, "/$1")],
  }),

  foundBy(["query.url-not-found/unknown-page", "query.url-not-found/unknown-site"], {
    "url-unknown-400": ["An unknown product page gets 400 instead of 404.", onStatus(404, as(400), byUrl)],
  }),
  foundBy("query.url/known-page", {
    "url-query-cut": [
      "The query of a product URL is ignored.",
      onRequest(reading("url", (url) => url.replace(/\?.*$/s, ""), byUrl)),
    ],
    // Clients must encode at least the colon and the slashes, so all of their lookups fail.
    "url-not-decoded": [
      "The parameter `url` is not decoded, so that no product is found.",
      lost(all(byUrl, ({ query }) => /%2f/i.test(query))),
    ],
    "encoded-delimiter-in-page-lost": [
      "A page whose URL has an encoded slash, ampersand or the like is not found.",
      lost(sends("url", /%(2[3567bf]|3[adf])/i)),
      "magento/magento2#8615",
    ],
  }),

  foundBy("query.gtin/known", {
    "gtin-14-refused": [
      "A GTIN of 14 digits is an invalid parameter.",
      lost(sends("gtin", /^\d{14}$/), 400),
      "validatorjs/validator.js#1576",
    ],
    "gtin-checked-by-zero-404": [
      "A GTIN whose check digit is 0 is not found.",
      lost(sends("gtin", /0$/)),
      "OCA/product-attribute#99",
    ],
  }),
  foundBy("query.gtin-mismatch/other-retailer", {
    "gtin-other-retailer": ["A GTIN lookup at a retailer returns another's product.", withoutScope(404)],
  }),
  foundBy(["query.gtin-match/own-retailer", "service.four-ways/same-product"], {
    "gtin-scope-never-matches": ["A GTIN lookup with `retailer` never finds anything.", lost(scoped)],
  }),
  foundBy("errors.unknown-retailer/by-gtin", {
    "gtin-unknown-retailer-ignored": ["A GTIN lookup ignores an unknown retailer.", withoutScope(400)],
  }),
  foundBy("query.gtin-not-found/changed-gtin", {
    "gtin-in-groups-found-elsewhere": [
      "A GTIN with a blank finds the product that was found last.",
      lastFoundInstead(byGtin, sends("gtin", / /), "gtin"),
    ],
    "gtin-letters-ignored": [
      "Letters in a GTIN are ignored.",
      onRequest(reading("gtin", (gtin) => gtin.replaceAll(/[a-z]/gi, "") || gtin, byGtin)),
      "anomalyco/opencode#48034",
    ],
  }),
  foundBy("query.gtin-not-found/unknown", {
    "gtin-unknown-400": ["An unknown GTIN gets 400 instead of 404.", onStatus(404, as(400), unscoped)],
  }),
  foundBy("errors.unentitled-retailer/by-gtin", {
    "unentitled-as-unknown": ["Every 403 is a 400.", onStatus(403, as(400))],
    "gtin-unentitled-retailer-answered": [
      "A GTIN lookup with `retailer` returns products that the key has no access to.",
      entitledToAll(scoped),
    ],
  }),

  foundBy("query.exclusive-identifiers/gtin-and-url", {
    "url-and-gtin-of-one-product-accepted": [
      "`url` and `gtin` together are accepted if both name one product.",
      acceptingBoth((isOneProduct) => isOneProduct),
    ],
    "url-and-gtin-of-two-products-accepted": [
      "`url` and `gtin` together are accepted if they name two products.",
      acceptingBoth((isOneProduct) => !isOneProduct),
    ],
  }),
  foundBy("query.category-alone/category-and-url", {
    "url-and-category-accepted": [
      "`url` and `category` together are accepted.",
      onRequest(reading("url", () => undefined, sends("category"))),
    ],
    "all-three-accepted": [
      "`category`, `url` and `gtin` together are accepted.",
      askAgain(
        400,
        (request) => withParameters(request, { url: undefined, gtin: undefined, retailer: undefined }),
        all(sends("category"), sends("url"), sends("gtin")),
      ),
    ],
  }),
  foundBy("query.invalid-parameter/empty-url", {
    "empty-url-404": ["An empty `url` gets 404 instead of 400.", onStatus(400, as(404), sends("url", /^$/))],
  }),
  foundBy("query.invalid-parameter/gtin-letters", {
    "gtin-letters-500": ["A `gtin` with letters causes 500.", instead(sends("gtin", /[a-z]/i), as(500))],
  }),
];
