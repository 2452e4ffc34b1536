import type { Condition, HostileKind, SpellingName, ValueChange } from "./vocabulary.ts";

/** EndpointId of schemas/api.ts, whose folder imports this one; `other` is a request to anything else. */
type AskedEndpoint =
  | "retailers"
  | "lookup-by-id"
  | "lookup-by-url"
  | "lookup-by-gtin"
  | "category-page"
  | "batch"
  | "other";

/** A cache, or it cannot be told: not certainly the service. */
export interface ShownResponder {
  by: "cache" | "unclear";
  /** Its own name for itself. */
  name?: string | undefined;
  /** The header that shows a cache, as `name: value`. */
  cache?: string | undefined;
}

/** Of a finding of any code, besides its code's own fields (subject, expected, actual, details). */
export interface SharedFields {
  endpoint?: AskedEndpoint | undefined;
  condition?: Condition | undefined;
  /** JSON Pointer into the body of the response, such as `/products/9/mpn`. */
  path?: string | undefined;
  /** The product concerned. */
  product?: { retailer: string; productId: string } | undefined;
  /** Unit of expected and actual where they are measured. */
  unit?: "ms" | "s" | "requests/s" | "share" | "count" | "bytes" | undefined;
  /** How often, out of how many. */
  seen?: { count: number; total?: number | undefined; of: SeenNoun } | undefined;
  /** The statuses of its responses, if they differ: `details.status` is that of the first. */
  byStatus?: { status: number; count: number }[] | undefined;
  /** Where it was seen: the affected products of each retailer, out of those checked. */
  byRetailer?: { retailer: string; count: number; total: number }[] | undefined;
  /** As byRetailer: the responses of each endpoint. */
  byEndpoint?: { endpoint: AskedEndpoint; count: number; total: number }[] | undefined;
  /** Index in the evidence of the exchange that shows it. */
  exchange?: number | undefined;
  /** Index in the evidence of the exchange that it was compared with. */
  comparedWith?: number | undefined;
  /** JSON Pointer to the same value there, if it differs from `path`. */
  comparedPath?: string | undefined;
  from?: ShownResponder | undefined;
}

type SeenNoun =
  | "responses"
  | "requests"
  | "products"
  | "items"
  | "pages"
  | "attempts"
  | "iterations"
  | "samples";

/** Whose key a request had. */
export type AskedBy = "primary" | "sameOrg" | "otherOrg" | "nobody";

/** Values that say what was special about a request, as its condition requires. */
export interface RequestDetails {
  parameters?: Record<string, string> | undefined;
  items?: number | undefined;
  retailer?: string | undefined;
  after?: AskedBy | undefined;
  kind?: HostileKind | undefined;
  /** The shrunk value that was drawn. */
  value?: string | undefined;
  runs?: number | undefined;
  seed?: number | undefined;
  change?: ValueChange | undefined;
  /** The known value that was changed. */
  instead?: string | undefined;
  spelling?: SpellingName | undefined;
  /** A header as it was sent, or its name. */
  sent?: string | undefined;
}

/** Names chosen by the user that appear in sentences. */
export interface WordsContext {
  /** Names of the environment variables that hold the keys, as the config gives them. */
  readonly keyVariables: Readonly<Record<"primary" | "sameOrg" | "otherOrg", string>>;
}

/**
 * What a failure harms, worst first: data of others is shown, a body cannot be read, a wrong key is accepted
 * or a right one refused, data is wrong, two keys see different things, a program cannot read it. Causes come
 * first: a leak before the paging that it disturbs, a broken body or wrong id before keys that differ by it.
 */
export const harms = ["leak", "unreadable", "access", "data", "compared", "shape"] as const;
export type Harm = (typeof harms)[number];

type ShownBy = "status" | "header" | "missing header";

/** The words of a code, and what else depends on it. What its functions take is the type of its finding. */
export interface Words<Own> {
  /** One or two short sentences: what was expected and what was seen. */
  readonly text: (finding: SharedFields & Own, context: WordsContext) => string;
  /** How to fix it, if the reader of the report can do something. */
  readonly fix?: string | ((finding: SharedFields & Own, context: WordsContext) => string | undefined);
  /** The sentence says who gave the response. */
  readonly saysWho?: true;
  /** Reports say how often it was seen beside its sentence, which does not. */
  readonly howOften?: "beside";
  /** What shows it, if it has no place in a body. */
  readonly shownBy?: ShownBy | ((finding: SharedFields & Own) => ShownBy | undefined);
  /** What its expected statuses are: the right ones, or that of the other request if neither is known as right. */
  readonly expectedStatus?: string;
  /** Headings of two exchanges beside each other, where neither is the reference. */
  readonly headings?: readonly [string, string];
  /** What a failure harms. */
  readonly harm?: Harm;
  /** Tells causes of "not judged" apart: `code` for one of the whole target. Default: code, subject, endpoint */
  readonly cause?: "code" | ((finding: SharedFields & Own) => string);
  /** It may be different the next time. */
  readonly isPassing?: true;
  /** What a load run searched for, or reached: a part of the line with its figures. */
  readonly found?: (finding: SharedFields & Own) => string | undefined;
  /** Discovery found nothing that fits: what it found tells more. */
  readonly isOfDiscovery?: true;
}

/** The words of every code. Each table of words adds its own rows. */
// biome-ignore lint/suspicious/noEmptyInterface: the tables of words declare its rows.
export interface WordsByCode {}

/** The same of findings that a crossed threshold makes. */
// biome-ignore lint/suspicious/noEmptyInterface: the words of load declare its rows.
export interface CrossingWordsByCode {}

/** The fields of the code of a row, besides those that every finding has. */
export type OwnOf<Row> = Row extends Words<infer Own> ? Own : never;

/**
 * One fact, as data: what was expected, what was seen, where, how often. `code` discriminates the union. Its
 * sentence is made in schemas/words/ and nowhere else, and no decision reads it.
 */
export type Finding = FindingOf<keyof WordsByCode>;

/**
 * Of one code, or one of several. Its own fields are what its words take: what it is about, where that needs
 * a name (subject), what is required (expected), what was seen instead (actual), and more values (details).
 */
export type FindingOf<Code extends keyof WordsByCode> = {
  [C in Code]: { code: C } & SharedFields &
    OwnOf<WordsByCode[C]> & { [K in Exclude<OwnField, keyof OwnOf<WordsByCode[C]>>]?: never };
}[Code];
type OwnField = "subject" | "expected" | "actual" | "details";

/** A finding of a limit that a load run crossed. */
export type CrossingFinding = FindingOf<keyof CrossingWordsByCode>;

/** A finding as results have it, with its sentences. */
export type SaidFinding = Finding & Said;

/** Made once, where results are assembled, when keys are hidden. No decision reads them. */
interface Said {
  /** One or two short sentences: what was expected and what was seen. */
  message: string;
  /** How to fix it; omitted if only the developers of the service can. */
  fix?: string | undefined;
}
