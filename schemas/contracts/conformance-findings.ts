import type { FindingIn, FindingTable } from "./finding-fields.ts";
import * as t from "./schema.ts";
import { hostileKinds, valueChanges } from "./vocabulary.ts";

// What a check, a rule or discovery finds: the fields of each code. schemas/words/ has the sentences.

const caller = t.choice(["primary", "sameOrg", "otherOrg", "nobody"]);

/** Values that say what was special about a request, as its condition requires. */
const ofRequest = {
  parameters: t.optional(t.mapOf(t.string())),
  items: t.optional(t.number()),
  retailer: t.optional(t.string()),
  after: t.optional(caller),
  kind: t.optional(t.choice(hostileKinds)),
  value: t.optional(t.string("The shrunk value that was drawn.")),
  runs: t.optional(t.number()),
  seed: t.optional(t.number()),
  shrunk: t.optional(t.number()),
  change: t.optional(t.choice(valueChanges)),
  instead: t.optional(t.string("The known value that was changed.")),
};

const request = { details: t.optional(t.object(ofRequest)) };
const errorCode = t.optional(t.string("error.code of the response."));
export type RequestDetails = t.ValueOf<typeof ofRequest>;
/** A response with a status that was not expected. */
const responded = { actual: t.number(), details: t.optional(t.object({ errorCode, ...ofRequest })) };
const withStatus = { details: t.object({ status: t.number() }) };
const maybeWithStatus = { details: t.optional(t.object({ status: t.number() })) };
const types = t.custom<string | readonly string[]>({ type: ["string", "array"] });
const statuses: t.Schema<readonly number[]> = t.array(t.number());
const counts = t.mapOf(t.number());
/** The size of a page, or several. */
const limit = t.custom<number | string>({ type: ["number", "string"] });
const tally = t.object({ count: t.number(), total: t.number() });
const tallies = { subject: caller, details: t.object({ first: tally }) };

