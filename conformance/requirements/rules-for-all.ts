import { clientOnly, excluded, gap, must, ours, type Requirement } from "./requirement.ts";

/** Spec, Authentication, Errors, Limits and Versioning. */
export const generalRequirements: readonly Requirement[] = [
  must("authentication.required", "Every endpoint requires a key."),
  must("authentication.bearer", "A key is accepted as Authorization: Bearer."),
  must("authentication.x-api-key", "A key is accepted as X-Api-Key."),
  must(
    "authentication.equivalent",
    "The two headers are equivalent: the same request gets the same response.",
  ),
  must("authentication.invalid-key", "A request with an invalid key returns 401."),
  must(
    "authentication.entitlement",
    "No request returns a product of a retailer that the key's organization may not use.",
  ),
  excluded(
    "authentication.onboarding",
    "Keys are issued by the operator after the terms of use are accepted.",
    "It happens before the first request.",
  ),
  must("errors.shape", "Every error response has the body {error: {code, message}}."),
  must(
    "errors.success-is-no-error",
    "An error has an error status: no successful response has an error body.",
  ),
  must("errors.bad-request", "A response with status 400 has the code bad_request."),
  must("errors.unauthorized", "A response with status 401 has the code unauthorized."),
  must("errors.forbidden", "A response with status 403 has the code forbidden."),
  must("errors.not-found", "A response with status 404 has the code not_found."),
  must("errors.rate-limited", "A response with status 429 has the code rate_limited."),
  must("errors.retry-after", "A response with status 429 has a Retry-After header with the seconds to wait."),
  must("errors.internal-error", "A response with status 500 has the code internal_error."),
  must("errors.upstream-error", "A response with status 502 or 504 has the code upstream_error."),
  must(
    "errors.false-not-found",
    "404 means that no product matches: nothing that exists is reported as not found, left out of a batch or replaced by an empty page.",
  ),
  must(
    "errors.hostile-input",
    "Unusable input is a client error: it never causes a 500 or a closed connection.",
  ),
  must(
    "errors.unknown-retailer",
    "An unknown retailer slug returns 400 wherever a slug is accepted, never an empty result.",
  ),
  must(
    "errors.unentitled-retailer",
    "The slug of a retailer that the organization may not use returns 403 wherever a slug is accepted, never an empty result.",
  ),
  ours(
    "errors.branch-on-code",
    "A client branches on the code, never on the message.",
    "conformance/rules/rules.test.ts",
  ),
  must("limits.rate", "Exceeding the rate limit returns 429."),
  must("limits.honest-wait", "After Retry-After seconds, requests succeed again."),
  must(
    "limits.per-organization",
    "The rate limit applies per organization: its keys share it, and no other organization is affected.",
  ),
  ours(
    "limits.respect",
    "A client respects Retry-After and assumes no fixed rate.",
    "conformance/client/http-client.test.ts",
  ),
  gap(
    "limits.numbers",
    "The service has a rate limit and a page size.",
    "the rate limit, and the default and maximum of limit",
  ),
  must("versioning.path", "All endpoints are below a base URL that ends in the version segment /v1."),
  clientOnly(
    "versioning.changelog",
    "Changes such as new retailers are announced in a changelog.",
    "A changelog is not part of the API.",
  ),
  gap(
    "versioning.policy",
    "The API has a policy for compatibility and deprecation.",
    "the policy, and any version header",
  ),
];
