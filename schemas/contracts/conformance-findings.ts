import { type FindingTable, findingSchema } from "./finding-fields.ts";
import {
  array,
  boolean,
  choice,
  custom,
  literal,
  mapOf,
  number,
  object,
  optional,
  type Schema,
  string,
  unknown,
  type ValueOf,
} from "./schema.ts";
import { hostileKinds, unusualHttp, valueChanges } from "./vocabulary.ts";

// What a check, a rule or discovery finds: the fields of each code. schemas/words/ has the sentences.

const caller = choice(["primary", "sameOrg", "otherOrg", "nobody"]);

/** Values that say what was special about a request, as its condition requires. */
const ofRequest = {
  parameters: optional(mapOf(string())),
  items: optional(number()),
  retailer: optional(string()),
  after: optional(caller),
  kind: optional(choice(hostileKinds)),
  value: optional(string("The shrunk value that was drawn.")),
  runs: optional(number()),
  seed: optional(number()),
  shrunk: optional(number()),
  change: optional(choice(valueChanges)),
  instead: optional(string("The known value that was changed.")),
};

const request = { details: optional(object(ofRequest)) };
const errorCode = optional(string("error.code of the response."));
export type RequestDetails = ValueOf<typeof ofRequest>;
/** A response with a status that was not expected. */
const responded = { actual: number(), details: optional(object({ errorCode, ...ofRequest })) };
const withStatus = { details: object({ status: number() }) };
const maybeWithStatus = { details: optional(object({ status: number() })) };
const types = custom<string | readonly string[]>({ type: ["string", "array"] });
const statuses: Schema<readonly number[]> = array(number());
const counts = mapOf(number());
/** The size of a page, or several. */
const limit = custom<number | string>({ type: ["number", "string"] });
const tally = object({ count: number(), total: number() });
const tallies = { subject: caller, details: object({ first: tally }) };

