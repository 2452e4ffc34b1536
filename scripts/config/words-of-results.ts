import { keyVariables } from "../../schemas/redaction.ts";
import { allWords } from "../core/capability.ts";

/** Names of fields in results.json, and values that shelfcheck itself writes there, where they have 8 characters or more. */
const names = `shelfcheck
  accepted acceptedIn accounted additions after-refusal afterMilliseconds arabic-digits attempts bad-address
  bad-escape bad-gateway bad-port base-address batch-size batchFoundField batchFoundProduct
  batchRequestField belongsTo blank-inside both-headers breaking burstHigh burstLow byEndpoint
  byRetailer byStatus byte-order-mark categories category category-page changed-value check-digit
  check-error client-failed closed-idle collectedAt commandLine compared comparedPath comparedWith
  condition conditions conformance conformant connection connections contentType contract contract-broken
  contradicted counters crossing decoded-twice deep-nesting differences different discovered
  duplicate-item either-header empty-body empty-list endpoint endpoints environment errorCode
  every-batch-form everyMilliseconds evidence excerpts exchange exchangesLeftOut excluded exitCode expected
  expectedThere
  failedRate failures fewSamples fields-added fields-missing fields-omitted fieldsByRetailer
  findings findingsLeftOut finishedAt first-digits fixtures fraction gateway-timeout good-key
  gtin-of-other-retailer heldBack hexadecimal highestRate hostile-input huge-number in-brackets
  in-user-info incomplete incomplete-item inconclusive infinite interrupted invalid-key invalid-utf8
  isComplete isIncomplete iterations json-as-base64 keep-looking-up keyFingerprint keyRoles keyVariables
  known-category known-gtin known-gtin-scoped known-items known-product known-retailers known-url
  lagMilliseconds lasting-failure lateMilliseconds latency-slower leading-zero left-out
  limitUnit line-break list-retailers load-failed load-invalid load-not-sent location long-host
  long-number longestRetryAfterSeconds longestSeconds lookup-by-gtin lookup-by-id lookup-by-url
  malformed-batch megabytes message-changed milliseconds more-digits negative-number neighbour
  no-content-type no-pairs normalised not-judged not-started notApplicable notJudged
  nothing-judged nothing-run null-item number-id object-id
  ofChecks only-unknown-items optional other-case other-organization other-retailer other-scheme otherKey
  otherOrg otherOrganization overlapping page-empty page-short parameters perSecond periodSeconds
  placeFlags processes productId product_id products prototype provokedBy punctuation rateLimit
  recoveryMilliseconds refusedAgain refusedRate refusedShare refusedWith repeated request-id
  requestRate requests requests-failed requests/s requirement-failed requirements response responses
  responses-differ retailer retailer-domains retailer-left retailer-list retailer-not-granted retailers
  retailers-changed retryAfter scenario schemaVersion search-retailers second-key sentence several-kinds
  shiftMinutes situation situations smallest startedAt statement statistic statuses still-limited
  surrogate threshold thresholds time-over timeline too-long too-many-requests
  twin-not-judged unanswered undetectedShareBound unknown-category unknown-gtin unknown-item unknown-path
  unknown-product unknown-retailer unknown-site unknown-url unlisted unusable validated verdicts
  violations virtualUsers wait-twice waitSeconds waiver-expired waiver-stale wildcard
  withRetryAfter withinMilliseconds
`;

/** The words that results.json uses itself, in lower case: redacting one would make it unreadable. */
export const wordsOfResults = [names, ...Object.keys(allWords), ...Object.values(keyVariables)]
  .join(" ")
  .toLowerCase();
