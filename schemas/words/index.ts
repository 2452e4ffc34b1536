import type { Finding, Words, WordsContext } from "../contracts/finding.ts";
import { failureWords } from "./failures.ts";
import { category, oneOf, says, type Tallies, tallies } from "./finding-words.ts";
import { capitalized, listed, often } from "./format.ts";
import { type crossingWords, loadWords } from "./load.ts";
import { missingFixtureWords } from "./missing-fixtures.ts";
import { notJudgedWords } from "./not-judged.ts";
import { responderSentence } from "./response.ts";

export type { Finding } from "../contracts/finding.ts";

/** The words of allowed readings that were seen, and of how much was checked. */
export const readingWords = {
  answered: says<{ expected?: readonly number[] | undefined; actual: number | readonly number[] }>({
    text: ({ expected, actual }) => {
      const others = expected?.filter((one) => one !== actual) ?? [];
      const allowed = others.length === 0 ? "" : ` (${oneOf(others)} would be allowed too)`;
      return `Returned ${listed([actual].flat().map(String))}${allowed}.`;
    },
  }),
  checked: says({ text: ({ seen }) => `${often(seen)} checked.` }),
  "walk-ended": says<{ subject: string }>({
    text: (finding) => `${capitalized(category(finding))} ends after ${often(finding.seen)}.`,
  }),
  "limit-reached": says({
    text: ({ seen }) => `The rate limit was reached within ${often(seen)}.`,
  }),
  "accepted-after-wait": says<{ actual: number }>({
    text: ({ actual }) =>
      `Accepted after waiting the ${actual} s given in Retry-After${actual === 0 ? "" : ", and 0.1 s more"}.`,
  }),
  "limit-tally": says<Tallies>({ text: (finding) => `At the limit, ${tallies(finding)}.` }),
};

type CoreWords = typeof failureWords &
  typeof readingWords &
  typeof notJudgedWords &
  typeof missingFixtureWords &
  typeof loadWords;
type CrossingWords = typeof crossingWords;
declare module "../contracts/finding.ts" {
  interface WordsByCode extends CoreWords {}
  interface CrossingWordsByCode extends CrossingWords {}
}

/** The words of some codes. Its type makes the declarations of the package name the table that has them. */
export type WordsTable<C extends string = string> = Readonly<Record<C, Words<never>>>;

/** The words of the codes of conformance and load. */
export const coreWords: WordsTable<keyof CoreWords> = {
  ...failureWords,
  ...readingWords,
  ...notJudgedWords,
  ...missingFixtureWords,
  ...loadWords,
};

/** The sentence of a finding, for display only: no decision reads words. */
export function findingText(finding: Finding, context: WordsContext, table: WordsTable = coreWords): string {
  const { text, saysWho } = wordsOf(finding, table);
  if (text === undefined) throw new Error(`no words for the code ${finding.code}`);
  return capitalized(text(finding as never, context)) + (saysWho ? "" : responderSentence(finding.from));
}

/** How to fix a finding; undefined if only the developers of the service can. */
export function findingFix(
  finding: Finding,
  context: WordsContext,
  table: WordsTable = coreWords,
): string | undefined {
  const { fix } = wordsOf(finding, table);
  return typeof fix === "function" ? fix(finding as never, context) : fix;
}

/** What shows a finding that has no place in a body; undefined for others, or if it is not about the head. */
export function shownBy(finding: Finding): "status" | "header" | "missing header" | undefined {
  if (finding.path !== undefined) return undefined;
  const { shownBy: shown } = wordsOf(finding);
  return typeof shown === "function" ? shown(finding as never) : shown;
}

/** Why something was not judged, without details of a single check (attempts, product). */
export function causeOf(finding: Finding, table: WordsTable = coreWords): string {
  const { code, subject, endpoint } = finding;
  const { cause } = wordsOf(finding, table);
  return cause === "code" ? code : (cause?.(finding as never) ?? `${code} ${subject} ${endpoint}`);
}

/** Empty for a code of another table. It takes its finding's fields, which the compiler may not know. */
export function wordsOf({ code }: Finding, table: Partial<WordsTable> = coreWords): Partial<Words<never>> {
  return table[code] ?? {};
}
