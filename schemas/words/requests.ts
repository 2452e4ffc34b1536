import { keyHeaders } from "../api.ts";
import type { RequestDetails, SharedFields } from "../contracts/finding.ts";
import {
  conditions,
  hostileKinds,
  malformedForms,
  spellings,
  valueChanges,
} from "../contracts/vocabulary.ts";
import { type About, endpointName, productOf, retailerName, subject } from "./finding-words.ts";
import { counted } from "./format.ts";
import { code } from "./values.ts";

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
