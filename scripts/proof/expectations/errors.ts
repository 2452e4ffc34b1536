import { caught, type Expectation } from "../expectation.ts";

const json = "service.json/every-response";
const shape = "errors.shape/every-answer";

/** Faults in error answers, in the status-to-code table, and in the JSON of any answer. */
export const errorExpectations: readonly Expectation[] = [
  ...caught("errors.not-found/code", ["wrong-code"]),
  ...caught("errors.bad-request/code", ["code-400-invalid-request"]),
  ...caught("errors.unauthorized/code", ["code-401-invalid-key"]),
  ...caught("errors.forbidden/code", ["code-403-upper-case"]),
  ...caught("errors.rate-limited/code", ["code-429-too-many"]),
  ...caught("errors.internal-error/code", ["code-500-server-error"]),
  ...caught("errors.upstream-error/code", ["code-502-bad-gateway", "code-504-internal-error"]),
  ...caught("errors.unentitled-retailer/by-gtin", ["unentitled-as-unknown"], {
    "by-id.unentitled-slug": "that is the same sentence for the lookup by id",
    "authentication.entitlement": "400 where 403 or 404 belong",
  }),
  ...caught(shape, [
    "error-flat",
    "error-flat-on-403",
    "error-flat-on-404",
    "error-flat-on-429",
    "error-is-text",
    "error-in-list",
  ]),
  ...caught([shape, json], ["error-empty-on-401"]),
  ...caught("error-body.code/every-error", ["error-code-missing", "error-code-number"]),
  ...caught("error-body.message/every-error", [
    "error-message-missing",
    "error-message-null",
    "error-message-list",
  ]),

  ...caught(json, ["content-type-text", "content-type-text-in-batch", "content-type-text-on-errors"]),
  ...caught(json, ["single-quotes-by-gtin"], {
    "product.same-shape": "what cannot be read has no fields",
    "query.gtin-mismatch": "what cannot be read shows no product",
  }),
  ...caught([json, shape], ["html-on-404", "html-on-unknown-route", "html-on-401"]),
  ...caught(json, ["trailing-text-after-retailers"], {
    "retailers.shape": "what cannot be read has no list",
  }),
  ...caught(json, ["latin-1"], {
    "retailers.shape": "what cannot be read has no list",
    "query.paging": "a page that cannot be read shows no products",
  }),
];
