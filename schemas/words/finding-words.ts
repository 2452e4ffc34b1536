import type { Finding, FindingOf } from "../contracts/finding.ts";
import type { Words, WordsContext } from "../contracts/words.ts";

import { keyVariables } from "../redaction.ts";

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

/** The words of a code, with the fields of its finding as their type. */
export function says<Own = unknown>(words: Words<Own>): Words<Own> {
  return words;
}
