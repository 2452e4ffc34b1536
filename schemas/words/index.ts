import type { Finding } from "../types.ts";

/** What the words of a run may name: here come names that are the user's own. */
export interface WordsContext {
  /** Names of the environment variables that hold the keys, as the config gives them. */
  readonly keyVariables: Readonly<Record<"primary" | "sameOrg" | "otherOrg", string>>;
}

/** The words of one code. */
export interface FindingWords {
  /** One sentence: what was expected and what was seen. */
  readonly text: (finding: Finding, context: WordsContext) => string;
  /** What to do about it, where the reader of the report can do something. */
  readonly fix?: (finding: Finding, context: WordsContext) => string;
}

/** The words of every code. Whoever adds a code to `results.schema.json` is reminded here by the compiler. */
const findingWords = {
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
