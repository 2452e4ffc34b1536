import { clientFindings } from "./client-findings.ts";
import { comparisonFindings } from "./comparison-findings.ts";
import { failures, missingFixtures, notJudged, readings } from "./conformance-findings.ts";
import type { FindingIn, SharedFields } from "./finding-fields.ts";
import { string } from "./schema.ts";
import type { CrossingCode } from "./threshold.ts";
import type { OwnOf, WordsByCode } from "./words.ts";

const findings = {
  ...failures,
  ...readings,
  ...notJudged,
  ...missingFixtures,
  ...comparisonFindings,
  ...clientFindings,
  recorded: { subject: string("A sentence as it is.") },
} as const;

type Table = typeof findings;
/** The fields of every code. An interface, because declarations name it where they would repeat the table of a type. */
export interface Findings extends Table {}
/**
 * One fact, as data: what was expected, what was seen, where, how often. A union that `code` discriminates; the sentence
 * that a person reads is made from it in schemas/words/ and nowhere else, and no decision reads a sentence.
 */
export type Finding = FindingIn<Findings> | SaidBy<keyof WordsByCode>;
/** A finding of one code, or of one of several. */
export type FindingOf<Code extends Finding["code"]> = {
  [C in Code]: C extends keyof WordsByCode
    ? SaidBy<C>
    : C extends keyof Findings
      ? FindingIn<Findings, C>
      : never;
}[Code];
/** A finding of a limit that a load run crossed. */
export type CrossingFinding = FindingOf<CrossingCode>;

type Details = "subject" | "expected" | "actual" | "details";
type SaidBy<Code extends keyof WordsByCode> = {
  [C in Code]: { code: C } & SharedFields &
    OwnOf<WordsByCode[C]> & { [K in Exclude<Details, keyof OwnOf<WordsByCode[C]>>]?: never };
}[Code];

/** Whether a finding says why something was not judged. */
export function isNotJudged(one: Finding): one is FindingOf<keyof typeof notJudged> {
  return Object.hasOwn(notJudged, one.code);
}

/** A finding as results have it, with its sentences. */
export type SaidFinding = Finding & Said;

/** The sentences of a finding: made once, where results are assembled, when keys are hidden. No decision reads them. */
interface Said {
  /** One or two short sentences: what was expected and what was seen. */
  message: string;
  /** How to fix it; omitted if only the developers of the service can. */
  fix?: string | undefined;
  /** What is expected at the place of `path`; omitted where the message says it. */
  expectedThere?: string | undefined;
}
