import type { Harm, Words, WordsContext } from "../contracts/words.ts";

import { keyVariables } from "../redaction.ts";

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
