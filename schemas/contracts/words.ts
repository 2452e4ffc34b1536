import type { SharedFields } from "./finding-fields.ts";

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
