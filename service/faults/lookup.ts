import type { Answer, Call } from "../call.ts";
import {
  type Change,
  errorAnswer,
  onRespond,
  onStatus,
  queryOf,
  respondOr,
  textOf,
  wayOf,
  withEveryRetailer,
  withQuery,
} from "../changes/answer-changes.ts";
import { gtinNumber } from "../query/gtin.ts";
import { domainsAbove, pageAddress } from "../query/product-url.ts";
import { notFound, Refusal } from "../refusal.ts";
import type { Catalogue } from "../upstream.ts";
import { faultsOf } from "./fault.ts";

const byUrl = (call: Call) => wayOf(call) === "url" && modesOf(call).length === 1;
const byGtin = (call: Call) => wayOf(call) === "gtin" && modesOf(call).length === 1;
const scoped = (call: Call) =>
  byGtin(call) && queryOf(call).has("retailer") && gtinNumber(queryOf(call).get("gtin") ?? "") !== undefined;
const unscoped = (call: Call) => byGtin(call) && !queryOf(call).has("retailer");
const modesOf = (call: Call) => ["url", "gtin", "category"].filter((name) => queryOf(call).has(name));

const emptyAnswer = (): Answer => ({ status: 200, headers: {}, body: {} });

const respondEntitled = (applies: (call: Call) => boolean): Change => ({
  steps: (steps, sources) => ({
    ...steps,
    respond: (call) => steps.respond(applies(call) ? withEveryRetailer(call, sources.permissions()) : call),
  }),
});

/** Answers a request of two modes by one of them, as if the other had not been sent. */
const lenientWith = (kept: string, dropped: string): Change =>
  onRespond((call, inner) =>
    inner(
      call.endpoint === "products" && queryOf(call).has(kept) && queryOf(call).has(dropped)
        ? withQuery(call, { [dropped]: undefined })
        : call,
    ),
  );

const unresolved = "When the URL does not resolve to a product in the catalog, the response is 404.";
const scopeRule =
  "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.";
const unknownSlug =
  "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.";
const exclusive = "`gtin` and `url` are mutually exclusive. Exactly one identifier per request.";
const notCombined = "`category` cannot be combined with `gtin` or `url`.";
const invalid = "A missing or invalid parameter gives 400 (`bad_request`).";
const forbiddenRule =
  "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).";
const noProduct = "404 | not_found | No matching product.";
const encoded =
  "url | string, URL-encoded | mode 1 | Product page URL. The retailer is resolved server-side.";

