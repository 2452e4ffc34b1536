import { isGtin } from "../../conformance/response/products-in.ts";
import type { WireChange, WireKeys, WireResponse } from "../../service/wire.ts";
import { askAgain, everySo, instead, reading, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";
import { as, objectIn, objectOf, parameter, sentAs, withJson, withParameters } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const ok = ({ status }: WireResponse) => status === 200;

const scoped: is.When = is.all(is.byGtin, is.sending("retailer"), (one) =>
  isGtin(parameter(one, "gtin") ?? ""),
);
const unscoped: is.When = is.all(is.byGtin, is.not(is.sending("retailer")));
const withoutMode: is.When = (request) =>
  request.path === "/v1/products" &&
  ["url", "gtin", "category"].every((name) => parameter(request, name) === undefined);

/** Some lookups find nothing. */
const lost = (when: is.When, status = 404): WireChange => on.status(200, as(status), when);

const withoutScope = (status: number): WireChange =>
  askAgain(
    status,
    reading("retailer", () => undefined),
    scoped,
  );

/** A `url` and a `gtin` that each find a product are accepted together if `accepts` says so of the two. */
const acceptingBoth = (accepts: (isOneProduct: boolean) => boolean): WireChange =>
  on.response(async (response, request, ask) => {
    const given = ["url", "gtin", "category", "retailer"].map((name) => parameter(request, name));
    const isBoth = given.indexOf(undefined) === 2 && given[3] === undefined;
    if (response.status !== 400 || !isBoth) return undefined;
    const first = await ask(withParameters(request, { gtin: undefined }));
    const second = await ask(withParameters(request, { url: undefined }));
    const [one, other] = [first, second].map(objectOf);
    const isOneProduct = one?.retailer === other?.retailer && one?.product_id === other?.product_id;
    return ok(first) && ok(second) && accepts(isOneProduct) ? first : undefined;
  });

/** Requests that find nothing are repeated with another caller's key, and that response is returned. */
const servedAs =
  (caller: keyof WireKeys): WireChange =>
  (send, keys) =>
  async (request) => {
    const response = await send(request);
    const foundNothing = is.batch(request) && objectIn(objectOf(response)?.meta).found === 0;
    const isRefused = response.status >= 400 && [is.byId, is.byUrl, is.byGtin].some((when) => when(request));
    return foundNothing || isRefused ? await send(sentAs(caller, request, keys)) : response;
  };

/** A cache keeps that a product is missing, and returns nothing as if it were one. */
const keptMissing: WireChange = (send) => {
  const missing = new Set<string>();
  return async (request) => {
    const response = await send(request);
    if (response.status !== 404 || !is.byId(request)) return response;
    const isKept = missing.has(request.path);
    missing.add(request.path);
    return isKept ? withJson({ ...response, status: 200 }, {}) : response;
  };
};

/** Faults in the lookups by id, by URL and by GTIN. */
export const lookupFaults: readonly FaultTable[] = [
  {
    "other-organization-404": {
      does: "The other organization gets 404 instead of 403.",
      wire: where(is.of("otherOrg"), on.status(403, as(404), is.byId)),
      fails: ["by-id.unentitled-slug/other-organization"],
    },
    "other-organization-served": {
      does: "The other organization gets what the first one may see.",
      wire: where(is.of("otherOrg"), servedAs("primary")),
      fails: ["authentication.entitlement/every-product", "by-id.unentitled-slug/other-organization"],
    },
    "second-key-served": {
      does: "A second key of the organization gets what the other organization may see.",
      wire: where(is.of("sameOrg"), servedAs("otherOrg")),
      fails: ["authentication.entitlement/second-key"],
    },
    "error-with-200": {
      does: "An unknown product gets the error body with status 200.",
      wire: on.status(404, (response) => ({ ...response, status: 200 }), is.byId),
      fails: ["errors.success-is-no-error/every-response", "by-id.unknown-product/unknown-id"],
    },
    "failure-told-as-404": {
      does: "One lookup by id in 15 gets 404 although the product exists.",
      wire: everySo(15, lost(is.byId), is.byId),
      fails: ["errors.false-not-found/known-products"],
    },
    "url-unentitled-answered": {
      does: "A lookup by URL returns products of retailers that the key has no access to.",
      wire: entitledToAll(is.byUrl),
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
        [is.sending("url", /^[^/]*\/\/[^/]*[A-Z]/), is.sending("gtin", /^0\d{13}$/)].some((when) =>
          when(request),
        ),
      ),
      fails: ["authentication.entitlement/by-url", "authentication.entitlement/by-gtin"],
    },
    "gtin-and-category-accepted": {
      does: "`gtin` and `category` together are accepted; `gtin` decides.",
      wire: on.request(reading("category", () => undefined, is.sending("gtin"))),
      fails: ["query.category-alone/category-and-gtin"],
    },
    "no-mode-404": {
      does: "A query that has parameters, but no `url`, `gtin` or `category`, gets 404.",
      wire: on.status(
        400,
        as(404),
        is.all(withoutMode, ({ query }) => query !== ""),
      ),
      fails: ["query.invalid-parameter/no-parameter", "query.invalid-parameter/retailer-alone"],
    },
    "empty-gtin-404": {
      does: "An empty `gtin` gets 404 instead of 400.",
      wire: on.status(400, as(404), is.sending("gtin", /^$/)),
      fails: ["query.invalid-parameter/empty-gtin"],
    },
  },
  foundBy("by-id.unknown-slug/known-product", {
    "unknown-retailer-404": [
      "An unknown retailer gets 404 instead of 400.",
      on.status(400, as(404), is.byId),
    ],
  }),
  foundBy("by-id.unentitled-slug/existing-product", {
    "unentitled-retailer-404": [
      "A retailer without access gets 404, not 403.",
      on.status(403, as(404), is.byId),
    ],
    "unentitled-retailer-answered": [
      "A lookup by id returns products of retailers that the key has no access to.",
      entitledToAll(is.byId),
    ],
  }),
  foundBy("by-id.unknown-product/unknown-id", {
    "missing-is-found-again": [
      "An unknown product gets 404 once, and then 200 with an empty object.",
      keptMissing,
      "chubin/wttr.in#646",
    ],
    "unknown-product-400": ["An unknown product gets 400 instead of 404.", on.status(404, as(400), is.byId)],
  }),
  foundBy("by-id.product/every-retailer", {
    "encoded-identifier-lost": [
      "Ids with encoded characters are not found.",
      lost(is.all(is.byId, ({ path }) => /%[^/]*$/.test(path))),
    ],
    "leading-zeros-lost": ["Leading zeros of an id are dropped.", on.path(/\/0+([1-9][^/]*)$/, "/$1")],
  }),

  foundBy(["query.url-not-found/unknown-page", "query.url-not-found/unknown-site"], {
    "url-unknown-400": [
      "An unknown product page gets 400 instead of 404.",
      on.status(404, as(400), is.byUrl),
    ],
  }),
  foundBy("query.url/known-page", {
    "url-query-cut": [
      "The query of a product URL is ignored.",
      on.request(reading("url", (url) => url.replace(/\?.*$/s, ""), is.byUrl)),
    ],
    // Clients must encode at least the colon and the slashes, so all of their lookups fail.
    "url-not-decoded": [
      "The parameter `url` is not decoded, so that no product is found.",
      lost(is.all(is.byUrl, ({ query }) => /%2f/i.test(query))),
    ],
    "encoded-delimiter-in-page-lost": [
      "A page whose URL has an encoded slash, ampersand or the like is not found.",
      lost(is.sending("url", /%(2[3567bf]|3[adf])/i)),
      "magento/magento2#8615",
    ],
  }),

  foundBy("query.gtin/known", {
    "gtin-14-refused": [
      "A GTIN of 14 digits is an invalid parameter.",
      lost(is.sending("gtin", /^\d{14}$/), 400),
      "validatorjs/validator.js#1576",
    ],
    "gtin-checked-by-zero-404": [
      "A GTIN whose check digit is 0 is not found.",
      lost(is.sending("gtin", /0$/)),
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
    "gtin-letters-ignored": [
      "Letters in a GTIN are ignored.",
      on.request(reading("gtin", (gtin) => gtin.replaceAll(/[a-z]/gi, "") || gtin, is.byGtin)),
      "anomalyco/opencode#48034",
    ],
  }),
  foundBy("query.gtin-not-found/unknown", {
    "gtin-unknown-400": ["An unknown GTIN gets 400 instead of 404.", on.status(404, as(400), unscoped)],
  }),
  foundBy("errors.unentitled-retailer/by-gtin", {
    "unentitled-as-unknown": ["Every 403 is a 400.", on.status(403, as(400))],
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
      on.request(reading("url", () => undefined, is.sending("category"))),
    ],
    "all-three-accepted": [
      "`category`, `url` and `gtin` together are accepted.",
      askAgain(
        400,
        (request) => withParameters(request, { url: undefined, gtin: undefined, retailer: undefined }),
        is.all(is.sending("category"), is.sending("url"), is.sending("gtin")),
      ),
    ],
  }),
  foundBy("query.invalid-parameter/empty-url", {
    "empty-url-404": [
      "An empty `url` gets 404 instead of 400.",
      on.status(400, as(404), is.sending("url", /^$/)),
    ],
  }),
  foundBy("query.invalid-parameter/gtin-letters", {
    "gtin-letters-500": ["A `gtin` with letters causes 500.", instead(is.sending("gtin", /[a-z]/i), as(500))],
  }),
];
