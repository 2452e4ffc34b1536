import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { coreWords, type WordsTable } from "../../schemas/words/index.ts";
import type { Report } from "../report/model.ts";
import type { RunAdditions } from "../report/subjects/run/run.ts";
import * as doors from "./capabilities.ts";

/** What a folder adds to the core. Its contract extends that of the core by declarations in the folder. */
interface Capability extends RunAdditions {
  readonly name: string;
  /** The words of its codes. */
  readonly words?: WordsTable;
  /** Whether a waiver may have this id, besides those of requirements and checks. */
  readonly isWaivable?: (id: string) => boolean;
  /** The report of results of its own, whose `command` is its name. */
  readonly report?: (results: never, options: { readonly run?: string }) => Report;
}

export const capabilities: readonly Capability[] = Object.values(doors);

/** The words of every code. */
export const allWords: WordsTable = Object.assign({}, coreWords, ...capabilities.map(({ words }) => words));

/** A finding of the core or of a capability. By this type, the declarations of the package have all contracts. */
export type AnyFinding = FindingOf<keyof typeof coreWords | CodesOf<(typeof doors)[keyof typeof doors]>>;
type CodesOf<C> = C extends { readonly words: WordsTable<infer Code> } ? Code : never;
