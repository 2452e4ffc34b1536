import type { WordsTable } from "../../schemas/words/index.ts";
import { type ComparisonCode, comparisonWords } from "./comparison-words.ts";
import { contractCauses, contractSuites } from "./contract-items.ts";

const words: WordsTable<ComparisonCode> = comparisonWords;

/** Earlier runs: what changed since. */
export const earlier = { name: "earlier", words, suites: contractSuites, causes: contractCauses };
