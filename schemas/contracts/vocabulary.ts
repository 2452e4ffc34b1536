// Names that both rooms use: what makes them, and schemas/words/, which says them.

/** How a known value of a request is changed a little: conformance/suite/changed-values.ts. */
export const valueChanges = [
  "other-case",
  "blank-inside",
  "cut",
  "suffix",
  "prefix",
  "neighbour",
  "wildcard",
  "decoded-twice",
  "plus",
  "leading-zero",
  "fraction",
  "check-digit",
  "more-digits",
  "first-digits",
  "normalised",
  "other-retailer",
  "in-user-info",
] as const;
export type ValueChange = (typeof valueChanges)[number];

/** Kinds of hostile input: conformance/suite/hostile-input.ts has the values. */
export const hostileKinds = [
  "nul",
  "invalid-utf8",
  "surrogate",
  "long",
  "long-number",
  "unicode",
  "punctuation",
  "line-break",
  "blank",
  "32-bit",
  "64-bit",
  "huge-number",
  "negative-number",
  "infinite",
  "hexadecimal",
  "arabic-digits",
  "no-url",
  "no-host",
  "bad-port",
  "bad-address",
  "long-host",
  "other-scheme",
  "bad-escape",
  "empty",
  "json-as-base64",
  "repeated",
  "in-brackets",
  "no-pairs",
  "prototype",
  "not-asked-for",
  "several-kinds",
  "empty-body",
  "null-body",
  "null-list",
  "object-for-list",
  "empty-list",
  "null-item",
  "number-item",
  "nested-list",
  "number-id",
  "null-id",
  "object-id",
  "list-id",
  "deep-nesting",
  "repeated-key",
  "trailing-comma",
  "no-content-type",
  "text-type",
  "form-type",
  "broken-type",
  "drawn",
] as const;
export type HostileKind = (typeof hostileKinds)[number];

/** Forms of a batch that is malformed. */
export type MalformedForm = "not-json" | "no-list" | "text-for-list";

/** Exit codes of a run. */
export const exitCodes = [0, 1, 2, 3, 4, 130] as const;

/** What a run that judges requirements comes to. */
export const outcomes = ["conformant", "violations", "partial", "incomplete", "error"] as const;

/** How a schema describes the list of causes. */
export const aboutCauses =
  "What decided verdict and exit code. Where several apply, the first in this order.";
