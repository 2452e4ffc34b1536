import type { Finding } from "../types.ts";
import { comparisonWords } from "./comparison.ts";
import { conformanceWords } from "./conformance.ts";
import type { FindingWords, WordsContext } from "./finding-words.ts";
import { loadWords } from "./load.ts";

/** The words of every code. The compiler reports a code of `results.schema.json` that is missing here. */
const findingWords = {
  ...conformanceWords,
  ...loadWords,
  ...comparisonWords,
  // A run of schema version 1 recorded only the sentence.
  recorded: { text: ({ subject = "" }) => subject },
} as const satisfies Record<Finding["code"], FindingWords>;

/** The sentence of a finding, for display only: no decision reads words. */
export function findingText(finding: Finding, context: WordsContext): string {
  const words: FindingWords = findingWords[finding.code];
  return words.text(finding, context);
}

/** How to fix a finding; undefined if only the developers of the service can. */
export function findingFix(finding: Finding, context: WordsContext): string | undefined {
  const words: FindingWords = findingWords[finding.code];
  return words.fix?.(finding, context);
}
