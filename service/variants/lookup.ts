import type { Call } from "../call.ts";
import {
  type Change,
  errorAnswer,
  onAnswer,
  onRespond,
  onStatus,
  queryOf,
  respondOr,
  wayOf,
  withEveryRetailer,
  withQuery,
} from "../changes/answer-changes.ts";
import { gtinNumber } from "../query/gtin.ts";
import { badRequest, forbidden, notFound, Refusal } from "../refusal.ts";
import { variantsOf } from "./variant.ts";

const unentitledOpen =
  "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).";
const invalid = "A missing or invalid parameter gives 400 (`bad_request`).";
const resolves =
  "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.";
const gtinRule = "gtin | string | mode 2 | GTIN (UPC, EAN or similar).";
const urlRule =
  "url | string, URL-encoded | mode 1 | Product page URL. The retailer is resolved server-side.";

const isGtin = (call: Call) => wayOf(call) === "gtin";
const own: Readonly<Record<string, readonly string[]>> = {
  url: ["url"],
  gtin: ["gtin", "retailer"],
  category: ["category", "limit", "cursor"],
};

export const lookupVariants = variantsOf("GET /v1/products (query-driven)", [
  [
    "url-unentitled-404",
    "url.unentitled",
    unentitledOpen,
    onStatus(
      403,
      () => errorAnswer(404, "not_found"),
      (call) => wayOf(call) === "url",
    ),
  ],
  ["gtin-unentitled-403", "gtin.unentitled", unentitledOpen, gtinRefused()],
  ["gtin-resolves-to-one-retailer", "gtin.scoped-to-retailer", resolves, oneRetailer()],
  [
    "gtin-unchecked",
    "gtin.invalid",
    invalid,
    onRespond(async (call, inner) => {
      const gtin = isGtin(call) ? queryOf(call).get("gtin") : null;
      if (gtin === null || gtin === "" || gtinNumber(gtin) !== undefined) return inner(call);
      // Asked with a GTIN that nobody has, so that all other rules hold.
      return inner(withQuery(call, { gtin: "00000000" }));
    }),
  ],
  [
    "gtin-only-as-written",
    "gtin.equivalents",
    gtinRule,
    onRespond(async (call, inner) => {
      const answer = await inner(call);
      if (!isGtin(call) || typeof answer.body !== "string") return answer;
      const { gtin } = JSON.parse(answer.body);
      if (gtin !== queryOf(call).get("gtin")) throw notFound("No product has this GTIN.");
      return answer;
    }),
  ],
  [
    "url-only-as-written",
    "url.equivalents",
    urlRule,
    onRespond(async (call, inner) => {
      const answer = await inner(call);
      if (wayOf(call) !== "url" || typeof answer.body !== "string") return answer;
      const { product_url } = JSON.parse(answer.body);
      if (product_url !== queryOf(call).get("url")) throw notFound("The URL is no product page.");
      return answer;
    }),
  ],
  [
    "foreign-parameters-ignored",
    "modes.other-parameters",
    invalid,
    onRespond((call, inner) => {
      const mode = wayOf(call);
      const names = call.endpoint === "products" && mode !== undefined ? own[mode] : undefined;
      if (names === undefined) return inner(call);
      const foreign = ["retailer", "limit", "cursor"].filter((name) => !names.includes(name));
      return inner(withQuery(call, Object.fromEntries(foreign.map((name) => [name, undefined]))));
    }),
  ],
  [
    "unknown-parameters-refused",
    "modes.unknown-parameters",
    invalid,
    onRespond(async (call, inner) => {
      const known = Object.values(own).flat();
      const unknown = [...queryOf(call).keys()].some((name) => !known.includes(name));
      if (unknown) throw badRequest("The query has a parameter that is not known.");
      return inner(call);
    }),
  ],
  [
    "existence-before-entitlement",
    "identifier.order",
    "An unknown product gives 404 (`not_found`).",
    existenceFirst(),
  ],
]);

/** A GTIN that only unentitled retailers have is refused, not hidden. */
function gtinRefused(): Change {
  return {
    steps: (steps, sources) => ({
      ...steps,
      respond: (call) =>
        respondOr(steps.respond, call, async (error) => {
          const unscoped = isGtin(call) && !queryOf(call).has("retailer");
          if (!unscoped || !(error instanceof Refusal) || error.status !== 404) throw error;
          await steps.respond(withEveryRetailer(call, sources.permissions()));
          throw forbidden("Your organization may not use the retailer of this product.");
        }),
    }),
  };
}

/** A GTIN belongs to the first entitled retailer that has it; scoped to any other it is not found. */
function oneRetailer(): Change {
  return onRespond(async (call, inner) => {
    const answer = await inner(call);
    const scoped = isGtin(call) && queryOf(call).has("retailer");
    if (!scoped || typeof answer.body !== "string") return answer;
    const resolved = await inner(withQuery(call, { retailer: undefined }));
    if (resolved.body !== answer.body) throw notFound("The GTIN belongs to another retailer.");
    return answer;
  });
}

/** A product that nobody has is not found, even at an unentitled retailer. */
function existenceFirst(): Change {
  return {
    steps: (steps, sources) => ({
      ...steps,
      respond: (call) =>
        respondOr(steps.respond, call, async (error) => {
          if (call.endpoint === "product" && error instanceof Refusal && error.status === 403) {
            await steps.respond(withEveryRetailer(call, sources.permissions()));
          }
          throw error;
        }),
    }),
  };
}

export const routeVariants = variantsOf("Errors", [
  [
    "wrong-method-404",
    "http.wrong-method",
    "Every error response has the Error body shape `{ error: { code, message } }`.",
    onStatus(405, () => errorAnswer(404, "not_found")),
  ],
  [
    "wrong-content-type-400",
    "http.content-type",
    "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    onStatus(415, () => errorAnswer(400, "bad_request")),
  ],
  [
    "messages-vary",
    "error.message-wording",
    "error.message | string | Human-readable text. Its wording may change.",
    onAnswer((answer) => {
      const code = answer.status < 400 ? undefined : JSON.parse(JSON.stringify(answer.body)).error?.code;
      if (typeof code !== "string") return undefined;
      return { ...answer, body: { error: { code, message: `Das geht so nicht (${crypto.randomUUID()}).` } } };
    }),
  ],
  [
    "error-details",
    "error.extra-fields",
    "Every error response has the Error body shape `{ error: { code, message } }`.",
    onAnswer((answer) => {
      const error = answer.status < 400 ? undefined : JSON.parse(JSON.stringify(answer.body)).error;
      if (error === undefined) return undefined;
      return {
        ...answer,
        body: { error: { ...error, request_id: crypto.randomUUID() }, documentation: "/docs" },
      };
    }),
  ],
]);
