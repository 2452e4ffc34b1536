import { keyVariables } from "../redaction.ts";
import type { Finding } from "../types.ts";

/** What the words of a run may name: here come names that are the user's own. */
export interface WordsContext {
  /** Names of the environment variables that hold the keys, as the config gives them. */
  readonly keyVariables: Readonly<Record<"primary" | "sameOrg" | "otherOrg", string>>;
}

/** The names that hold where the config gives none. */
export const defaultWords: WordsContext = {
  keyVariables,
};

/** The words of one code. */
export interface FindingWords {
  /** One or two short sentences: what was expected and what was seen. */
  readonly text: (finding: Finding, context: WordsContext) => string;
  /** What to do about it, where the reader of the report can do something. */
  readonly fix?: (finding: Finding, context: WordsContext) => string | undefined;
}