/** Failures of the target. */
export const failures = {
  "wrong-status": { subject: optional(string()), expected: optional(statuses), ...responded },
  "not-json": {
    details: object({
      status: number(),
      cause: optional(choice(["empty", "syntax", "depth", "byte-order-mark"])),
      deepest: optional(number()),
    }),
  },
  "not-utf8": withStatus,
  "not-decodable": { subject: string("The coding of Content-Encoding."), ...withStatus },
  "coding-not-accepted": { subject: string("The coding of Content-Encoding."), ...withStatus },
  "client-refused": {
    subject: string("The header."),
    actual: number(),
    details: object({ sent: optional(string("Its value.")) }),
  },
  "repeated-name": { details: object({ differs: boolean() }) },
  "inexact-number": { actual: object({ type: literal("number"), digits: string() }) },
  "half-character": {},
  "stand-in": { actual: unknown() },
  "told-otherwise": {
    subject: choice(["retailer-list", "retailer-domains", "request"], "The other place."),
    expected: array(string()),
    actual: optional(unknown()),
  },
  "missing-header": { subject: string(), ...withStatus },
  "wrong-header": { subject: string(), expected: string(), actual: string(), ...withStatus },
  "error-in-success": { actual: optional(unknown()), ...withStatus },
  "error-code-mismatch": {
    expected: optional(string()),
    actual: optional(unknown()),
    details: object({ status: number(), belongsTo: optional(statuses) }),
  },
  "missing-field": { expected: optional(types), ...maybeWithStatus },
  "null-value": { expected: optional(types), ...maybeWithStatus },
  "empty-string": maybeWithStatus,
  "wrong-type": { expected: types, actual: optional(unknown()), ...maybeWithStatus },
  "wrong-format": { expected: optional(unknown()), actual: optional(unknown()), ...maybeWithStatus },
  "wrong-count": {
    subject: optional(string()),
    expected: number(),
    actual: optional(unknown()),
    details: optional(object({ counted: choice(["sent", "unknown", "known", "accounted"]) })),
  },
  "counters-disagree": { expected: number(), actual: number(), details: object({ counters: counts }) },
  "page-over-limit": { expected: number(), actual: number() },
  "other-product": {
    subject: optional(string()),
    expected: optional(unknown()),
    actual: optional(unknown()),
    ...request,
  },
  "wrapped-product": {},
  "name-for-slug": { actual: string() },
  "not-granted": { subject: caller, actual: string() },
  "page-of-nothing": { subject: string("A category that does not exist.") },
  "item-not-sent": { actual: object({ retailer: optional(unknown()), product_id: optional(unknown()) }) },
  "item-missing": {
    subject: optional(string()),
    details: optional(object({ limit: optional(limit), ...ofRequest })),
  },
  "item-repeated": {
    subject: optional(string()),
    actual: optional(unknown()),
    details: optional(object({ limit })),
  },
  "item-miscounted": { expected: number(), actual: number() },
  "item-unexpected": {
    subject: optional(string()),
    details: optional(object({ limit: optional(limit), ...ofRequest })),
  },
  "no-found-list": { expected: optional(number()) },
  "retailer-not-listed": { subject: string() },
  "listed-retailer-refused": { subject: string(), ...responded },
  "write-accepted": { subject: string(), ...responded },
  "differs-between-ways": {
    subject: string(),
    expected: optional(unknown()),
    actual: optional(unknown()),
    details: optional(object({ shiftMinutes: number() })),
  },
  "status-differs": { expected: number(), ...responded },
  "shown-by-one-only": { subject: optional(string()), details: object({ by: choice(["one", "other"]) }) },
  "paging-never-ends": {
    subject: string(),
    actual: optional(unknown()),
    details: object({
      repeats: optional(choice(["cursor", "products"])),
      products: optional(number()),
      /** Pages of an earlier walk, which ended. */
      pagesBefore: optional(number()),
    }),
  },
  "cursor-kept": { actual: string() },
  "empty-products": { actual: unknown(), details: object({ empty: number(), products: number() }) },
  "cursor-rejected": { subject: string(), actual: optional(number()), details: responded.details },
  "refused-after-wait": { expected: number() },
  "wait-overstated": { expected: number(), actual: number() },
  "limit-shared": tallies,
  "limit-per-key": tallies,
  "limit-per-header": tallies,
  "closed-on-input": {
    subject: string(),
    expected: statuses,
    details: object({ failure: string(), method: optional(string()), url: optional(string()), ...ofRequest }),
  },
  "false-not-found": { subject: optional(string()), actual: number() },
  "retailer-of-other-organization": { subject: string(), details: optional(object({ caller })) },
  "instances-differ": {
    expected: array(string("A slug of the most frequent list that is missing here.")),
    actual: array(string("A slug that is only here.")),
    details: object({ counts: array(number("How often each list came.")) }),
  },
} as const satisfies FindingTable;
export type FailureCode = keyof typeof failures;

/** Which of several allowed readings was seen, and how much was checked. */
export const readings = {
  answered: { expected: optional(statuses), actual: number() },
  checked: { details: optional(object({ endpoints: array(string()) })) },
  "judged-elsewhere": { subject: string() },
  "item-reported": {},
  "walk-ended": { subject: string(), details: optional(object({ products: number() })) },
  "limit-reached": {},
  "accepted-after-wait": { actual: number() },
  "limit-tally": tallies,
} as const satisfies FindingTable;
export type ReadingCode = keyof typeof readings;

const gateway = string("Its own name for itself.");

