import type { WordsTable } from "../../schemas/words/index.ts";
import type { RunAdditions } from "../report/subjects/run/run.ts";
import { type ComparisonCode, comparisonWords } from "./comparison-words.ts";
import { contractCauses, contractSuites } from "./contract-items.ts";

/** Earlier runs: what changed since. */
export const earlier: RunAdditions & { readonly name: string; readonly words: WordsTable<ComparisonCode> } = {
  name: "earlier",
  words: comparisonWords,
  suites: contractSuites,
  causes: contractCauses,
};
