import type { Finding } from "../contracts/finding.ts";
import type { Words, WordsContext } from "../contracts/words.ts";
import { clientWords } from "./clients.ts";
import { comparisonWords } from "./comparison.ts";
import { failureWords } from "./failures.ts";
import { says } from "./finding-words.ts";
import { loadWords } from "./load.ts";
import { missingFixtureWords } from "./missing-fixtures.ts";
import { notJudgedWords } from "./not-judged.ts";
import { readingWords } from "./readings.ts";
import { responderSentence } from "./responder.ts";

export type { Finding } from "../contracts/finding.ts";

/** The words of every code. The compiler reports a table that is missing here. */
const findingWords = {
  ...failureWords,
  ...readingWords,
  ...notJudgedWords,
  ...missingFixtureWords,
  ...loadWords,
  ...comparisonWords,
  ...clientWords,
  // A sentence as it is. No run has it; the samples of tests do.
  recorded: says<{ subject: string }>({ text: ({ subject }) => subject }),
};

declare module "../contracts/words.ts" {
  interface WordsByCode extends OtherWords {}
}
type OtherWords = Pick<typeof findingWords, "recorded">;

/** Every code of a finding. */
export const codes: readonly string[] = Object.keys(findingWords);

/** The sentence of a finding, for display only: no decision reads words. */
export function findingText(finding: Finding, context: WordsContext): string {
  const text = wordsOf(finding).text(finding as never, context);
  return saysWho.has(finding.code) ? text : text + responderSentence(finding.from);
}

/** How to fix a finding; undefined if only the developers of the service can. */
export function findingFix(finding: Finding, context: WordsContext): string | undefined {
  return wordsOf(finding).fix?.(finding as never, context);
}

/** The row of a finding takes its fields; for one of any code, the compiler cannot know that. */
function wordsOf({ code }: Finding): Words<never> {
  return findingWords[code];
}

/** Codes whose own sentence says who gave the response. */
const saysWho: ReadonlySet<string> = new Set([
  "refused-on-the-way",
  "target-unavailable",
  "upstream-failing",
  "answered-on-the-way",
] satisfies Finding["code"][]);