/** Failures of the target. */
export const failures = {
  "wrong-status": { subject: t.optional(t.string()), expected: t.optional(statuses), ...responded },
  "not-json": {
    details: t.object({
      status: t.number(),
      cause: t.optional(t.choice(["empty", "syntax", "depth", "byte-order-mark"])),
      deepest: t.optional(t.number()),
    }),
  },
  "not-utf8": withStatus,
  "not-decodable": { subject: t.string("The coding of Content-Encoding."), ...withStatus },
  "coding-not-accepted": { subject: t.string("The coding of Content-Encoding."), ...withStatus },
  "client-refused": {
    subject: t.string("The header."),
    actual: t.number(),
    details: t.object({ sent: t.optional(t.string("Its value.")) }),
  },
  "repeated-name": { details: t.object({ differs: t.boolean() }) },
  "inexact-number": { actual: t.object({ type: t.literal("number"), digits: t.string() }) },
  "half-character": {},
  "stand-in": { actual: t.unknown() },
  "told-otherwise": {
    subject: t.choice(["retailer-list", "retailer-domains", "request"], "The other place."),
    expected: t.array(t.string()),
    actual: t.optional(t.unknown()),
  },
  "missing-header": { subject: t.string(), ...withStatus },
  "wrong-header": { subject: t.string(), expected: t.string(), actual: t.string(), ...withStatus },
  "error-in-success": { actual: t.optional(t.unknown()), ...withStatus },
  "error-code-mismatch": {
    expected: t.optional(t.string()),
    actual: t.optional(t.unknown()),
    details: t.object({ status: t.number(), belongsTo: t.optional(statuses) }),
  },
  "missing-field": { expected: t.optional(types), ...maybeWithStatus },
  "null-value": { expected: t.optional(types), ...maybeWithStatus },
  "empty-string": maybeWithStatus,
  "wrong-type": { expected: types, actual: t.optional(t.unknown()), ...maybeWithStatus },
  "wrong-format": { expected: t.optional(t.unknown()), actual: t.optional(t.unknown()), ...maybeWithStatus },
  "wrong-count": {
    subject: t.optional(t.string()),
    expected: t.number(),
    actual: t.optional(t.unknown()),
    details: t.optional(t.object({ counted: t.choice(["sent", "unknown", "known", "accounted"]) })),
  },
  "counters-disagree": { expected: t.number(), actual: t.number(), details: t.object({ counters: counts }) },
  "page-over-limit": { expected: t.number(), actual: t.number() },
  "other-product": {
    subject: t.optional(t.string()),
    expected: t.optional(t.unknown()),
    actual: t.optional(t.unknown()),
    ...request,
  },
  "wrapped-product": {},
  "name-for-slug": { actual: t.string() },
  "not-granted": { subject: caller, actual: t.string() },
  "page-of-nothing": { subject: t.string("A category that does not exist.") },
  "item-not-sent": {
    actual: t.object({ retailer: t.optional(t.unknown()), product_id: t.optional(t.unknown()) }),
  },
  "item-missing": {
    subject: t.optional(t.string()),
    details: t.optional(t.object({ limit: t.optional(limit), ...ofRequest })),
  },
  "item-repeated": {
    subject: t.optional(t.string()),
    actual: t.optional(t.unknown()),
    details: t.optional(t.object({ limit })),
  },
  "item-miscounted": { expected: t.number(), actual: t.number() },
  "item-unexpected": {
    subject: t.optional(t.string()),
    details: t.optional(t.object({ limit: t.optional(limit), ...ofRequest })),
  },
  "no-found-list": { expected: t.optional(t.number()) },
  "retailer-not-listed": { subject: t.string() },
  "listed-retailer-refused": { subject: t.string(), ...responded },
  "write-accepted": { subject: t.string(), ...responded },
  "differs-between-ways": {
    subject: t.string(),
    expected: t.optional(t.unknown()),
    actual: t.optional(t.unknown()),
    details: t.optional(t.object({ shiftMinutes: t.number() })),
  },
  "status-differs": { expected: t.number(), ...responded },
  "shown-by-one-only": {
    subject: t.optional(t.string()),
    details: t.object({ by: t.choice(["one", "other"]) }),
  },
  "paging-never-ends": {
    subject: t.string(),
    actual: t.optional(t.unknown()),
    details: t.object({
      repeats: t.optional(t.choice(["cursor", "products"])),
      products: t.optional(t.number()),
    }),
  },
  "cursor-kept": { actual: t.string() },
  "empty-products": { actual: t.unknown(), details: t.object({ empty: t.number(), products: t.number() }) },
  "cursor-rejected": { subject: t.string(), actual: t.optional(t.number()), details: responded.details },
  "refused-after-wait": { expected: t.number() },
  "limit-shared": tallies,
  "limit-per-key": tallies,
  "limit-per-header": tallies,
  "closed-on-input": {
    subject: t.string(),
    expected: statuses,
    details: t.object({
      failure: t.string(),
      method: t.optional(t.string()),
      url: t.optional(t.string()),
      ...ofRequest,
    }),
  },
  "false-not-found": { subject: t.optional(t.string()), actual: t.number() },
  "retailer-of-other-organization": { subject: t.string(), details: t.optional(t.object({ caller })) },
  "instances-differ": {
    expected: t.array(t.string("A slug of the most frequent list that is missing here.")),
    actual: t.array(t.string("A slug that is only here.")),
    details: t.object({ counts: t.array(t.number("How often each list came.")) }),
  },
} as const satisfies FindingTable;
export type FailureCode = keyof typeof failures;

/** Which of several allowed readings was seen, and how much was checked. */
export const readings = {
  answered: { expected: t.optional(statuses), actual: t.number() },
  checked: { details: t.optional(t.object({ endpoints: t.array(t.string()) })) },
  "judged-elsewhere": { subject: t.string() },
  "item-reported": {},
  "walk-ended": { subject: t.string(), details: t.optional(t.object({ products: t.number() })) },
  "limit-reached": {},
  "accepted-after-wait": { actual: t.number() },
  "limit-tally": tallies,
} as const satisfies FindingTable;
export type ReadingCode = keyof typeof readings;

const gateway = t.string("Its own name for itself.");

