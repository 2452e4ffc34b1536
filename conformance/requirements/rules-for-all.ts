import { excluded, gap, must, onClients, type RequirementEntries, should } from "./requirement.ts";

/** Spec, Authentication, Errors, Limits and Versioning. */
export const generalRequirements = {
  "authentication.required": must(
    "Every request carries an API key in either of two headers (equivalent):",
    "Every endpoint requires a key.",
    "access",
  ),
  "authentication.equivalent": must(
    "Every request carries an API key in either of two headers (equivalent):",
    "The two headers are equivalent: the same request gets the same response.",
  ),
  "authentication.bearer": must(
    "`Authorization: Bearer <API_KEY>`",
    "A key is accepted as Authorization: Bearer.",
    "access",
  ),
  "authentication.x-api-key": must("`X-Api-Key: <API_KEY>`", "A key is accepted as X-Api-Key.", "access"),
  "authentication.key-in-header": onClients(
    "Every request carries an API key in either of two headers (equivalent):",
    "A client sends its key in one of the two headers, and nowhere else.",
  ),
  "authentication.onboarding": excluded(
    "Acceptance of terms of use is part of onboarding, before a key is activated.",
    "Keys are issued by the operator after the terms of use are accepted.",
    "It happens before the first request.",
  ),
  "authentication.invalid-key": must(
    "A missing or invalid key gives 401 (`unauthorized`).",
    "A request with an invalid key returns 401.",
    "access",
  ),
  // The spec does not say that the case of a key counts.
  "authentication.exact-key": should(
    "A missing or invalid key gives 401 (`unauthorized`).",
    "A key in another case is not accepted.",
    "access",
  ),
  "authentication.entitlement": must(
    "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
    "No request returns a product of a retailer that the key's organization may not use: it gets 403, 404 or, by GTIN, another product.",
    "access",
  ),
  "errors.shape": must(
    "Every error response has the Error body shape `{ error: { code, message } }`.",
    "Every error response has the body {error: {code, message}}.",
  ),
  "errors.success-is-no-error": must(
    "Every error response has the Error body shape `{ error: { code, message } }`.",
    "An error has an error status: no successful response has an error body.",
  ),
  "errors.branch-on-code": onClients(
    "Clients branch on `code`, never on `message`.",
    "A client branches on the code, never on the message.",
  ),
  // The specification does not forbid to repeat a request that cannot succeed.
  "errors.final-refusals": onClients(
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    "A client does not repeat a request that 400, 401, 403 or 404 refused.",
    "should",
  ),
  "errors.patient-retries": onClients(
    "The internal catalog returned an error or timed out.",
    "A client gives up a request that keeps failing on the side of the service.",
    "should",
  ),
  "errors.bad-request": must(
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    "A response with status 400 has the code bad_request.",
  ),
  "errors.unauthorized": must(
    "API key missing or invalid.",
    "A response with status 401 has the code unauthorized.",
  ),
  "errors.forbidden": must(
    "Key valid but not entitled to the request (for example a retailer not granted).",
    "A response with status 403 has the code forbidden.",
  ),
  "errors.not-found": must("No matching product.", "A response with status 404 has the code not_found."),
  "errors.rate-limited": must(
    "Rate limit exceeded.",
    "A response with status 429 has the code rate_limited.",
  ),
  "errors.retry-after": must(
    "The `Retry-After` response header gives the seconds to wait.",
    "A response with status 429 has a Retry-After header with the seconds to wait.",
  ),
  "errors.internal-error": must(
    "Failure on the service side.",
    "A response with status 500 has the code internal_error.",
  ),
  "errors.upstream-error": must(
    "The internal catalog returned an error or timed out.",
    "A response with status 502 or 504 has the code upstream_error.",
  ),
  "errors.false-not-found": must(
    "No matching product.",
    "404 means that no product matches: nothing that exists is reported as not found, left out of a batch or replaced by an empty page.",
  ),
  "errors.hostile-input": must(
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    "No input, however unusual, causes a server error or a missing response.",
  ),
  "errors.unknown-retailer": must(
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
    "An unknown retailer slug returns 400, or is listed under errors in a batch, never an empty result.",
  ),
  "errors.unentitled-retailer": must(
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
    "The slug of a retailer that is not granted returns 403, or is listed under errors in a batch, never an empty result.",
    "access",
  ),
  "limits.rate": must(
    "exceeding it gives 429 with `Retry-After` (seconds)",
    "Exceeding the rate limit returns 429.",
  ),
  "limits.per-organization": must(
    "applied per organization",
    "The rate limit applies per organization: its keys share it, and no other organization is affected.",
  ),
  "limits.honest-wait": must(
    "The `Retry-After` response header gives the seconds to wait.",
    "After Retry-After seconds, requests succeed again.",
  ),
  "limits.respect": onClients(
    "Clients must respect `Retry-After` and not assume a fixed rate.",
    "A client respects Retry-After and assumes no fixed rate.",
  ),
  // A client may give up as well; it has not sent anything too early.
  "limits.sent-again": onClients(
    "The `Retry-After` response header gives the seconds to wait.",
    "A client sends a refused request again after the wait.",
    "should",
  ),
  "limits.numbers": gap(
    "The numeric request rate limit: not shown.",
    "The service has a rate limit and a page size.",
    "the rate limit, and the default and maximum of limit",
  ),
  "versioning.path": must(
    "the base address ends in the segment `/v1`, and all endpoints are under it.",
    "All endpoints are below a base URL that ends in the version segment /v1.",
  ),
  "versioning.changelog": excluded(
    "Changes such as new retailers are announced in a changelog.",
    "Changes such as new retailers are announced in a changelog.",
    "A changelog is not part of the API.",
  ),
  "versioning.policy": gap(
    "Compatibility and deprecation policy, and any version header: not shown.",
    "The API has a policy for compatibility and deprecation.",
    "the policy, and any version header",
  ),
} satisfies RequirementEntries;
