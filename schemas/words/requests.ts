import type { Condition, RequestDetails, SharedFields } from "../contracts/finding-fields.ts";
import type { HostileKind, MalformedForm, ValueChange } from "../contracts/vocabulary.ts";
import { type About, endpointName, productOf, retailerName, subject } from "./finding-fields.ts";
import { counted } from "./format.ts";
import { code } from "./values.ts";

// How a request reads in a sentence: its endpoint, and what was special about it.

/** What a finding says about a request. */
type RequestFields = SharedFields & About & { readonly details?: RequestDetails | undefined };

/** The request of a finding as it reads in a sentence. */
export function requested(finding: RequestFields): string {
  const condition = finding.condition === undefined ? "" : conditionWords[finding.condition](finding);
  return condition === "" ? endpointName(finding) : `${endpointName(finding)} ${condition}`;
}

// What was special about a request; follows the name of the endpoint.
const conditionWords = {
  "good-key": ({ subject: header = "" }) => `with a valid key in ${code(header)}`,
  "known-retailers": () => "with the key",
  "no-key": () => "without a key",
  "invalid-key": () => "with an invalid key",
  "both-headers": () => "with the same valid key in both headers",
  "either-header": () => "with the key in either header",
  "second-key": () => "with the second key of the organization",
  "other-organization": () => "with the key of the other organization",
  "retailer-not-granted": (finding) => `at retailer ${code(subject(finding))}, which the key may not use,`,
  "unknown-retailer": (finding) => `at retailer ${code(subject(finding))}, which does not exist,`,
  "known-product": (finding) => `of ${productOf(finding)}, which a category page lists,`,
  "unknown-product": (finding) => `of ${productOf(finding)}, which does not exist,`,
  "known-url": (finding) => `${code(subject(finding))} of ${productOf(finding)}`,
  "unknown-url": (finding) => `${code(subject(finding))}, which no product has,`,
  "unknown-site": (finding) => `${code(subject(finding))}, on no retailer's site,`,
  "known-gtin": (finding) => `${code(subject(finding))} of ${productOf(finding)}`,
  "unknown-gtin": (finding) => `${code(subject(finding))}, which no product has,`,
  "known-gtin-scoped": (finding) =>
    `${code(subject(finding))} of ${productOf(finding)}, scoped to its retailer,`,
  "gtin-of-other-retailer": (finding) =>
    `${code(subject(finding))} of ${productOf(finding)}, scoped to ${retailerName(finding)},`,
  "known-category": (finding) => `of ${code(subject(finding))}, which was browsed before,`,
  "unknown-category": (finding) => `of ${code(subject(finding))}, which does not exist,`,
  parameters: ({ details }) => {
    const pairs = Object.entries(details?.parameters ?? {});
    return pairs.length === 0
      ? "without parameters"
      : `with ${pairs.map(([name, given]) => code(`${name}=${given}`)).join(" and ")}`;
  },
  "known-items": ({ details }) => `of ${counted(details?.items ?? 0, "known product")}`,
  "duplicate-item": () => "with an item that is sent twice",
  "unknown-item": () => "with one unknown product",
  "only-unknown-items": () => "of unknown products only",
  "batch-size": ({ details }) => `of ${counted(details?.items ?? 0, "item")}`,
  "malformed-batch": ({ subject: form = "" }) =>
    new Map<string, string>(Object.entries(malformedFormWords)).get(form) ?? "with a malformed body",
  "incomplete-item": () => "with an item without product_id",
  "every-batch-form": () => "with known products, in every form that was tried,",
  "unknown-path": () => "to a path that is not an endpoint",
  burst: () => "in a burst of requests",
  "base-address": () => "below the base URL",
  "at-once": (finding) => `of ${productOf(finding)}, sent together with other requests,`,
  "after-refusal": (finding) => `of ${productOf(finding)}, after a refused request,`,
  "in-turn": (finding) =>
    `${finding.product === undefined ? "" : `of ${productOf(finding)}, `}right after the same request with the key of ${finding.details?.after === "otherOrg" ? "the other organization" : "the first organization"},`,
  "changed-value": (finding) =>
    `of ${code(subject(finding))}, which is ${code(finding.details?.instead ?? "")} ${finding.details?.change === undefined ? "changed" : changeWords[finding.details.change]},`,
  "hostile-input": (finding) =>
    `with ${finding.details?.kind === undefined ? "an unusual value" : hostileWords[finding.details.kind]} in ${hostileParts[subject(finding)] ?? code(subject(finding))}${drawnText(finding)}`,
} as const satisfies Record<Condition, (finding: RequestFields) => string>;