/** Why something was not judged, and notices about a run. */
export const notJudged = {
  "no-response-exercised": {
    subject: t.string(),
    expected: t.optional(statuses),
    details: t.optional(
      t.object({
        statuses: t.optional(counts),
        provokedBy: t.optional(t.string("The requirement whose checks usually provoke such a response.")),
      }),
    ),
  },
  "status-not-seen": { expected: statuses },
  "control-failed": responded,
  "target-stopped": { subject: t.string(), details: t.optional(t.object({ url: t.string() })) },
  "target-unavailable": {
    actual: t.number(),
    details: t.object({ since: t.string() }),
  },
  "key-rejected-since": {
    subject: t.choice(["primary", "sameOrg", "otherOrg"]),
    details: t.object({ since: t.string() }),
  },
  "endpoint-silent": {},
  "requests-lost": { details: counts },
  "no-answer": { subject: t.string(), details: t.optional(t.object({ url: t.string() })) },
  "still-rate-limited": {},
  "wait-too-long": { expected: t.number(), actual: t.number() },
  "upstream-failing": { actual: t.number() },
  "budget-spent": { subject: t.choice(["requests", "seconds", "megabytes"]), expected: t.number() },
  "product-gone": {},
  "access-changed": { subject: t.string() },
  "not-reached": {},
  avoided: { subject: t.string() },
  "lost-on-the-way": { subject: t.optional(gateway), details: counts },
  "public-response": { actual: t.string("Cache-Control.") },
  "refused-on-the-way": { details: counts },
  "failed-at-times": { details: counts },
  "answered-on-the-way": { subject: t.optional(gateway), actual: t.number() },
  "limited-on-the-way": { subject: t.optional(gateway), actual: t.number() },
  "certificate-unchecked": {},
  "waiver-ends": {
    subject: t.string("What is waived."),
    expected: t.string("Its last day."),
    actual: t.number("Days."),
  },
  "limit-not-probed": {
    details: t.object({ perSecond: t.optional(t.number()), burst: t.optional(t.number()) }),
  },
  "certificate-ends": { expected: t.string(), actual: t.number("Days.") },
  "harness-error": { actual: t.string() },
  "limit-not-reached": {
    actual: t.number(),
    details: t.optional(
      t.object({
        refused: t.number(),
        refusedWith: t.optional(t.number()),
        cached: t.optional(t.number("Responses of the burst that show a cache.")),
      }),
    ),
  },
  "limit-unclear": { subject: caller, details: t.optional(t.object({ first: tally })) },
  "limit-not-shown": { subject: caller, actual: t.optional(t.number()) },
  "burst-lost": {},
  "key-not-cut": {},
  "key-without-case": {},
  "no-other-category": { subject: t.string("The category that was walked to its end.") },
  "no-wait-given": {},
} as const satisfies FindingTable;
export type NotJudgedCode = keyof typeof notJudged;

const names = t.array(t.string());
/** Categories, each with the status of its page, or the reason why there was none. */
const browsed = {
  details: t.object({
    categories: t.array(
      t.object({
        category: t.string(),
        status: t.optional(t.number()),
        said: t.optional(t.string("Its message or text.")),
        unreadable: t.optional(t.literal(true, "Its first page is not JSON.")),
        cutShort: t.optional(t.literal(true, "Its first page is empty and has no next_cursor to follow.")),
        cause: t.optional(t.custom<FindingIn<typeof notJudged>>({})),
      }),
    ),
  }),
};

/** What a check needs and discovery did not find. */
export const missingFixtures = {
  "no-category": {},
  "category-shows-nothing": browsed,
  "category-not-browsable": browsed,
  "no-product": {
    subject: t.optional(t.string()),
    expected: t.optional(types),
    actual: t.optional(t.unknown()),
    details: t.object({
      categories: names,
      unlisted: t.optional(t.number()),
      hasList: t.optional(t.boolean()),
    }),
  },
  "nothing-found-by": {
    subject: t.optional(t.literal("otherOrg")),
    actual: t.optional(t.number()),
    details: t.optional(t.object({ retailer: t.string() })),
  },
  "no-product-with": { subject: t.string(), details: t.object({ retailer: t.string() }) },
  "no-retailer": {
    subject: caller,
    actual: t.number(),
    details: t.optional(t.object({ entries: t.number() })),
  },
  "no-same-org-key": {},
  "no-other-org-key": {},
  "key-refused": { subject: caller, actual: t.number() },
  "key-role-unclear": { subject: caller },
  "key-lists-differ": { subject: caller, details: t.optional(t.object({ lacks: names, more: names })) },
  "no-foreign-retailer": {},
  "no-foreign-product": { details: t.object({ retailers: names, categories: names }) },
  "no-own-product": { details: t.object({ retailers: names }) },
  "batch-not-understood": {
    details: t.object({
      answered: t.boolean(),
      tried: names,
      status: t.optional(t.number("That of every response, if it says nothing about names.")),
      location: t.optional(t.string()),
    }),
  },
  "category-too-long": { subject: t.string() },
  "no-cursor": { subject: t.string() },
  "no-unused-gtin": {},
  "no-retailer-without-gtin": {},
} as const satisfies FindingTable;
export type MissingFixtureCode = keyof typeof missingFixtures;
