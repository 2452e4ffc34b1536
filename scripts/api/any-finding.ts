import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { coreWords, WordsTable } from "../../schemas/words/index.ts";
import type * as doors from "../cli/capabilities.ts";

/** A finding of the core or of a capability. By this type, the declarations of the package have all contracts. */
export type AnyFinding = FindingOf<keyof typeof coreWords | CodesOf<(typeof doors)[keyof typeof doors]>>;
type CodesOf<C> = C extends { readonly words: WordsTable<infer Code> } ? Code : never;