export const lookupFaults = faultsOf("GET /v1/products (query-driven)", [
  [
    "url-unknown-400",
    "url.unresolved",
    unresolved,
    onStatus(404, () => errorAnswer(400, "bad_request"), byUrl),
  ],
  ["url-unknown-empty", "url.unresolved", unresolved, onStatus(404, emptyAnswer, byUrl)],
  [
    "url-unknown-403",
    "url.unresolved",
    unresolved,
    onStatus(404, () => errorAnswer(403, "forbidden"), byUrl),
  ],
  ["url-host-ignored", "url.unresolved", unresolved, onEveryHost()],
  ["url-unentitled-answered", "url.unentitled", forbiddenRule, respondEntitled(byUrl)],
  [
    "url-query-cut",
    "url.encoded",
    encoded,
    onRespond(async (call, inner) => {
      const url = byUrl(call) ? queryOf(call).get("url") : null;
      if (url === null || !url.includes("?")) return inner(call);
      return inner(withQuery(call, { url: url.slice(0, url.indexOf("?")) }));
    }),
  ],
  [
    "url-not-decoded",
    "url.encoded",
    encoded,
    onRespond(async (call, inner) => {
      // Clients have to encode at least the colon and the slashes: all of their lookups fail.
      if (byUrl(call) && /url=[^&]*%2F/i.test(call.query)) throw notFound("The URL is no product page.");
      return inner(call);
    }),
  ],
  [
    "gtin-other-retailer",
    "gtin.scoped-to-retailer",
    scopeRule,
    onRespond((call, inner) =>
      respondOr(inner, call, (error) => {
        if (!scoped(call) || !(error instanceof Refusal) || error.status !== 404) throw error;
        return inner(withQuery(call, { retailer: undefined }));
      }),
    ),
  ],
  [
    "gtin-mismatch-400",
    "gtin.scoped-to-retailer",
    scopeRule,
    onMismatch(() => errorAnswer(400, "bad_request")),
  ],
  [
    "gtin-mismatch-403",
    "gtin.scoped-to-retailer",
    scopeRule,
    onMismatch(() => errorAnswer(403, "forbidden")),
  ],
  ["gtin-mismatch-empty", "gtin.scoped-to-retailer", scopeRule, onMismatch(emptyAnswer)],
  [
    "gtin-scope-never-matches",
    "gtin.scoped-match",
    "retailer | string (slug) | optional, with gtin | Scopes the GTIN lookup to one retailer.",
    onStatus(200, () => errorAnswer(404, "not_found"), scoped),
  ],
  [
    "gtin-unknown-retailer-404",
    "gtin.unknown-retailer",
    unknownSlug,
    onStatus(400, () => errorAnswer(404, "not_found"), scoped),
  ],
  [
    "gtin-unknown-retailer-ignored",
    "gtin.unknown-retailer",
    unknownSlug,
    onRespond((call, inner) =>
      respondOr(inner, call, (error) => {
        if (!scoped(call) || !(error instanceof Refusal) || error.status !== 400) throw error;
        return inner(withQuery(call, { retailer: undefined }));
      }),
    ),
  ],
  [
    "gtin-unentitled-retailer-404",
    "gtin.unentitled-retailer",
    unknownSlug,
    onStatus(403, () => errorAnswer(404, "not_found"), scoped),
  ],
  ["gtin-unentitled-retailer-answered", "gtin.unentitled-retailer", forbiddenRule, respondEntitled(scoped)],
  ["gtin-unentitled-answered", "gtin.unentitled", forbiddenRule, respondEntitled(unscoped)],
  [
    "gtin-unknown-400",
    "gtin.unknown",
    noProduct,
    onStatus(404, () => errorAnswer(400, "bad_request"), unscoped),
  ],
  ["gtin-unknown-empty", "gtin.unknown", noProduct, onStatus(404, emptyAnswer, unscoped)],
  [
    "gtin-answers-list",
    "gtin.product",
    "`gtin` (optionally with `retailer`): returns a Product.",
    onStatus(200, (answer) => ({ ...answer, body: `{"products":[${textOf(answer)}]}` }), unscoped),
  ],
  [
    "url-answers-list",
    "url.product",
    "`url`: returns a Product.",
    onStatus(200, (answer) => ({ ...answer, body: `[${textOf(answer)}]` }), byUrl),
  ],
  ["url-and-gtin-accepted", "modes.url-gtin", exclusive, lenientWith("url", "gtin")],
  ["gtin-and-category-accepted", "modes.gtin-category", notCombined, lenientWith("gtin", "category")],
  ["url-and-category-accepted", "modes.url-category", notCombined, lenientWith("category", "url")],
  [
    "no-mode-empty-list",
    "modes.missing",
    invalid,
    onStatus(
      400,
      () => ({ status: 200, headers: {}, body: { products: [], meta: { next_cursor: "", count: 0 } } }),
      (call) => call.endpoint === "products" && modesOf(call).length === 0,
    ),
  ],
  [
    "no-mode-404",
    "modes.missing",
    invalid,
    onStatus(
      400,
      () => errorAnswer(404, "not_found"),
      (call) => call.endpoint === "products" && modesOf(call).length === 0,
    ),
  ],
]);

/** A scoped GTIN that some retailer has, though not the one that was asked for. */
function onMismatch(answer: () => Answer): Change {
  return onRespond((call, inner) =>
    respondOr(inner, call, async (error) => {
      if (!scoped(call) || !(error instanceof Refusal) || error.status !== 404) throw error;
      await inner(withQuery(call, { retailer: undefined }));
      return answer();
    }),
  );
}

/** A page is looked up by its path alone. */
function onEveryHost(): Change {
  return {
    steps: (steps, sources) => ({
      ...steps,
      respond: (call) =>
        respondOr(steps.respond, call, async (error) => {
          const address = byUrl(call) ? pageAddress(queryOf(call).get("url") ?? "") : undefined;
          if (!(error instanceof Refusal) || error.status !== 404 || address === undefined) throw error;
          const host = await someHost(sources.catalogue, address.path, call);
          if (host === undefined) throw error;
          const domains = sources.permissions().retailersByDomain;
          if ([...domainsAbove(address.host)].some((domain) => domains.has(domain))) throw error;
          return steps.respond(withQuery(call, { url: `https://${host}${address.path}` }));
        }),
    }),
  };
}

async function someHost(catalogue: Catalogue, path: string, call: Call): Promise<string | undefined> {
  const pages = await catalogue.byPagePath(path);
  return pages.find(({ retailer }) => call.caller?.entitled.has(retailer))?.host;
}
