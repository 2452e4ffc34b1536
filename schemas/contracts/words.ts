import type { SharedFields } from "./finding-fields.ts";

/** Names chosen by the user that appear in sentences. */
export interface WordsContext {
  /** Names of the environment variables that hold the keys, as the config gives them. */
  readonly keyVariables: Readonly<Record<"primary" | "sameOrg" | "otherOrg", string>>;
}

/** The words of a code. What its functions take is the type of its finding. */
export interface Words<Own> {
  /** One or two short sentences: what was expected and what was seen. */
  readonly text: (finding: SharedFields & Own, context: WordsContext) => string;
  /** How to fix it, if the reader of the report can do something. */
  readonly fix?: (finding: SharedFields & Own, context: WordsContext) => string | undefined;
}

/** The words of every code. Each table of words adds its own rows. */
// biome-ignore lint/suspicious/noEmptyInterface: the tables of words declare its rows.
export interface WordsByCode {}

/** The fields of the code of a row, besides those that every finding has. */
export type OwnOf<Row> = Row extends Words<infer Own> ? Own : never;
