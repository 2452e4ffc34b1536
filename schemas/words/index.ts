import type { Finding, FindingOf } from "../contracts/finding.ts";
import { clientWords } from "./clients.ts";
import { comparisonWords } from "./comparison.ts";
import { failureWords } from "./failures.ts";
import type { WordsContext, WordsOf } from "./finding-words.ts";
import { loadWords } from "./load.ts";
import { missingFixtureWords } from "./missing-fixtures.ts";
import { notJudgedWords } from "./not-judged.ts";
import { readingWords } from "./readings.ts";
import { responderSentence } from "./responder.ts";

/** The words of every code. The compiler reports a code of `contracts/finding.ts` that is missing here. */
const findingWords: WordsOf<Finding["code"]> = {
  ...failureWords,
  ...readingWords,
  ...notJudgedWords,
  ...missingFixtureWords,
  ...loadWords,
  ...comparisonWords,
  ...clientWords,
  // A sentence as it is. No run has it; the samples of tests do.
  recorded: { text: ({ subject }) => subject },
};

/** Every code of a finding. */
export const codes: readonly string[] = Object.keys(findingWords);

/** The sentence of a finding, for display only: no decision reads words. */
export function findingText<Code extends Finding["code"]>(
  finding: FindingOf<Code>,
  context: WordsContext,
): string {
  const text = findingWords[finding.code].text(finding, context);
  return saysWho.has(finding.code) ? text : text + responderSentence(finding.from);
}

/** Codes whose own sentence says who gave the response. */
const saysWho: ReadonlySet<string> = new Set([
  "refused-on-the-way",
  "target-unavailable",
  "upstream-failing",
  "answered-on-the-way",
] satisfies Finding["code"][]);

/** How to fix a finding; undefined if only the developers of the service can. */
export function findingFix<Code extends Finding["code"]>(
  finding: FindingOf<Code>,
  context: WordsContext,
): string | undefined {
  return findingWords[finding.code].fix?.(finding, context);
}
