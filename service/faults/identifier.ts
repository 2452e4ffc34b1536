import type { Call } from "../call.ts";
import { errorAnswer, onAnswer, onRespond, onStatus, withEveryRetailer } from "../changes/answer-changes.ts";
import { notFound } from "../refusal.ts";
import { faultsOf } from "./fault.ts";

const byIdentifier = (call: Call) => call.endpoint === "product";
const ownIdentifier =
  "`product_id`: the retailer's own identifier (for example an ASIN-style, item-ID-style or SKU-style identifier).";
const unknownSlug = "A slug that does not exist gives 400 (`bad_request`).";
const unentitled = "A slug the organization is not entitled to gives 403 (`forbidden`).";
const unknownProduct = "An unknown product gives 404 (`not_found`).";

export const identifierFaults = faultsOf("GET /v1/products/{retailer}/{product_id}", [
  [
    "unknown-retailer-404",
    "identifier.unknown-retailer",
    unknownSlug,
    onStatus(400, () => errorAnswer(404, "not_found"), byIdentifier),
  ],
  [
    "unknown-retailer-403",
    "identifier.unknown-retailer",
    unknownSlug,
    onStatus(400, () => errorAnswer(403, "forbidden"), byIdentifier),
  ],
  [
    "unknown-retailer-silent",
    "identifier.unknown-retailer",
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
    onStatus(400, () => ({ status: 200, headers: {}, body: {} }), byIdentifier),
  ],
  [
    "unentitled-retailer-404",
    "identifier.unentitled-retailer",
    unentitled,
    onStatus(403, () => errorAnswer(404, "not_found"), byIdentifier),
  ],
  [
    "unentitled-retailer-401",
    "identifier.unentitled-retailer",
    unentitled,
    onStatus(403, () => errorAnswer(401, "unauthorized"), byIdentifier),
  ],
  [
    "unentitled-retailer-answered",
    "identifier.unentitled-retailer",
    unentitled,
    {
      steps: (steps, sources) => ({
        ...steps,
        respond: (call) =>
          steps.respond(byIdentifier(call) ? withEveryRetailer(call, sources.permissions()) : call),
      }),
    },
  ],
  [
    "unknown-product-400",
    "identifier.unknown-product",
    unknownProduct,
    onStatus(404, () => errorAnswer(400, "bad_request"), byIdentifier),
  ],
  [
    "unknown-product-200",
    "identifier.unknown-product",
    unknownProduct,
    onStatus(404, () => ({ status: 200, headers: {}, body: {} }), byIdentifier),
  ],
  [
    "unknown-product-204",
    "identifier.unknown-product",
    unknownProduct,
    onStatus(404, () => ({ status: 204, headers: {}, body: "" }), byIdentifier),
  ],
  [
    "encoded-identifier-lost",
    "identifier.any-character",
    ownIdentifier,
    onRespond(async (call, inner) => {
      if (
        byIdentifier(call) &&
        encodeURIComponent(call.parameters.product_id ?? "") !== call.parameters.product_id
      ) {
        // A wrong retailer is still refused as it should be.
        await inner(call);
        throw notFound("The retailer has no product with this identifier.");
      }
      return inner(call);
    }),
  ],
  [
    "leading-zeros-lost",
    "identifier.leading-zeros",
    ownIdentifier,
    onRespond(async (call, inner) => {
      const { product_id = "" } = call.parameters;
      if (!byIdentifier(call) || !/^0+[1-9]/.test(product_id)) return inner(call);
      return inner({
        ...call,
        parameters: { ...call.parameters, product_id: product_id.replace(/^0+/, "") },
      });
    }),
  ],
  [
    "product-in-envelope",
    "identifier.product",
    "Response 200: a Product.",
    onAnswer((answer, call) =>
      answer.status === 200 && byIdentifier(call) && typeof answer.body === "string"
        ? { ...answer, body: `{"product":${answer.body}}` }
        : undefined,
    ),
  ],
  [
    "product-in-list",
    "identifier.product",
    "Response 200: a Product.",
    onAnswer((answer, call) =>
      answer.status === 200 && byIdentifier(call) && typeof answer.body === "string"
        ? { ...answer, body: `[${answer.body}]` }
        : undefined,
    ),
  ],
]);
