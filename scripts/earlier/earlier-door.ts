import type { WordsTable } from "../../schemas/words/index.ts";
import type { RunAdditions } from "../report/subjects/run/run.ts";
import { type ComparisonCode, comparisonWords } from "./comparison-words.ts";
import { isDifferenceName } from "./contract.ts";
import { contractCauses, contractSuites } from "./contract-items.ts";

/** Earlier runs: what changed since. */
export const earlier: RunAdditions & {
  readonly name: string;
  readonly words: WordsTable<ComparisonCode>;
  readonly isWaivable: (id: string) => boolean;
} = {
  name: "earlier",
  isWaivable: isDifferenceName,
  words: comparisonWords,
  suites: contractSuites,
  causes: contractCauses,
};
