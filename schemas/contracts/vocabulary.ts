// Names that both rooms use, what makes them and schemas/words/, with the words of each.

/** What was special about a request, after its endpoint. `schemas/words/finding-words.ts` fills in the braces. */
export const conditions = {
  "good-key": "with a valid key in {subject}",
  "known-retailers": "with the key",
  "no-key": "without a key",
  "invalid-key": "with an invalid key",
  "key-in-other-case": "with a valid key in another case",
  "both-headers": "with a key in each header",
  "either-header": "with the key in either header",
  "second-key": "with the second key of the organization",
  "other-spelling": "{spelling}",
  "other-organization": "with the key of the other organization",
  "retailer-not-granted": "at retailer {subject}, which is not listed for the key,",
  "product-not-granted": "of {product}, whose retailer is not listed for the key,",
  "unknown-retailer": "at retailer {subject}, which is made up,",
  "known-product": "of {product}, which a category page lists,",
  "unknown-product": "of {product}, which is made up,",
  "known-value": "{subject} of {product}",
  "unknown-value": "{subject}, which is made up,",
  "unknown-site": "{subject}, on no retailer's site,",
  "known-gtin-scoped": "{subject} of {product}, scoped to its retailer,",
  "gtin-of-other-retailer": "{subject} of {product}, scoped to {retailer},",
  "known-category": "of {subject}, which was browsed before,",
  "unknown-category": "of {subject}, which is made up,",
  parameters: "{parameters}",
  "known-items": "of {known}",
  "duplicate-item": "with an item that is sent twice",
  "unknown-item": "with one unknown product",
  "only-unknown-items": "of unknown products only",
  "batch-size": "of {items}",
  "malformed-batch": "{malformed}",
  "incomplete-item": "with an item without product_id",
  "every-batch-form": "of known products",
  "unknown-path": "to a path that is not an endpoint",
  burst: "in a burst of requests",
  "base-address": "below the base URL",
  "after-refusal": "of {product}, after a similar request,",
  "in-turn": "{ofProduct}after the same request with the key of {after},",
  "refused-before":
    "of {product} with the key of the other organization, refused until the first key requested it,",
  "changed-value": "with {subject}, which is {instead} {change},",
  "hostile-input": "with {hostile}",
} as const;
export type Condition = keyof typeof conditions;

/** How a known value of a request is changed a little: conformance/suite/changed-values.check.ts. */
export const valueChanges = {
  "other-case": "with its host in another case",
  "blank-inside": "with a blank inside",
  cut: "without its end",
  suffix: "with more at its end",
  prefix: "with more before it",
  "other-id": "with another id or number",
  wildcard: "with a wildcard of SQL",
  "decoded-twice": "with its first character percent-encoded",
  accent: "with two dots on a letter",
  plus: "with a plus for each blank",
  "leading-zero": "with a leading zero",
  fraction: "with a fraction",
  "check-digit": "with a wrong check digit",
  "more-digits": "with more digits",
  "first-digits": "with other first digits",
  normalised: "with other punctuation",
  "other-retailer": "replaced by that of another retailer",
  "other-host": "on another host",
  "in-user-info": "with its host before an @",
} as const;
export type ValueChange = keyof typeof valueChanges;

/** Kinds of hostile input: conformance/suite/hostile-input.ts has the values. */
export const hostileKinds = {
  nul: "a NUL",
  "invalid-utf8": "bytes that are not UTF-8",
  surrogate: "a lone surrogate",
  long: "5,000 characters",
  "long-number": "a number of 5,000 digits",
  unicode: "combining characters, right-to-left text and emoji",
  punctuation: "quotes and other punctuation",
  "line-break": "a line break",
  blank: "a space",
  "32-bit": "the largest signed number of 32 bits",
  "64-bit": "a number beyond signed 64 bits",
  "huge-number": "a number of 40 digits",
  "negative-number": "a negative number",
  zero: "zero",
  "large-number": "the number 20,000",
  quotes: "quotes",
  patch: "`PATCH`",
  get: "`GET`",
  "unknown-path": "an unknown path",
  "no-url": "a text that is not a URL",
  "bad-escape": "malformed percent-encoding",
  empty: "nothing",
  repeated: "repeated parameters",
  "in-brackets": "names in brackets",
  "no-pairs": "empty and malformed pairs",
  prototype: "the name `__proto__`",
  "several-kinds": "unusual values of several kinds",
  "empty-list": "an empty list",
  "null-body": "null",
  "null-list": "null as the list",
  "null-item": "null as an item",
  "number-id": "a number as product_id",
  "object-id": "an object as product_id",
  "deep-nesting": "5,000 nested arrays",
  drawn: "a random value",
} as const;
export type HostileKind = keyof typeof hostileKinds;

/** Forms of a batch that is malformed. */
export const malformedForms = {
  "not-json": "whose body is not JSON",
  "no-list": "whose body has no list of items",
  "text-for-list": "whose body has a string in place of the list",
} as const;

/** How a request may be written differently with the same meaning: conformance/suite/spellings.ts. */
export const spellings = {
  header: "with",
  "no-header": "without",
  together: "with several of its parts written differently",
  "header-case": "with header names in another case",
  "scheme-case": "with its authentication scheme in lower case",
  unreserved: "with plain characters percent-encoded",
  "hex-case": "with lower-case hexadecimal digits in its escapes",
  "parameter-order": "with its parameters in another order",
  "json-blanks": "with blanks and line breaks in its JSON",
  "json-order": "with the names of its objects in another order",
  "json-escapes": "with the characters of its JSON escaped",
  "empty-query": "with a question mark at its end",
} as const;
export type SpellingName = keyof typeof spellings;