/** Why something was not judged, and notices about a run. */
export const notJudged = {
  "no-response-exercised": {
    subject: string(),
    expected: optional(statuses),
    details: optional(
      object({
        statuses: optional(counts),
        provokedBy: optional(string("The requirement whose checks usually provoke such a response.")),
        verdict: optional(string("The verdict of that requirement.")),
      }),
    ),
  },
  "status-not-seen": { expected: statuses },
  "control-failed": responded,
  "target-stopped": { subject: string(), details: optional(object({ url: string() })) },
  "target-unavailable": {
    actual: number(),
    details: object({ since: string() }),
  },
  "key-rejected-since": {
    subject: choice(["primary", "sameOrg", "otherOrg"]),
    details: object({ since: string() }),
  },
  "endpoint-silent": {},
  "requests-lost": { details: counts },
  "no-answer": { subject: string(), details: optional(object({ url: string() })) },
  "still-rate-limited": {},
  "refusal-kept": {},
  "wait-too-long": { expected: number(), actual: number() },
  "upstream-failing": { actual: number() },
  "budget-spent": { subject: choice(["requests", "seconds", "megabytes"]), expected: number() },
  "product-gone": {},
  "access-changed": { subject: string() },
  "not-reached": {},
  avoided: { subject: string() },
  "lost-on-the-way": { subject: optional(gateway), details: counts },
  "public-response": { actual: string("Cache-Control.") },
  "refused-on-the-way": { details: counts },
  "failed-at-times": { details: counts },
  "answered-on-the-way": { subject: optional(gateway), actual: number() },
  "limited-on-the-way": { subject: optional(gateway), actual: number() },
  "certificate-unchecked": {},
  "unusual-http": { subject: choice(unusualHttp) },
  "waiver-ends": {
    subject: string("What is waived."),
    expected: string("Its last day."),
    actual: number("Days."),
  },
  "certificate-ends": { expected: string(), actual: number("Days.") },
  "harness-error": { actual: string() },
  "limit-not-reached": {
    actual: number(),
    details: optional(
      object({
        refused: number(),
        refusedWith: optional(number()),
        cached: optional(number("Responses of the burst that show a cache.")),
      }),
    ),
  },
  "limit-unclear": { subject: caller, details: optional(object({ first: tally })) },
  "limit-not-shown": { subject: caller, actual: optional(number()) },
  "burst-lost": {},
  "key-not-cut": {},
  "key-without-case": {},
  "no-wait-given": {},
} as const satisfies FindingTable;
export type NotJudgedCode = keyof typeof notJudged;

const names = array(string());
/** Categories, each with the status of its page, or the reason why there was none. */
const browsed = {
  details: object({
    categories: array(
      object({
        category: string(),
        status: optional(number()),
        said: optional(string("Its message or text.")),
        cutShort: optional(literal(true, "Its first page is empty and has no next_cursor to follow.")),
        cause: optional(findingSchema(notJudged, "Why it could not be browsed.")),
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
    subject: optional(string()),
    expected: optional(types),
    actual: optional(unknown()),
    details: object({ categories: names, unlisted: optional(number()), hasList: optional(boolean()) }),
  },
  "nothing-found-by": {
    subject: optional(literal("otherOrg")),
    actual: optional(number()),
    details: optional(object({ retailer: string() })),
  },
  "no-product-with": { subject: string(), details: object({ retailer: string() }) },
  "no-retailer": { subject: caller, actual: number(), details: optional(object({ entries: number() })) },
  "no-same-org-key": {},
  "no-other-org-key": {},
  "key-refused": { subject: caller, actual: number() },
  "key-role-unclear": { subject: caller },
  "key-lists-differ": { subject: caller, details: optional(object({ lacks: names, more: names })) },
  "no-foreign-retailer": {},
  "no-foreign-product": { details: object({ retailers: names, categories: names }) },
  "no-own-product": { details: object({ retailers: names }) },
  "batch-not-understood": {
    details: object({
      answered: boolean(),
      tried: names,
      status: optional(number("That of every response, if it says nothing about names.")),
      location: optional(string()),
    }),
  },
  "category-too-long": { subject: string() },
  "no-cursor": { subject: string() },
  "no-unused-gtin": {},
  "no-retailer-without-gtin": {},
} as const satisfies FindingTable;
export type MissingFixtureCode = keyof typeof missingFixtures;
