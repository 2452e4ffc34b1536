import { endpoints, keyHeaders } from "../api.ts";
import type { Harm, RequestDetails, SharedFields, Words, WordsContext } from "../contracts/finding.ts";
import {
  conditions,
  hostileKinds,
  malformedForms,
  spellings,
  valueChanges,
} from "../contracts/vocabulary.ts";
import { keyVariables } from "../redaction.ts";
import { alternatives, counted } from "./format.ts";
import { code } from "./values.ts";

/** The names used where the config gives none. */
export const defaultWords: WordsContext = {
  keyVariables,
};

/** The row of a code, with the fields of its finding as their type. */
export function says<Own = unknown>(words: Words<Own>): Words<Own> {
  return words;
}

export function fails<Own = unknown>(harm: Harm, words: Words<Own>): Words<Own> {
  return { harm, ...words };
}

/** How to fix that a part of a response is missing at times. */
export const allOrError = "Return all that there is, or an error status where a part of it cannot be read.";

// Fields of a finding as parts of a sentence.

/** The endpoint of a finding, as the subject of a sentence. */
export function endpointName({ endpoint = "other" }: SharedFields): string {
  // The label `Retailers` names the list, not the request.
  const { method, path } = endpoints.retailers;
  if (endpoint === "retailers") return `${method} ${path}`;
  return endpoint === "other" ? "A request" : endpoints[endpoint].label;
}

interface Responded {
  readonly actual?: number | undefined;
  readonly details?: { readonly errorCode?: string | undefined } | undefined;
}

/** The status that a response had, with its error code: ``404 (`not_found`)``. */
export function statusSeen({ actual, details }: Responded): string {
  const errorCode = details?.errorCode;
  return errorCode === undefined ? `${actual}` : `${actual} (${code(errorCode)})`;
}

/** Whose requests are compared at the rate limit: those of others, and those of the key that exceeded it. */
const sharers = {
  otherOrg: ["of the other organization", "of the first key"],
  sameOrg: ["of the second key", "of the first key"],
  primary: ["with other headers", "with the usual headers"],
} as const;

/** Accepted at the limit: of the key or header that exceeded it first, and, as `seen`, of the other. */
export interface Tallies {
  subject: keyof typeof sharers;
  details: { first: { count: number; total: number } };
}

/** `1 of 12 requests of the first key was accepted, and 3 of 12 requests of the second key` */
export function tallies({ subject: caller, seen, details }: SharedFields & Tallies): string {
  const [others, first] = sharers[caller];
  return `${tally(details.first)} ${first} ${details.first.count === 1 ? "was" : "were"} accepted, and ${tally(seen)} ${others}`;
}

function tally({ count = 0, total = 0 }: Partial<NonNullable<SharedFields["seen"]>> = {}): string {
  return `${count} of ${counted(total, "request")}`;
}

export function productName({ retailer, productId }: NonNullable<SharedFields["product"]>): string {
  return code(`${retailer} / ${productId}`);
}

/** The product of a finding; `a product` if it has none. */
export function productOf({ product }: SharedFields): string {
  return product === undefined ? "a product" : productName(product);
}

/** What a finding is about, where it needs a name. */
export interface About {
  readonly subject?: string | undefined;
}

export function category({ subject = "" }: About): string {
  return `category ${code(subject)}`;
}

export function retailerName({
  details,
}: {
  readonly details?: { readonly retailer?: string | undefined } | undefined;
}): string {
  return code(details?.retailer ?? "");
}

/** `400`, `400 or 404`, `400, 404, or 413`. */
export function oneOf(statuses: readonly number[] = []): string {
  return alternatives(statuses.map((status) => `${status}`));
}

/** The subject of a finding; empty if it has none. */
export function subject(finding: About): string {
  return finding.subject ?? "";
}

// How a request reads in a sentence: its endpoint, and what was special about it.

type RequestFields = SharedFields & About & { readonly details?: RequestDetails | undefined };

/** The request of a finding as it reads in a sentence. */
export function requested(finding: RequestFields): string {
  if (finding.condition === undefined) return endpointName(finding);
  const special = conditions[finding.condition].replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof fields) =>
    fields[name](finding),
  );
  return `${endpointName(finding)} ${special}`;
}

/** What the words of a condition have in braces. */
const fields = {
  subject: (finding) => code(subject(finding)),
  product: productOf,
  ofProduct: ({ product }) => (product === undefined ? "" : `of ${productOf({ product })}, `),
  retailer: retailerName,
  known: ({ details }) => counted(details?.items ?? 0, "known product"),
  items: ({ details }) => counted(details?.items ?? 0, "item"),
  spelling: spelled,
  parameters: ({ details }) => {
    const pairs = Object.entries(details?.parameters ?? {});
    return pairs.length === 0
      ? "without parameters"
      : `with ${pairs.map(([name, given]) => code(`${name}=${given}`)).join(" and ")}`;
  },
  malformed: ({ subject: form = "" }) =>
    new Map<string, string>(Object.entries(malformedForms)).get(form) ?? "with a malformed body",
  after: ({ details }) =>
    details?.after === "otherOrg" ? "the other organization" : "the first organization",
  instead: ({ details }) => code(details?.instead ?? ""),
  change: ({ details }) => (details?.change === undefined ? "changed" : valueChanges[details.change]),
  hostile: (finding) => {
    const { kind, seed, runs, value = "" } = finding.details ?? {};
    const what = kind === undefined ? "an unusual value" : hostileKinds[kind];
    // The shrunk value that was drawn, and how to draw it again.
    const again =
      seed === undefined ? "" : ` (${code(value)}; repeat with ${code(`--fuzz ${runs} --seed ${seed}`)})`;
    return `${what} in ${hostileParts[subject(finding)] ?? code(subject(finding))}${again}`;
  },
} as const satisfies Record<string, (finding: RequestFields) => string>;

const hostileParts: Readonly<Record<string, string>> = {
  body: "the body",
  query: "the query",
  "content-type": "the content type",
  method: "place of its method",
  path: "place of its path",
};

/** The two requests of a comparison, as they read in a sentence; undefined if the finding compares none. */
export function pairOf(finding: RequestFields): readonly [string, string] | undefined {
  switch (finding.condition) {
    case "other-spelling":
      return ["as usually sent", spelled(finding)];
    case "either-header":
      return [`with the key in ${code(keyHeaders.bearer)}`, `with the key in ${code(keyHeaders.plain)}`];
    case "second-key":
      return ["with the first key", conditions["second-key"]];
    default:
      return undefined;
  }
}

/** Like pairOf, for a finding that compares two responses. */
export function pair(finding: RequestFields): readonly [string, string] {
  return pairOf(finding) ?? ["in one response", "in the other"];
}

function spelled({ details }: RequestFields): string {
  const words = spellings[details?.spelling ?? "together"];
  return details?.sent === undefined ? words : `${words} ${code(details.sent)}`;
}
