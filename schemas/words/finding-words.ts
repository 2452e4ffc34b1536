import type { Words, WordsContext } from "../contracts/words.ts";

import { keyVariables } from "../redaction.ts";

/** The names used where the config gives none. */
export const defaultWords: WordsContext = {
  keyVariables,
};

/** The words of a code, with the fields of its finding as their type. */
export function says<Own = unknown>(words: Words<Own>): Words<Own> {
  return words;
}
