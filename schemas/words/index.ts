import type { Finding } from "../types.ts";
import { comparisonWords } from "./comparison.ts";
import { conformanceWords } from "./conformance.ts";
import type { FindingWords, WordsContext } from "./finding-words.ts";
import { loadWords } from "./load.ts";

/** The words of every code. Whoever adds a code to `results.schema.json` is reminded here by the compiler. */
const findingWords = {
  ...conformanceWords,
  ...loadWords,
  ...comparisonWords,
  // Of a run that an older version wrote, and that knew only its sentence.
  recorded: { text: ({ subject = "" }) => subject },
} as const satisfies Record<Finding["code"], FindingWords>;

/** The sentence of a finding. Only what shows it to a person may call this: no decision reads words. */
export function findingText(finding: Finding, context: WordsContext): string {
  const words: FindingWords = findingWords[finding.code];
  return words.text(finding, context);
}

/** What to do about a finding, or undefined where nothing but the service itself can change it. */
export function findingFix(finding: Finding, context: WordsContext): string | undefined {
  const words: FindingWords = findingWords[finding.code];
  return words.fix?.(finding, context);
}
