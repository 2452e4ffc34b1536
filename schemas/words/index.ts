import type { Finding } from "../contracts/finding.ts";
import type { Words, WordsContext } from "../contracts/words.ts";
import { type ClientCode, clientWords } from "./clients.ts";
import { type ComparisonCode, comparisonWords } from "./comparison.ts";
import { type FailureCode, failureWords } from "./failures.ts";
import { says } from "./finding-words.ts";
import { type LoadCode, loadWords } from "./load.ts";
import { type MissingFixtureCode, missingFixtureWords } from "./missing-fixtures.ts";
import { type NotJudgedCode, notJudgedWords } from "./not-judged.ts";
import { type ReadingCode, readingWords } from "./readings.ts";
import { responderSentence } from "./responder.ts";

export type { Finding } from "../contracts/finding.ts";

/** A sentence as it is. No run has it; the samples of tests do. */
const sampleWords = { recorded: says<{ subject: string }>({ text: ({ subject }) => subject }) };

declare module "../contracts/words.ts" {
  interface WordsByCode extends SampleWords {}
}
type SampleWords = typeof sampleWords;

/** The words of every code. The compiler reports a table that is missing here. */
const findingWords = {
  ...failureWords,
  ...readingWords,
  ...notJudgedWords,
  ...missingFixtureWords,
  ...loadWords,
  ...comparisonWords,
  ...clientWords,
  ...sampleWords,
};

type Code =
  | FailureCode
  | ReadingCode
  | NotJudgedCode
  | MissingFixtureCode
  | LoadCode
  | ComparisonCode
  | ClientCode
  | keyof SampleWords;
/** Every code of a finding. Its type makes the declarations of the package name every table of words. */
export const codes: readonly Code[] = Object.keys(findingWords) as Code[];

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
