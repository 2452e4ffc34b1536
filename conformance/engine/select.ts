import type { Listed } from "../suite/all.ts";

/** Names of requirements (`errors.shape`), checks (`errors.shape/every-answer`) or sections (`errors`). */
export interface Selection {
  /** Everything when empty. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** What is wrong with a selection: a name that is none of those, or nothing left. */
export type SelectionMistake =
  | {
      readonly kind: "unknown name";
      readonly list: keyof Selection;
      readonly name: string;
      readonly known: readonly string[];
    }
  | { readonly kind: "nothing left"; readonly selection: Selection };

/** A selection that cannot be run. */
export class SelectionError extends Error {
  override readonly name = "SelectionError";
  readonly mistake: SelectionMistake;
  constructor(mistake: SelectionMistake) {
    super(mistake.kind === "unknown name" ? `${mistake.kind}: ${mistake.name}` : mistake.kind);
    this.mistake = mistake;
  }
}

/**
 * The checks and rules that a selection leaves, in their order.
 * @throws SelectionError for an unknown name, and when nothing is left.
 */
export function selectChecks(all: readonly Listed[], selection: Selection): Listed[] {
  const { only, skip } = selection;
  for (const list of ["only", "skip"] as const) {
    for (const name of selection[list]) mustBeKnown(list, name, all);
  }
  const selected = all.filter(
    (check) =>
      (only.length === 0 || only.some((name) => covers(name, check))) &&
      !skip.some((name) => covers(name, check)),
  );
  if (selected.length === 0) throw new SelectionError({ kind: "nothing left", selection });
  return selected;
}

function covers(name: string, { id, requirement, section }: Listed): boolean {
  return name === id || name === requirement || name === section;
}

function mustBeKnown(list: keyof Selection, name: string, all: readonly Listed[]): void {
  if (all.some((check) => covers(name, check))) return;
  // Only what has checks: a requirement that is excluded or a gap cannot be selected.
  const known = (["section", "requirement", "id"] as const).flatMap((part) =>
    all.map((check) => check[part]),
  );
  throw new SelectionError({ kind: "unknown name", list, name, known: [...new Set(known)] });
}
