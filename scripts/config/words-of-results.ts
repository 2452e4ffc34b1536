import { keyVariables } from "../../schemas/redaction.ts";
import { coreWords } from "../../schemas/words/index.ts";
import { added } from "../core/added.ts";

/** Names of fields in results.json, and values that shelfcheck itself writes there, where they have 8 characters or more. */
const names = `shelfcheck
  accepted acceptedIn accounted after-refusal afterMilliseconds arabic-digits attempts bad-escape
  base-address batch-size batchFoundField batchFoundProduct batchRequestField belongsTo blank-inside
  both-headers burstHigh burstLow byEndpoint byRetailer byStatus byte-order-mark categories category
  category-page changed-value check-digit check-error collectedAt commandLine compared comparedPath
  comparedWith condition conditions conformance conformant connections contentType contract
  contradicted counters crossing decoded-twice deep-nesting discovered duplicate-item either-header
  empty-body empty-list empty-query endpoint endpoints environment errorCode every-batch-form
  everyMilliseconds evidence excerpts exchange exchangesLeftOut excluded exitCode expected
  expectedThere failedRate failures fewSamples fieldsByRetailer findings findingsLeftOut finishedAt
  first-digits fixtures fraction good-key gtin-of-other-retailer header-case heldBack hex-case
  hexadecimal highestRate hostile-input huge-number in-brackets in-user-info incomplete
  incomplete-item inconclusive infinite interrupted invalid-key invalid-utf8 isIncomplete iterations
  json-as-base64 json-blanks json-escapes json-order keyFingerprint keyRoles keyVariables
  known-category known-gtin known-gtin-scoped known-items known-product known-retailers known-url
  lateMilliseconds leading-zero left-out limitUnit line-break load-failed load-invalid load-not-sent
  location long-number longestRetryAfterSeconds lookup-by-gtin lookup-by-id lookup-by-url
  malformed-batch megabytes milliseconds more-digits negative-number neighbour no-content-type
  no-header no-pairs normalised not-json not-judged notApplicable nothing-judged nothing-run
  notJudged null-item number-id object-id ofChecks only-unknown-items optional other-case
  other-organization other-retailer otherKey otherOrg otherOrganization overlapping parameter-order
  parameters periodSeconds perSecond placeFlags product_id productId products prototype provokedBy
  punctuation rateLimit recoveryMilliseconds refusedAgain refusedRate refusedShare refusedWith
  repeated request-id requestRate requests requests-failed requests/s requirement-failed
  requirements response retailer retailer-domains retailer-list retailer-not-granted retailers
  retryAfter scenario schemaVersion scheme-case second-key sentence several-kinds shiftMinutes
  smallest startedAt statement statistic statuses surrogate text-for-list threshold thresholds
  together unanswered undetectedShareBound unknown-category unknown-gtin unknown-item unknown-path
  unknown-product unknown-retailer unknown-site unknown-url unlisted unreserved unusable validated
  violations virtualUsers waitSeconds waiver-expired waiver-stale wildcard withinMilliseconds
  withRetryAfter
`;

/** The words that results.json uses itself, in lower case: redacting one would make it unreadable. */
export function wordsOfResults(): string {
  const tables = [coreWords, ...added.flatMap(({ words = {}, causes = {} }) => [words, causes])];
  const codes = tables.flatMap((table) => Object.keys(table));
  const others = added.flatMap((one) => one.names ?? []);
  return [names, ...codes, ...others, ...Object.values(keyVariables)].join(" ").toLowerCase();
}
