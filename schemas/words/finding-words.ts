import type { Finding, FindingOf } from "../contracts/finding.ts";
import { keyVariables } from "../redaction.ts";

/** Names chosen by the user that appear in sentences. */
export interface WordsContext {
  /** Names of the environment variables that hold the keys, as the config gives them. */
  readonly keyVariables: Readonly<Record<"primary" | "sameOrg" | "otherOrg", string>>;
}

/** The names used where the config gives none. */
export const defaultWords: WordsContext = {
  keyVariables,
};

export interface FindingWords<Code extends Finding["code"]> {
  /** One or two short sentences: what was expected and what was seen. */
  readonly text: (finding: FindingOf<Code>, context: WordsContext) => string;
  /** How to fix it, if the reader of the report can do something. */
  readonly fix?: (finding: FindingOf<Code>, context: WordsContext) => string | undefined;
}

/** The words of several codes. */
export type WordsOf<Codes extends Finding["code"]> = { readonly [Code in Codes]: FindingWords<Code> };