const changeWords = {
  "other-case": "in another case",
  "blank-inside": "with a blank inside",
  cut: "without its end",
  suffix: "with more at its end",
  prefix: "with more before it",
  neighbour: "with another character",
  wildcard: "with a wildcard of SQL",
  "decoded-twice": "percent-encoded once more",
  plus: "with a plus for each blank",
  "leading-zero": "with a leading zero",
  fraction: "with a fraction",
  "check-digit": "with a wrong check digit",
  "more-digits": "with more digits",
  "first-digits": "with other first digits",
  normalised: "with other punctuation",
  "other-retailer": "replaced by that of another retailer",
  "in-user-info": "with its host before an @",
} as const satisfies Record<ValueChange, string>;

const hostileWords = {
  nul: "a NUL",
  "invalid-utf8": "bytes that are not UTF-8",
  surrogate: "a lone surrogate",
  long: "5,000 characters",
  "long-number": "a number of 5,000 digits",
  unicode: "combining characters, right-to-left text and emoji",
  punctuation: "quotes and other punctuation",
  "line-break": "a line break",
  blank: "a space",
  "32-bit": "a number beyond 32 bits",
  "64-bit": "a number beyond 64 bits",
  "huge-number": "a number of 40 digits",
  "negative-number": "a negative number",
  infinite: "a number beyond the range of a double",
  hexadecimal: "a hexadecimal number",
  "arabic-digits": "Arabic digits",
  "no-url": "a text that is not a URL",
  "no-host": "no host",
  "bad-port": "a port out of range",
  "bad-address": "a malformed IPv6 address",
  "long-host": "a host name of 300 characters",
  "other-scheme": "another scheme",
  "bad-escape": "malformed percent-encoding",
  empty: "nothing",
  "json-as-base64": "made-up JSON in base64",
  repeated: "repeated parameters",
  "in-brackets": "names in brackets",
  "no-pairs": "empty pairs",
  prototype: "the name `__proto__`",
  "not-asked-for": "unknown parameters",
  "several-kinds": "unusual values of several kinds",
  "empty-body": "nothing",
  "null-body": "null",
  "null-list": "null in place of the list",
  "object-for-list": "an object in place of the list",
  "empty-list": "an empty list",
  "null-item": "null as an item",
  "number-item": "a number as an item",
  "nested-list": "a list in the list",
  "number-id": "a number as product_id",
  "null-id": "null as product_id",
  "object-id": "an object as product_id",
  "list-id": "an array as product_id",
  "deep-nesting": "5,000 nested arrays",
  "repeated-key": "a duplicate key",
  "trailing-comma": "a trailing comma",
  "no-content-type": "nothing",
  "text-type": "`text/plain`",
  "form-type": "a form type",
  "broken-type": "a malformed type",
  drawn: "a random value",
} as const satisfies Record<HostileKind, string>;

/** The shrunk value that was drawn, and how to draw it again. */
function drawnText({ details }: RequestFields): string {
  if (details?.seed === undefined) return "";
  return ` (${code(details.value ?? "")}; repeat with ${code(`--fuzz ${details.runs} --seed ${details.seed}`)})`;
}

const hostileParts: Readonly<Record<string, string>> = {
  body: "the body",
  query: "the query",
  "content-type": "the content type",
};

const malformedFormWords = {
  "not-json": "whose body is not JSON",
  "no-list": "whose body has no list of items",
  "text-for-list": "whose body has a string in place of the list",
} as const satisfies Record<MalformedForm, string>;

/** The two requests of a comparison, as they read in a sentence. */
export function pair({ condition }: SharedFields): readonly [string, string] {
  return (condition && pairs[condition]) ?? ["in one response", "in the other"];
}

// The difference between the two requests of a comparison: first request, second request.
export const pairs: Readonly<Partial<Record<Condition, readonly [string, string]>>> = {
  "either-header": [`with the key in ${code("Authorization")}`, `with the key in ${code("X-Api-Key")}`],
  "second-key": ["with the first key", "with the second key of the organization"],
};
