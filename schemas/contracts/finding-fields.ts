import {
  array,
  choice,
  count,
  custom,
  literal,
  mapOf,
  named,
  type Optional,
  object,
  openObject,
  optional,
  type Schema,
  type Static,
  string,
  unknown,
  type ValueOf,
} from "./schema.ts";

// What findings consist of. A code has fields of its own (subject, expected, actual, details); all other fields are the
// same for every code.

export const endpointId = choice(
  ["retailers", "lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch", "other"],
  "As in schemas/api.ts; `other` is a request to anything else.",
);

const condition = named(
  "Condition",
  choice(
    [
      "good-key",
      "known-retailers",
      "no-key",
      "invalid-key",
      "both-headers",
      "either-header",
      "second-key",
      "other-organization",
      "retailer-not-granted",
      "unknown-retailer",
      "known-product",
      "unknown-product",
      "known-url",
      "unknown-url",
      "unknown-site",
      "known-gtin",
      "unknown-gtin",
      "known-gtin-scoped",
      "gtin-of-other-retailer",
      "known-category",
      "unknown-category",
      "parameters",
      "known-items",
      "duplicate-item",
      "unknown-item",
      "only-unknown-items",
      "batch-size",
      "malformed-batch",
      "incomplete-item",
      "every-batch-form",
      "unknown-path",
      "burst",
      "base-address",
      "hostile-input",
      "changed-value",
      "at-once",
      "after-refusal",
      "in-turn",
    ],
    "What was special about a request. schemas/words/requests.ts has the words.",
  ),
);
export type Condition = Static<typeof condition>;

export const responder = named(
  "Responder",
  object(
    {
      by: choice(["between", "cache", "instance", "unclear"]),
      name: optional(string("Its own name for itself.")),
      lacks: optional(array(string(), "Headers that every response of the service has and this one lacks.")),
      cache: optional(string("The header that shows a cache, as `name: value`.")),
      answers: optional(
        array(
          object({ status: count(), count: count() }),
          "The different responses that the same request got by turns, and how often.",
        ),
      ),
      control: optional(
        count(
          "Status of the same request with one unused parameter, where only its other response shows a cache.",
        ),
      ),
    },
    "What gave a response, if it was not certainly the service: something in front of it, a cache, one of several instances that differ, or it cannot be told.",
  ),
);

const sharedFields = {
  endpoint: optional(endpointId),
  condition: optional(condition),
  path: optional(string("JSON Pointer into the body of the response, such as `/products/9/mpn`.")),
  product: optional(object({ retailer: string(), productId: string() }, "The product concerned.")),
  unit: optional(
    choice(
      ["ms", "s", "requests/s", "share", "count", "bytes"],
      "Unit of expected and actual where they are measured.",
    ),
  ),
  seen: optional(
    object(
      {
        count: count(),
        total: optional(count()),
        of: choice([
          "responses",
          "requests",
          "products",
          "items",
          "pages",
          "attempts",
          "iterations",
          "samples",
          "lines",
          "pods",
        ]),
      },
      "How often, out of how many.",
    ),
  ),
  byStatus: optional(
    array(
      object({ status: count(), count: count() }),
      "The statuses of the responses in which it was seen, if they differ: `details.status` is that of the first.",
    ),
  ),
  byRetailer: optional(
    array(
      object({ retailer: string(), count: count(), total: count() }),
      "Where it was seen: the affected products of each retailer, out of those checked.",
    ),
  ),
  byEndpoint: optional(
    array(
      object({ endpoint: endpointId, count: count(), total: count() }),
      "As byRetailer: the responses of each endpoint.",
    ),
  ),
  exchange: optional(count("Index in the evidence of the exchange that shows it.")),
  comparedWith: optional(count("Index in the evidence of the exchange that it was compared with.")),
  leftBy: optional(
    count(
      "Index in the evidence of an earlier exchange, usually with another key, that got the same response: a cache may have kept it.",
    ),
  ),
  from: optional(responder),
  comparedPath: optional(string("JSON Pointer to the same value there, if it differs from `path`.")),
};
export type SharedFields = ValueOf<typeof sharedFields>;

/**
 * The fields of a code: what it is about, where that needs a name (a field, a category, a metric); what is required; what
 * was seen instead, the value itself when it is small, otherwise its `type` and `size`; more values for its sentence.
 */
export type OwnFields = {
  readonly subject?: Schema | Optional;
  readonly expected?: Schema | Optional;
  readonly actual?: Schema | Optional;
  readonly details?: Schema | Optional;
};

/** Findings by code. */
export interface FindingTable {
  readonly [code: string]: OwnFields;
}

/** The codes of a table. */
export function keysOf<Table extends FindingTable>(table: Table): (keyof Table & string)[] {
  return Object.keys(table);
}

/** A finding of a code of a table; of one of several codes, a union. */
export type FindingIn<Table, Code extends keyof Table = keyof Table> = {
  [C in Code]: { code: C } & SharedFields &
    (Table[C] extends infer Own extends OwnFields ? ValueOf<Own> : never) & {
      [K in Exclude<keyof OwnFields, keyof Table[C]>]?: never;
    };
}[Code];

/** The schema of the findings of a table. */
export function findingSchema<const Table extends FindingTable>(
  table: Table,
  description: string,
): Schema<FindingIn<Table>> {
  const branches = Object.entries(table).map(([code, own]) => {
    const { properties, ...rest } = openObject({ code: literal(code), ...own });
    const unused = Object.keys(ownFields).filter((name) => !(name in own));
    return {
      ...rest,
      properties: Object.assign({}, properties, Object.fromEntries(unused.map((name) => [name, false]))),
    };
  });
  return custom({
    ...object({ code: string(), ...sharedFields, ...ownFields }, description),
    discriminator: { propertyName: "code" },
    oneOf: branches,
  });
}

const ownFields = {
  subject: optional(
    string(
      "What the code is about, where it needs one more name: a field, a category, a retailer, a metric.",
    ),
  ),
  expected: optional(
    unknown(
      "What the spec, the profile or the baseline requires: a value, a list of allowed values, or a limit.",
    ),
  ),
  actual: optional(
    unknown(
      "What was seen instead: the value itself when it is small, otherwise its `type` and `size`. Omitted when there was nothing.",
    ),
  ),
  details: optional(mapOf(unknown(), "More values that the sentence of this code needs.")),
} satisfies OwnFields;
