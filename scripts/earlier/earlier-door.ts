import type { WordsTable } from "../../schemas/words/index.ts";
import { type ComparisonCode, comparisonWords } from "./comparison-words.ts";

/** Earlier runs: what changed since. */
export const earlier: { readonly name: string; readonly words: WordsTable<ComparisonCode> } = {
  name: "earlier",
  words: comparisonWords,
};
