import type { SharedFields } from "./finding-fields.ts";
import type { CrossingWordsByCode, OwnOf, WordsByCode } from "./words.ts";

/**
 * One fact, as data: what was expected, what was seen, where, how often. `code` discriminates the union. Its
 * sentence is made in schemas/words/ and nowhere else, and no decision reads it.
 */
export type Finding = FindingOf<keyof WordsByCode>;

/**
 * Of one code, or one of several. Its own fields are what its words take: what it is about, where that needs
 * a name (subject), what is required (expected), what was seen instead (actual), and more values (details).
 */
export type FindingOf<Code extends keyof WordsByCode> = {
  [C in Code]: { code: C } & SharedFields &
    OwnOf<WordsByCode[C]> & { [K in Exclude<OwnField, keyof OwnOf<WordsByCode[C]>>]?: never };
}[Code];
type OwnField = "subject" | "expected" | "actual" | "details";

/** A finding of a limit that a load run crossed. */
export type CrossingFinding = FindingOf<keyof CrossingWordsByCode>;

/** A finding as results have it, with its sentences. */
export type SaidFinding = Finding & Said;

/** Made once, where results are assembled, when keys are hidden. No decision reads them. */
interface Said {
  /** One or two short sentences: what was expected and what was seen. */
  message: string;
  /** How to fix it; omitted if only the developers of the service can. */
  fix?: string | undefined;
}
