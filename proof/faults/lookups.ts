import { isGtin } from "../../conformance/response/gtin.ts";
import type { WireChange, WireResponse } from "../../service/wire.ts";
import {
  as,
  askAgain,
  isFor,
  jsonResponse,
  objectIn,
  objectOf,
  onlyFor,
  onRequest,
  onResponse,
  onStatus,
  parameter,
  remembering,
  sentAs,
  type When,
  withParameters,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";

const byId = isFor("lookup-by-id");
const byUrl = isFor("lookup-by-url");
const byGtin = isFor("lookup-by-gtin");
const unscoped: When = (request) => byGtin(request) && parameter(request, "retailer") === undefined;
const scoped: When = (request) =>
  byGtin(request) && !unscoped(request) && isGtin(parameter(request, "gtin") ?? "");
const withoutMode: When = (request) =>
  request.path === "/v1/products" &&
  ["url", "gtin", "category"].every((name) => parameter(request, name) === undefined);

const empty = () => jsonResponse(200, {});

/** Ignores one of two parameters that exclude each other; without `gtin`, `retailer` is dropped too. */
const accepting = (kept: string, dropped: string, when: When = () => true): WireChange =>
  onRequest((request) =>
    when(request) && parameter(request, kept) !== undefined && parameter(request, dropped) !== undefined
      ? withParameters(request, {
          [dropped]: undefined,
          ...(dropped === "gtin" && { retailer: undefined }),
        })
      : undefined,
  );

/** A `url` and a `gtin` that each find a product are accepted together if `accepts` says so of the two. */
const acceptingBoth = (
  accepts: (byUrlAlone: WireResponse, byGtinAlone: WireResponse) => boolean,
): WireChange =>
  onResponse(async (response, request, ask) => {
    const given = (name: string) => parameter(request, name) !== undefined;
    if (response.status !== 400 || !given("url") || !given("gtin")) return undefined;
    if (given("category") || given("retailer")) return undefined;
    const byUrlAlone = await ask(withParameters(request, { gtin: undefined }));
    const byGtinAlone = await ask(withParameters(request, { url: undefined }));
    const areFound = byUrlAlone.status === 200 && byGtinAlone.status === 200;
    return areFound && accepts(byUrlAlone, byGtinAlone) ? byUrlAlone : undefined;
  });

const idOf = (response: WireResponse) => {
  const { retailer, product_id: productId } = objectOf(response) ?? {};
  return JSON.stringify([retailer, productId]);
};

const ignoringRetailerOn = (status: number): WireChange =>
  askAgain(status, (request) =>
    scoped(request) ? withParameters(request, { retailer: undefined }) : undefined,
  );

const withoutParameters = [
  "query.invalid-parameter/no-parameter",
  "query.invalid-parameter/retailer-alone",
] as const;

/** Faults in the lookups by id, by URL and by GTIN. */
export const lookupFaults = {
  "unknown-retailer-404": {
    does: "An unknown retailer gets 404 instead of 400.",
    wire: onStatus(400, as(404), byId),
    fails: ["by-id.unknown-slug/known-product"],
  },
  "unentitled-retailer-404": {
    does: "A retailer without access gets 404 instead of 403.",
    wire: onStatus(403, as(404), byId),
    fails: ["by-id.unentitled-slug/existing-product"],
  },
  "unentitled-retailer-answered": {
    does: "A lookup by id returns products of retailers that the key has no access to.",
    wire: entitledToAll(byId),
    fails: ["by-id.unentitled-slug/existing-product"],
  },
  "unentitled-as-unknown": {
    does: "Every 403 is a 400.",
    wire: onStatus(403, as(400)),
    fails: ["errors.unentitled-retailer/by-gtin"],
  },
  "unknown-product-400": {
    does: "An unknown product gets 400 instead of 404.",
    wire: onStatus(404, as(400), byId),
    fails: ["by-id.unknown-product/unknown-id"],
  },
  "unknown-product-200": {
    does: "An unknown product gets 200 and an empty object.",
    wire: onStatus(404, empty, byId),
    fails: ["by-id.unknown-product/unknown-id"],
  },
  "error-with-200": {
    does: "An unknown product gets the error body with status 200.",
    wire: onStatus(404, (response) => ({ ...response, status: 200 }), byId),
    fails: ["errors.success-is-no-error/every-response", "by-id.unknown-product/unknown-id"],
  },
  "encoded-identifier-lost": {
    does: "Ids with encoded characters are not found.",
    wire: onStatus(200, as(404), (request) => byId(request) && /%[^/]*$/.test(request.path)),
    fails: ["by-id.product/every-retailer"],
  },
  "leading-zeros-lost": {
    does: "Leading zeros of an id are dropped.",
    wire: onRequest((request) =>
      byId(request) ? { ...request, path: request.path.replace(/\/0+([1-9][^/]*)$/, "/$1") } : undefined,
    ),
    fails: ["by-id.product/every-retailer"],
  },

  "url-unknown-400": {
    does: "An unknown product page gets 400 instead of 404.",
    wire: onStatus(404, as(400), byUrl),
    fails: ["query.url-not-found/unknown-page", "query.url-not-found/unknown-site"],
  },
  "url-in-other-case-found-elsewhere": {
    does: "A URL with capitals in its host finds the product that was found last.",
    wire: lastFoundInstead(
      byUrl,
      (request) => /^https?:\/\/[^/]*[A-Z]/.test(parameter(request, "url") ?? ""),
      "product_url",
    ),
    fails: ["query.url/changed-page"],
  },
  "url-unentitled-answered": {
    does: "A lookup by URL returns products of retailers that the key has no access to.",
    wire: entitledToAll(byUrl),
    fails: ["authentication.entitlement/by-url"],
  },
  "url-query-cut": {
    does: "The query of a product URL is ignored.",
    wire: onRequest((request) =>
      byUrl(request)
        ? withParameters(request, { url: parameter(request, "url")?.replace(/\?.*$/s, "") })
        : undefined,
    ),
    fails: ["query.url/known-page"],
  },
  "url-not-decoded": {
    does: "The parameter `url` is not decoded, so that no product is found.",
    // Clients must encode at least the colon and the slashes, so all of their lookups fail.
    wire: onStatus(200, as(404), (request) => byUrl(request) && /%2f/i.test(request.query)),
    fails: ["query.url/known-page"],
  },

  "gtin-other-retailer": {
    does: "A GTIN lookup at one retailer returns the product of another.",
    wire: ignoringRetailerOn(404),
    fails: ["query.gtin-mismatch/other-retailer"],
  },
  "gtin-scope-never-matches": {
    does: "A GTIN lookup with `retailer` never finds anything.",
    wire: onStatus(200, as(404), scoped),
    fails: ["query.gtin-match/own-retailer", "service.four-ways/same-product"],
  },
  "gtin-unknown-retailer-ignored": {
    does: "A GTIN lookup ignores an unknown retailer.",
    wire: ignoringRetailerOn(400),
    fails: ["errors.unknown-retailer/by-gtin"],
  },
  "gtin-in-groups-found-elsewhere": {
    does: "A GTIN with a blank finds the product that was found last.",
    wire: lastFoundInstead(byGtin, (request) => / /.test(parameter(request, "gtin") ?? ""), "gtin"),
    fails: ["query.gtin-not-found/changed-gtin"],
  },
  "gtin-unentitled-retailer-answered": {
    does: "A GTIN lookup with `retailer` returns products that the key has no access to.",
    wire: entitledToAll(scoped),
    fails: ["errors.unentitled-retailer/by-gtin"],
  },
  "gtin-unentitled-answered": {
    does: "A GTIN lookup without `retailer` returns products that the key has no access to.",
    wire: entitledToAll(unscoped),
    fails: ["authentication.entitlement/by-gtin"],
  },
  "gtin-checked-by-zero-404": {
    does: "A GTIN whose check digit is 0 is not found.",
    source: "OCA/product-attribute#99",
    wire: onStatus(200, as(404), (request) => byGtin(request) && /0$/.test(parameter(request, "gtin") ?? "")),
    fails: ["query.gtin/known"],
  },
  "gtin-unknown-400": {
    does: "An unknown GTIN gets 400 instead of 404.",
    wire: onStatus(404, as(400), unscoped),
    fails: ["query.gtin-not-found/unknown"],
  },

  "url-and-gtin-of-one-product-accepted": {
    does: "`url` and `gtin` together are accepted if both name one product.",
    wire: acceptingBoth((byUrlAlone, byGtinAlone) => idOf(byUrlAlone) === idOf(byGtinAlone)),
    fails: ["query.exclusive-identifiers/gtin-and-url"],
  },
  "url-and-gtin-of-two-products-accepted": {
    does: "`url` and `gtin` together are accepted if they name two products.",
    wire: acceptingBoth((byUrlAlone, byGtinAlone) => idOf(byUrlAlone) !== idOf(byGtinAlone)),
    fails: ["query.exclusive-identifiers/gtin-and-url"],
  },
  "gtin-and-category-accepted": {
    does: "`gtin` and `category` together are accepted; `gtin` decides.",
    wire: accepting("gtin", "category"),
    fails: ["query.category-alone/category-and-gtin"],
  },
  "url-and-category-accepted": {
    does: "`url` and `category` together are accepted.",
    wire: accepting("category", "url"),
    fails: ["query.category-alone/category-and-url"],
  },
  "all-three-accepted": {
    does: "`category`, `url` and `gtin` together are accepted.",
    wire: askAgain(400, (request) =>
      ["category", "url", "gtin"].every((name) => parameter(request, name) !== undefined)
        ? withParameters(request, { url: undefined, gtin: undefined, retailer: undefined })
        : undefined,
    ),
    fails: ["query.category-alone/category-and-url"],
  },
  "no-mode-404": {
    does: "A query without `url`, `gtin` and `category` gets 404.",
    wire: onStatus(400, as(404), withoutMode),
    fails: withoutParameters,
  },
  "empty-gtin-404": {
    does: "An empty `gtin` gets 404 instead of 400.",
    wire: onStatus(400, as(404), (request) => parameter(request, "gtin") === ""),
    fails: ["query.invalid-parameter/empty-gtin"],
  },
  "empty-url-404": {
    does: "An empty `url` gets 404 instead of 400.",
    wire: onStatus(400, as(404), (request) => parameter(request, "url") === ""),
    fails: ["query.invalid-parameter/empty-url"],
  },
  "gtin-letters-500": {
    does: "A `gtin` with letters causes 500.",
    wire: onResponse((_response, request) =>
      /[a-z]/i.test(parameter(request, "gtin") ?? "") ? as(500)() : undefined,
    ),
    fails: ["query.invalid-parameter/gtin-letters"],
  },

  "other-organization-served": {
    does: "The other organization gets what the first one may see.",
    wire: onlyFor("otherOrg", servedAs("primary")),
    fails: ["authentication.entitlement/every-product", "by-id.unentitled-slug/other-organization"],
  },
  "second-key-served": {
    does: "A second key of the organization gets what the other organization may see.",
    wire: onlyFor("sameOrg", servedAs("otherOrg")),
    fails: ["authentication.entitlement/second-key"],
  },
  "other-organization-404": {
    does: "The other organization gets 404 instead of 403.",
    wire: onlyFor("otherOrg", onStatus(403, as(404), byId)),
    fails: ["by-id.unentitled-slug/other-organization"],
  },
} satisfies FaultTable;

/** Some lookups return the product that another one found last, with another value in a field. */
function lastFoundInstead(when: When, isOdd: When, field: string): WireChange {
  return remembering(() => {
    const found = new Map<unknown, WireResponse>();
    return onResponse((response, request) => {
      const seen = objectOf(response)?.[field];
      if (!when(request) || response.status === 401) return undefined;
      if (isOdd(request)) return [...found].findLast(([value]) => value !== seen)?.[1];
      if (response.status === 200 && seen !== undefined) found.set(seen, response);
      return undefined;
    });
  });
}

/** Requests that find nothing are repeated with another caller's key, and that response is returned. */
function servedAs(caller: "primary" | "otherOrg"): WireChange {
  return (send, keys) => async (request) => {
    const response = await send(request);
    const nothingFound = isFor("batch")(request) && objectIn(objectOf(response)?.meta).found === 0;
    const refused = response.status >= 400 && [byId, byUrl, byGtin].some((isLookup) => isLookup(request));
    return nothingFound || refused ? await send(sentAs(caller, request, keys)) : response;
  };
}
