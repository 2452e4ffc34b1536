import type { Condition, RequestDetails, SharedFields } from "../contracts/finding-fields.ts";
import { hostileKinds, malformedForms, spellings, valueChanges } from "../contracts/vocabulary.ts";
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
  "both-headers": () => "with a key in each header",
  "either-header": () => "with the key in either header",
  "second-key": () => "with the second key of the organization",
  "other-spelling": (finding) => spelled(finding),
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
    new Map<string, string>(Object.entries(malformedForms)).get(form) ?? "with a malformed body",
  "incomplete-item": () => "with an item without product_id",
  "every-batch-form": () => "with known products, in every form that was tried,",
  "unknown-path": () => "to a path that is not an endpoint",
  burst: () => "in a burst of requests",
  "base-address": () => "below the base URL",
  "after-refusal": (finding) => `of ${productOf(finding)}, after a refused request,`,
  "in-turn": (finding) =>
    `${finding.product === undefined ? "" : `of ${productOf(finding)}, `}right after the same request with the key of ${finding.details?.after === "otherOrg" ? "the other organization" : "the first organization"},`,
  "changed-value": (finding) =>
    `of ${code(subject(finding))}, which is ${code(finding.details?.instead ?? "")} ${finding.details?.change === undefined ? "changed" : valueChanges[finding.details.change]},`,
  "hostile-input": (finding) =>
    `with ${finding.details?.kind === undefined ? "an unusual value" : hostileKinds[finding.details.kind]} in ${hostileParts[subject(finding)] ?? code(subject(finding))}${drawnText(finding)}`,
} as const satisfies Record<Condition, (finding: RequestFields) => string>;

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

/** The two requests of a comparison, as they read in a sentence; undefined if the finding compares none. */
export function pairOf(finding: RequestFields): readonly [string, string] | undefined {
  if (finding.condition === "other-spelling") return ["as usually sent", spelled(finding)];
  return finding.condition && pairs[finding.condition];
}

/** Like pairOf, for a finding that compares two responses. */
export function pair(finding: RequestFields): readonly [string, string] {
  return pairOf(finding) ?? ["in one response", "in the other"];
}

// The difference between the two requests of a comparison: first request, second request.
const pairs: Readonly<Partial<Record<Condition, readonly [string, string]>>> = {
  "either-header": [`with the key in ${code("Authorization")}`, `with the key in ${code("X-Api-Key")}`],
  "second-key": ["with the first key", "with the second key of the organization"],
};

/** How a request was written. */
function spelled({ details }: RequestFields): string {
  const words = spellings[details?.spelling ?? "together"];
  return details?.sent === undefined ? words : `${words} ${code(details.sent)}`;
}
