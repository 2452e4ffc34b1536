import type { Requirement } from "./requirement.ts";

/** Every sentence of the spec that the suite judges. */
export const requirements: readonly Requirement[] = [
  {
    id: "service.omitted-fields",
    level: "must",
    statement:
      "A field that a retailer did not provide is left out: it is never null and never an empty string.",
  },
  {
    id: "product.field-types",
    level: "must",
    statement: "A product field that the spec names has the type that the spec gives it.",
  },
  {
    id: "by-id.unknown-slug",
    level: "must",
    statement: "A lookup by id under a retailer slug that does not exist is answered with 400.",
  },
  {
    id: "by-id.unentitled-slug",
    level: "must",
    statement: "A lookup by id under a retailer that the organization may not use is answered with 403.",
  },
  {
    id: "by-id.unknown-product",
    level: "must",
    statement: "A lookup by id of a product that the retailer does not have is answered with 404.",
  },
  {
    id: "query.url-not-found",
    level: "must",
    statement: "A URL that leads to no product of the catalogue is answered with 404.",
  },
  {
    id: "query.gtin-match",
    level: "must",
    statement: "A GTIN scoped to a retailer that has the product gives that retailer's product.",
  },
  {
    id: "query.gtin-mismatch",
    level: "must",
    statement:
      "A GTIN scoped to a retailer other than the one that its product resolves to is answered with 404, never with another retailer's product.",
  },
  {
    id: "query.invalid-parameter",
    level: "must",
    statement: "A request without the parameters of a mode, or with an invalid one, is answered with 400.",
  },
  {
    id: "authentication.missing-key",
    level: "must",
    statement: "A request without a key is answered with 401.",
  },
  {
    id: "authentication.invalid-key",
    level: "must",
    statement: "A request with a key that is not valid is answered with 401.",
  },
  {
    id: "errors.shape",
    level: "must",
    statement: "Every error answer has the body {error: {code, message}} with two texts.",
  },
  {
    id: "errors.bad-request",
    level: "must",
    statement: "Status 400 carries the code bad_request.",
  },
  {
    id: "errors.unauthorized",
    level: "must",
    statement: "Status 401 carries the code unauthorized.",
  },
  {
    id: "errors.forbidden",
    level: "must",
    statement: "Status 403 carries the code forbidden.",
  },
  {
    id: "errors.not-found",
    level: "must",
    statement: "Status 404 carries the code not_found.",
  },
  {
    id: "errors.rate-limited",
    level: "must",
    statement: "Status 429 carries the code rate_limited.",
  },
  {
    id: "errors.internal-error",
    level: "must",
    statement: "Status 500 carries the code internal_error.",
  },
  {
    id: "errors.upstream-error",
    level: "must",
    statement: "Status 502 and status 504 carry the code upstream_error.",
  },
  {
    id: "errors.unknown-retailer",
    level: "must",
    statement:
      "An unknown retailer slug is answered with 400 wherever a slug is accepted, never with an empty result.",
  },
  {
    id: "errors.unentitled-retailer",
    level: "must",
    statement:
      "The slug of a retailer that the organization may not use is answered with 403 wherever a slug is accepted, never with an empty result.",
  },
];

/** A requirement by its id. */
export function requirement(id: string): Requirement {
  const found = requirements.find((candidate) => candidate.id === id);
  if (found === undefined)
    throw new Error(`no requirement has the id ${id}: add it to requirements/catalogue.ts`);
  return found;
}
