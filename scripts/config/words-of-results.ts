import { endpoints } from "../../schemas/api.ts";
import { causes } from "../../schemas/contracts/verdicts.ts";
import * as vocabulary from "../../schemas/contracts/vocabulary.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { coreWords } from "../../schemas/words/index.ts";
import { added } from "../core/added.ts";

/** Names of fields in results.json, and values that shelfcheck itself writes there, where they have 8 characters or more. */
const names = `
  shelfcheck accepted accounted attempts batchFoundField batchFoundProduct batchRequestField belongsTo
  burstHigh burstLow byEndpoint byRetailer byStatus byte-order-mark categories category commandLine
  compared comparedPath comparedWith condition conditions conformance conformant contract contradicted
  counters crossing discovered endpoint endpoints environment errorCode evidence excerpts exchange
  exchangesLeftOut excluded exitCode expected expectedThere failedRate failures fewSamples
  fieldsByRetailer findings findingsLeftOut finishedAt fixtures heldBack highestRate incomplete
  inconclusive isIncomplete iterations keyFingerprint keyRoles keyVariables lateMilliseconds left-out
  limitUnit location longestRetryAfterSeconds megabytes milliseconds notApplicable notJudged ofChecks
  optional otherOrg otherOrganization overlapping periodSeconds perSecond placeFlags product_id productId
  products provokedBy rateLimit refusedAgain refusedRate refusedShare refusedWith
  request-id requestRate requests requests/s requirements response retailer retailer-domains retailer-list
  retryAfter scenario schemaVersion sentence shiftMinutes startedAt statement statistic statuses threshold
  thresholds unanswered undetectedShareBound unlisted unusable validated violations virtualUsers
  withRetryAfter
`;

/** The words that results.json uses itself, in lower case: redacting one would make it unreadable. */
export function wordsOfResults(): string {
  const ofCapabilities = added.flatMap((one) => [one.words ?? {}, one.causes ?? {}]);
  const tables = [coreWords, causes, endpoints, ...Object.values(vocabulary), ...ofCapabilities];
  const codes = tables.flatMap((table) => Object.keys(table));
  const others = added.flatMap((one) => one.names ?? []);
  return [names, ...codes, ...others, ...Object.values(keyVariables)].join(" ").toLowerCase();
}
