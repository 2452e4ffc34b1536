import { clientOnly, excluded, gap, must, ours, type Requirement } from "./requirement.ts";

/** Spec, Authentication, Errors, Limits and Versioning. */
export const generalRequirements: readonly Requirement[] = [
  must("authentication.required", "Every endpoint requires a key."),
  must("authentication.bearer", "A key is taken from Authorization: Bearer."),
  must("authentication.x-api-key", "A key is taken from X-Api-Key."),
  must("authentication.equivalent", "The two headers are equivalent: the same request gets the same answer."),
  must("authentication.invalid-key", "A request with a key that is not valid is answered with 401."),
  must(
    "authentication.entitlement",
    "A key never gets a product of a retailer that its organization may not use, on any way.",
  ),
  excluded(
    "authentication.onboarding",
    "Keys are issued by the operator, after the terms are accepted.",
    "It happens before any request.",
  ),
  must("errors.shape", "Every error answer has the body {error: {code, message}}."),
  must(
    "errors.success-is-no-error",
    "An error is told by its status: an answer with status 200 carries no error body.",
  ),
  must("errors.bad-request", "Status 400 carries the code bad_request."),
  must("errors.unauthorized", "Status 401 carries the code unauthorized."),
  must("errors.forbidden", "Status 403 carries the code forbidden."),
  must("errors.not-found", "Status 404 carries the code not_found."),
  must("errors.rate-limited", "Status 429 carries the code rate_limited."),
  must("errors.retry-after", "Status 429 carries Retry-After, the seconds to wait."),
  must("errors.internal-error", "Status 500 carries the code internal_error."),
  must("errors.upstream-error", "Status 502 and status 504 carry the code upstream_error."),
  must(
    "errors.unknown-retailer",
    "An unknown retailer slug is answered with 400 wherever a slug is accepted, never with an empty result.",
  ),
  must(
    "errors.unentitled-retailer",
    "The slug of a retailer that the organization may not use is answered with 403 wherever a slug is accepted, never with an empty result.",
  ),
  ours(
    "errors.branch-on-code",
    "A client branches on the code, never on the message.",
    "conformance/rules/rules.test.ts",
  ),
  must("limits.rate", "Exceeding the rate limit is answered with 429."),
  must("limits.honest-wait", "Whoever waits as Retry-After says is let in again."),
  must(
    "limits.per-organization",
    "The rate limit is applied per organization: its keys share it, and no other organization is touched.",
  ),
  ours(
    "limits.respect",
    "A client respects Retry-After and assumes no fixed rate.",
    "conformance/client/exchange.test.ts",
  ),
  gap(
    "limits.numbers",
    "There is a rate limit and a page size.",
    "the rate limit, and the default and the maximum of limit",
  ),
  must("versioning.path", "All endpoints are under the base address, which ends in the version segment /v1."),
  clientOnly(
    "versioning.changelog",
    "Changes such as new retailers are announced in a changelog.",
    "A changelog is no part of the API.",
  ),
  gap(
    "versioning.policy",
    "Versions change under a policy.",
    "compatibility, deprecation and any version header",
  ),
];
