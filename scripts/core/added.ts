import type { Results } from "../../schemas/contracts/results.ts";
import type { AddedCause } from "../../schemas/contracts/verdicts.ts";
import { coreWords, type WordsTable } from "../../schemas/words/index.ts";
import type { Report } from "../report/model.ts";
import type { CauseWords } from "../report/subjects/run/causes.ts";
import { type RunAdditions, runReport } from "../report/subjects/run/run.ts";

/** A cause of a capability: when it applies to what the run added, and what is said of it. */
export interface CauseOfPart extends CauseWords, AddedCause {
  readonly applies: (run: Pick<Results, "parts">) => boolean;
}

/** What a capability adds. Its folder declares the types of its part of the results. */
export interface Additions extends RunAdditions {
  /** The name of its part of the results, or of the command whose results are its own. */
  readonly name: string;
  /** The words of its codes. */
  readonly words?: WordsTable;
  readonly causes?: Readonly<Record<string, CauseOfPart>>;
  /** Further names and values of 8 characters or more in its results: no key may be one of them. */
  readonly names?: string;
  /** Whether a waiver may have this id, besides those of requirements and checks. */
  readonly isWaivable?: (id: string) => boolean;
  /** Results of its own, whose `command` is its name. */
  readonly own?: {
    /** What such a run is of. */
    readonly isOf: string;
    readonly report: (results: never, run: string) => Report;
  };
}

const all: Additions[] = [];

/** What the capabilities of this program add. */
export const added: readonly Additions[] = all;

/** Called where the capabilities are listed, before anything is judged or said. */
export function add(capabilities: readonly Additions[]): void {
  all.push(...capabilities);
}

/** How results of a capability of their own are read; undefined for a run of a target. */
export function ownOf(results: { readonly command: string }): Additions["own"] {
  return added.find(({ name }) => name === results.command)?.own;
}

/** The report of a run of any kind. `run`: its name in commands. */
export function reportOf(results: { readonly command: string }, run = "latest"): Report {
  const own = ownOf(results);
  return own === undefined
    ? runReport(results as Results, { run, added })
    : own.report(results as never, run);
}

/** The table that has the words of a code. */
export function wordsWith(code: string): WordsTable {
  return added.find(({ words = {} }) => Object.hasOwn(words, code))?.words ?? coreWords;
}
