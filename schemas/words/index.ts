import type { Finding } from "../contracts/finding.ts";
import { comparisonWords } from "./comparison.ts";
import { failureWords } from "./failures.ts";
import type { FindingWords, WordsContext } from "./finding-words.ts";
import { loadWords } from "./load.ts";
import { missingFixtureWords } from "./missing-fixtures.ts";
import { notJudgedWords } from "./not-judged.ts";
import { readingWords } from "./readings.ts";

/** The words of every code. The compiler reports a code of `contracts/finding.ts` that is missing here. */
const findingWords = {
  ...failureWords,
  ...readingWords,
  ...notJudgedWords,
  ...missingFixtureWords,
  ...loadWords,
  ...comparisonWords,
  // A sentence as it is. No run has it; the samples of tests do.
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
